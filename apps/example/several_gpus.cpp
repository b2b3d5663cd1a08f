// The large products of a solve shared by all GPUs, by measured rates. With fewer than two GPUs the program ends with 4.
#include <eigen_g/verify.hpp>
// [devices]
#include <cstdio>
#include <eigen_g/calibrate.hpp>
#include <eigen_g/device.hpp>
#include <eigen_g/eigen_g.hpp>
#include <memory>
#include <vector>

eigen_g::Solution<double> solve_on_all_gpus(int n, const std::vector<double>& a) {
  eigen_g::Devices devices;
  devices.gpus = eigen_g::gpu_count();
  devices.calibration =
      std::make_shared<const eigen_g::Calibration>(eigen_g::calibrate(eigen_g::Effort::quick));
  auto x = eigen_g::solve(n, a.data(), n, {}, devices);
  for (const auto& device : x.report.devices)
    std::printf("%s: %.0f %% of the large products\n", device.name.c_str(), 100 * device.share);
  return x;
}
// [end]

int main() {
  if (eigen_g::gpu_count() < 2) {
    std::printf("skipped: fewer than two GPUs\n");
    return 4;
  }
  const int n = 4000;
  std::vector<double> a(n * n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) a[i + j * n] = j + 1;
  const auto x = solve_on_all_gpus(n, a);
  const auto check =
      eigen_g::verify(eigen_g::Uplo::lower, n, a.data(), n, n, x.values.data(), x.vectors.data(), n);
  std::printf("%s\n", passed(check) ? "verified" : "wrong");
  return passed(check) ? 0 : 1;
}
