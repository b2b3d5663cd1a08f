// A Solver object: one plan for many matrices of the same order, here A(t) = diag(1, ..., n) + t / n for t = 0, 0.5, 1. The sum of
// the eigenvalues, the trace n (n + 1) / 2 + t, is known.
// [solver]
#include <cmath>
#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <eigen_g/verify.hpp>
#include <vector>

int main() {
  const int n = 100;
  std::vector<double> a(n * n), w(n), z(n * n);
  eigen_g::Context context;  // devices and resources that solvers share
  eigen_g::Solver<double> solver(context, n);
  std::printf("workspace: %llu bytes\n", static_cast<unsigned long long>(solver.workspace().host));
  for (const double t : {0.0, 0.5, 1.0}) {
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) a[i + j * n] = t / n + (i == j ? i + 1 : 0);
    const eigen_g::Report report = solver.solve(a.data(), n, w.data(), z.data(), n);
    const auto check = eigen_g::verify(eigen_g::Uplo::lower, n, a.data(), n, n, w.data(), z.data(), n);
    double trace = 0;
    for (const double value : w) trace += value;
    std::printf("t = %.1f: %.6f ... %.6f in %.1e s\n", t, w.front(), w.back(), report.seconds);
    if (!passed(check) || std::fabs(trace - (n * (n + 1) / 2 + t)) > 1e-9) return 1;
  }
  std::printf("verified\n");
}
// [end]
