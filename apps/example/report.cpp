// The report of a solve: path, devices, stages, memory. And a subset of the spectrum.
#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <eigen_g/verify.hpp>
#include <vector>

int main() {
  const int n = 500;
  std::vector<double> a(n * n);  // min(i, j), i and j from 1
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) a[i + j * n] = j + 1;
  // [report]
  eigen_g::Options options;
  options.subset = eigen_g::Subset::by_index(n - 9, n);  // the ten highest pairs; indices from 1
  const auto x = eigen_g::solve(n, a.data(), n, options);
  const eigen_g::Report& report = x.report;
  std::printf("%lld pairs from index %lld on, %s\n", static_cast<long long>(report.m),
              static_cast<long long>(report.first_index), name(report.path));
  for (const auto& device : report.devices) std::printf("on %s\n", device.name.c_str());
  for (const auto& stage : report.stages) std::printf("%-20s %.2e s\n", name(stage.stage), stage.seconds);
  std::printf("%-20s %.2e s, workspace %llu bytes\n", "whole call", report.seconds,
              static_cast<unsigned long long>(report.bytes.host + report.bytes.device));
  // [end]
  const auto check =
      eigen_g::verify(eigen_g::Uplo::lower, n, a.data(), n, report.m, x.values.data(), x.vectors.data(), n);
  std::printf("%s\n", passed(check) ? "verified" : "wrong");
  return passed(check) && report.m == 10 ? 0 : 1;
}
