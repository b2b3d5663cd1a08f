#include "solver/prepare/check_input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/error.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

template <>
double check_input<double>(Uplo uplo, MatrixView<const double> a) {
  const std::int64_t n = a.rows;
  const auto first_row = [&](std::int64_t j) { return uplo == Uplo::lower ? j : 0; };
  const auto last_row = [&](std::int64_t j) { return uplo == Uplo::lower ? n : j + 1; };

  double largest = 0;
  std::int64_t bad_column = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for schedule(dynamic, 32) reduction(max        \
                                                         : largest) \
    reduction(min                                                   \
              : bad_column) if (n >= smallest_parallel_order)
  for (std::int64_t j = 0; j < n; ++j) {
    const double* column = &a(0, j);
    double column_largest = 0;
    double poison = 0;  // 0 * x is NaN exactly for the entries that are not finite
    for (std::int64_t i = first_row(j); i < last_row(j); ++i) {
      column_largest = std::max(column_largest, std::fabs(column[i]));
      poison += 0 * column[i];
    }
    largest = std::max(largest, column_largest);
    if (poison != 0 || poison != poison) bad_column = std::min(bad_column, j);
  }
  if (bad_column < n)
    for (std::int64_t i = first_row(bad_column); i < last_row(bad_column); ++i)
      if (!std::isfinite(a(i, bad_column))) throw NonFiniteEntry(i, bad_column, a(i, bad_column));
  return largest;
}

}  // namespace eigen_g
