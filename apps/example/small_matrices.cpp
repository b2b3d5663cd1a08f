// A batch of small matrices: the 1-2-1 matrices of order 8, each with a spring constant of its own. The eigenvalues of matrix k are
// s_k (2 - 2 cos(pi i / 9)). One matrix has a NaN, which harms that matrix alone.
// [batch]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <eigen_g/batched.hpp>
#include <limits>
#include <numbers>
#include <vector>

int main() {
  const int n = 8, count = 1000;
  std::vector<double> a(count * n * n), w(count * n), z(count * n * n);
  std::vector<std::int32_t> status(count);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) {
      double* const matrix = &a[k * n * n];
      matrix[i + i * n] = 2 * (1 + 0.01 * k);
      if (i + 1 < n) matrix[i + 1 + i * n] = -(1 + 0.01 * k);
    }
  a[7 * n * n] = std::numeric_limits<double>::quiet_NaN();
  const eigen_g::BatchReport report =
      eigen_g::eigen_g_batched(n, count, a.data(), n, w.data(), z.data(), n, status.data());
  std::printf("%lld failed, the first is matrix %lld with status %d\n", static_cast<long long>(report.failed),
              static_cast<long long>(report.first_failed), status[7]);
  const double lowest = 2 - 2 * std::cos(std::numbers::pi / (n + 1));
  double worst = 0;
  for (int k = 0; k < count; ++k)
    if (status[k] == 0) worst = std::fmax(worst, std::fabs(w[k * n] - (1 + 0.01 * k) * lowest));
  std::printf("largest error of a lowest value: %.1e\n", worst);
  return report.failed == 1 && report.first_failed == 7 && status[7] == -1 && worst < 1e-13 ? 0 : 1;
}
// [end]
