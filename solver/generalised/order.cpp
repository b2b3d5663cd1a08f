// The order of B's rows on the CPU.
#include "solver/generalised/order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

template <class R>
RowOrder descending_order(const std::vector<R>& diagonal) {
  RowOrder order(diagonal.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    return std::ilogb(diagonal[x]) > std::ilogb(diagonal[y]);
  });
  return order;
}

RowOrder with_inverse_and_reverse(const RowOrder& order) {
  const std::size_t n = order.size();
  RowOrder rows = order;
  rows.resize(3 * n);
  for (std::size_t k = 0; k < n; ++k) {
    rows[n + static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
    rows[2 * n + k] = static_cast<std::int64_t>(n - 1 - k);
  }
  return rows;
}

template <class T>
bool rows_are_nearly_dependent(const RowOrder& order, MatrixView<const T> b, MatrixView<const T> factor) {
  for (std::int64_t k = 0; k < b.rows; ++k) {
    const std::int64_t row = order.empty() ? k : order[k];
    if (independent * std::real(factor(k, k)) < std::sqrt(std::real(b(row, row)))) return true;
  }
  return false;
}

template <class T>
RowOrder pivoted_cholesky(MatrixView<T> b) {
  const lapack_int n = lapack_size(b.rows, "n");
  const std::vector<lapack_int> pivots = lapack::pstrf(n, b.data, lapack_size(b.lda, "ldb"));
  RowOrder order(pivots.size());
  std::transform(pivots.begin(), pivots.end(), order.begin(), [](lapack_int pivot) { return pivot - 1; });
  return order;
}

template <class T>
void take_in_order(const RowOrder& order, Uplo uplo, MatrixView<const T> from, MatrixView<T> to) {
  const std::int64_t n = to.rows;
  constexpr std::int64_t square = 64;  // the part of `from` that one square of `to` reads fits into the cache
  for_each((n + square - 1) / square, threads_if(n >= smallest_parallel_order), [&](std::int64_t strip) {
    const std::int64_t j0 = strip * square;
    for (std::int64_t i0 = 0; i0 <= j0; i0 += square)
      for (std::int64_t j = j0; j < std::min(n, j0 + square); ++j) {
        const std::int64_t col = order[j];
        for (std::int64_t i = i0; i < std::min(j, i0 + square); ++i) {
          const std::int64_t row = order[i];
          const bool stored = uplo == Uplo::lower ? row > col : row < col;
          to(i, j) = stored ? from(row, col) : conjugate(from(col, row));
        }
        if (i0 == j0) to(j, j) = std::real(from(col, col));
      }
  });
}

template <class T>
void restore_rows(const RowOrder& order, MatrixView<T> x) {
  // Row i moves to row order[i]. Each swap brings one row to its place, so that a column needs no copy.
  std::vector<std::array<std::int64_t, 2>> swaps;
  RowOrder place = order;
  for (std::int64_t i = 0; i < x.rows; ++i)
    while (place[i] != i) {
      const std::int64_t to = place[i];
      swaps.push_back({i, to});
      std::swap(place[i], place[to]);
    }
  for_each(x.cols, threads_if(x.rows >= smallest_parallel_order), [&](std::int64_t j) {
    for (const auto& [i, to] : swaps) std::swap(x(i, j), x(to, j));
  });
}

EIGEN_G_INSTANTIATE(real_types, descending_order);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, take_in_order,
                             void(const RowOrder&, Uplo, MatrixView<const T>, MatrixView<T>));
EIGEN_G_INSTANTIATE(all_types, pivoted_cholesky, restore_rows, rows_are_nearly_dependent);

}  // namespace eigen_g
