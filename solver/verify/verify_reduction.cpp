// Checks a tridiagonalization on the CPU.
#include "solver/verify/verify_reduction.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>
#include <vector>

#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

namespace {

// sum of term(j) over the columns, in an order that does not depend on the number of threads.
template <class Term>
double sum_over_columns(std::int64_t n, Term&& term) {
  std::vector<double> sums(static_cast<std::size_t>(n));
  for_each(n, threads_if(n > 256), [&](std::int64_t j) { sums[static_cast<std::size_t>(j)] = term(j); });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

ReductionRatios verify_reduction(Uplo uplo, MatrixView<const double> a, const double* d, const double* e,
                                 MatrixView<const double> q) {
  const std::int64_t n = a.rows;
  if (n == 0) return {};
  const bool lower = uplo == Uplo::lower;
  const auto begin = [&](std::int64_t j) { return lower ? j : 0; };
  const auto end = [&](std::int64_t j) { return lower ? n : j + 1; };

  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = begin(j); i < end(j); ++i) largest = std::max(largest, std::fabs(a(i, j)));
  const int k = largest > 0 ? -std::ilogb(largest) : 0;
  const auto scaled = [k](double x) { return std::ldexp(x, k); };

  // QT = Q T, then the sum of squares of A - (QT) Q^T. An off-diagonal entry of the triangle counts twice.
  const auto qt_memory = host_array<double>(n * n), product_memory = host_array<double>(n * n);
  const MatrixView<double> qt{qt_memory.get(), n, n, n}, product{product_memory.get(), n, n, n};
  for_each(n, threads_if(n > 256), [&](std::int64_t j) {
    const double before = j > 0 ? scaled(e[j - 1]) : 0, here = scaled(d[j]),
                 after = j + 1 < n ? scaled(e[j]) : 0;
    for (std::int64_t i = 0; i < n; ++i)
      qt(i, j) = q(i, j) * here + (j > 0 ? q(i, j - 1) * before : 0) + (j + 1 < n ? q(i, j + 1) * after : 0);
  });
  gemm_on_cpu(Op::none, Op::transpose, 1, qt, q, 0, product);
  const auto squares = [&](auto&& entry) {
    return sum_over_columns(n, [&](std::int64_t j) {
      double sum = 0;
      for (std::int64_t i = begin(j); i < end(j); ++i) sum += (i == j ? 1 : 2) * entry(i, j) * entry(i, j);
      return sum;
    });
  };
  const double norm = std::sqrt(squares([&](std::int64_t i, std::int64_t j) { return scaled(a(i, j)); }));
  const double error =
      std::sqrt(squares([&](std::int64_t i, std::int64_t j) { return scaled(a(i, j)) - product(i, j); }));

  gemm_on_cpu(Op::transpose, Op::none, 1, q, q, 0, product);
  const double gram =
      std::sqrt(squares([&](std::int64_t i, std::int64_t j) { return product(i, j) - (i == j); }));

  const double unit = static_cast<double>(n) * DBL_EPSILON;
  return {error / (unit * (norm > 0 ? norm : 1)), gram / unit};
}

}  // namespace eigen_g
