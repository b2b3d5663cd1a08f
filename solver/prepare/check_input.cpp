#include "solver/prepare/check_input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/error.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

template <class T>
real_t<T> check_input(Uplo uplo, MatrixView<const T> a) {
  using R = real_t<T>;
  const std::int64_t n = a.rows;
  const auto first_row = [&](std::int64_t j) { return uplo == Uplo::lower ? j : 0; };
  const auto last_row = [&](std::int64_t j) { return uplo == Uplo::lower ? n : j + 1; };

  R largest = 0;
  std::int64_t bad_column = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for schedule(dynamic, 32) reduction(max        \
                                                         : largest) \
    reduction(min                                                   \
              : bad_column) if (n >= smallest_parallel_order)
  for (std::int64_t j = 0; j < n; ++j) {
    const T* column = &a(0, j);
    R column_largest = 0;
    R poison = 0;  // 0 * x is NaN exactly for the entries that are not finite
    for (std::int64_t i = first_row(j); i < last_row(j); ++i) {
      column_largest = std::max(column_largest, std::fabs(column[i]));
      poison += 0 * column[i];
    }
    largest = std::max(largest, column_largest);
    if (poison != 0) bad_column = std::min(bad_column, j);
  }
  if (bad_column < n)
    for (std::int64_t i = first_row(bad_column); i < last_row(bad_column); ++i)
      if (!std::isfinite(a(i, bad_column))) throw NonFiniteEntry(i, bad_column, a(i, bad_column));
  return largest;
}

template double check_input(Uplo, MatrixView<const double>);
template float check_input(Uplo, MatrixView<const float>);

}  // namespace eigen_g
