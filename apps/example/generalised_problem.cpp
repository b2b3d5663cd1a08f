// A x = w B x for the finite elements of a vibrating string: stiffness A, mass B. The lowest value is near pi^2.
// [generalised]
#include <cmath>
#include <cstdio>
#include <eigen_g/generalised.hpp>
#include <eigen_g/verify_generalised.hpp>
#include <numbers>
#include <vector>

int main() {
  const int n = 99;
  const double h = 1.0 / (n + 1);
  std::vector<double> a(n * n), b(n * n), w(n), z(n * n);
  for (int j = 0; j < n; ++j) {
    a[j + j * n] = 2 / h, b[j + j * n] = 4 * h / 6;
    if (j + 1 < n) a[j + 1 + j * n] = -1 / h, b[j + 1 + j * n] = h / 6;
  }
  const eigen_g::GeneralisedProblem problem{.itype = 1};
  const auto report = eigen_g::sygvd(problem, n, a.data(), n, b.data(), n, w.data(), z.data(), n);
  if (report.bad_minor > 0) {
    std::printf("B is not positive definite: minor %lld\n", static_cast<long long>(report.bad_minor));
    return 1;
  }
  const auto check = eigen_g::verify_generalised(1, eigen_g::Uplo::lower, n, a.data(), n, b.data(), n, n,
                                                 w.data(), z.data(), n);
  const double pi = std::numbers::pi;
  std::printf("w_1 = %.4f, pi^2 = %.4f, %s\n", w[0], pi * pi, passed(check) ? "verified" : "wrong");
  return passed(check) && std::fabs(w[0] - pi * pi) < 1e-2 ? 0 : 1;
}
// [end]
