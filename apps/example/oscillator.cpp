// How a program uses the library: energy levels of the quantum harmonic oscillator, H = p^2 / 2 + x^2 / 2, whose
// exact values are k + 1/2, on a uniform grid with the sinc basis.
//
//   H_ij = (-1)^(i-j) / (2 h^2) * { pi^2 / 3         i = j     + x_i^2 / 2 on the diagonal
//                                 { 2 / (i-j)^2      else
//
// Source: Colbert and Miller, J. Chem. Phys. 96 (1992) 1982.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <eigen_g/verify.hpp>
#include <exception>
#include <numbers>
#include <vector>

namespace {

std::vector<double> hamiltonian(std::int64_t n, double h) {
  std::vector<double> a(n * n);
  for (std::int64_t j = 0; j < n; ++j) {
    const double x = h * (static_cast<double>(j) - static_cast<double>(n - 1) / 2);
    for (std::int64_t i = j; i < n; ++i) {  // the lower triangle is enough
      const auto distance = static_cast<double>(i - j);
      const double sign = (i - j) % 2 == 0 ? 1 : -1;
      const double shape = i == j ? std::numbers::pi * std::numbers::pi / 3 : 2 / (distance * distance);
      a[i + j * n] = sign * shape / (2 * h * h) + (i == j ? x * x / 2 : 0);
    }
  }
  return a;
}

}  // namespace

int main() {
  const std::int64_t n = 120;
  const std::vector<double> a = hamiltonian(n, 0.2);
  try {
    const eigen_g::Solution solution = eigen_g::solve(n, a.data(), n);
    double worst = 0;
    for (int k = 0; k < 8; ++k) {
      const double error = std::fabs(solution.values[k] - (k + 0.5));
      worst = std::fmax(worst, error);
      std::printf("E_%d = %.12f   error %.1e\n", k, solution.values[k], error);
    }
    const eigen_g::Verification check = eigen_g::verify(eigen_g::Uplo::lower, n, a.data(), n, n,
                                                        solution.values.data(), solution.vectors.data(), n);
    std::printf("solved on %s in %.4f s; LAPACK ratios %.3f and %.3f\n",
                solution.report.devices.front().name.c_str(), solution.report.seconds, check.lapack_residual,
                check.lapack_orthogonality);
    return solution.report.status == eigen_g::Status::converged && passed(check) && worst < 1e-10 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
