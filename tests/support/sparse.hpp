// Sparse matrices, and checks of their products against long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "blas2/spmv/sparse_matrix.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/tolerances.hpp"

namespace support {

// Random entries in (-1, 1); row i has lengths[i] of them in random columns.
template <class T>
eigen_g::blas2::CrsMatrix<T> random_crs(const std::vector<std::int64_t>& lengths, std::int64_t cols,
                                        unsigned seed) {
  std::mt19937_64 random(seed);
  std::int64_t nnz = 0;
  for (const std::int64_t length : lengths) nnz += length;
  eigen_g::blas2::CrsMatrix<T> a(static_cast<std::int64_t>(lengths.size()), cols, nnz);
  std::uniform_real_distribution<double> number(-1, 1);
  std::int64_t p = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    std::set<std::int32_t> columns;
    const std::int64_t length = lengths[static_cast<std::size_t>(i)];
    if (length == cols)
      for (std::int64_t j = 0; j < cols; ++j) columns.insert(static_cast<std::int32_t>(j));
    while (static_cast<std::int64_t>(columns.size()) < length)
      columns.insert(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(cols)));
    for (const std::int32_t j : columns) {
      a.col[p] = j;
      a.value[p++] = static_cast<T>(number(random));
    }
    a.row_offsets[i + 1] = p;
  }
  return a;
}

// Lengths of `rows` rows: mostly below `most`, some are 0, each 97th is long.
inline std::vector<std::int64_t> ragged_lengths(std::int64_t rows, std::int64_t cols, std::int64_t most,
                                                std::int64_t longest, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < rows; ++i)
    lengths.push_back(std::min<std::int64_t>(
        cols,
        i % 97 == 5 ? longest : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1))));
  return lengths;
}

template <class T>
std::vector<T> random_block(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(number(random));
  return x;
}

// Largest |y - t| / (u sqrt(m + 2) s) over the elements of y, with t = alpha A X + beta Y0 and s the sum of its terms' sizes, in
// long double; m is the row's number of entries. Infinite if an element of y is not finite.
template <class T>
double spmv_error(const eigen_g::blas2::CrsView<T>& a, int k, double alpha, const std::vector<T>& x,
                  double beta, const std::vector<T>& y0, const std::vector<T>& y) {
  const double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  double worst = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (int j = 0; j < k; ++j) {
      long double t = 0, s = 0;
      for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
        const long double term = static_cast<long double>(a.value[p]) *
                                 x[static_cast<std::size_t>(a.col[p] * std::int64_t{k} + j)];
        t += term;
        s += std::abs(term);
      }
      const auto at = static_cast<std::size_t>(i * k + j);
      t *= alpha;
      s *= std::abs(alpha);
      if (beta != 0) {
        t += static_cast<long double>(beta) * y0[at];
        s += std::abs(static_cast<long double>(beta) * y0[at]);
      }
      if (!std::isfinite(y[at])) return std::numeric_limits<double>::infinity();
      const auto miss = static_cast<double>(std::abs(y[at] - t));
      if (miss == 0) continue;
      const auto m = static_cast<double>(a.row_offsets[i + 1] - a.row_offsets[i]);
      worst = std::max(worst, miss / (u * std::sqrt(m + 2) * static_cast<double>(s)));
    }
  return worst;
}

// Checks multiply(k, alpha, x, beta, y, threads) on the CPU for k = 1 and 4, for beta = 0 with NaN in y and for beta != 0. The
// bits must be the same for any number of threads.
template <class T, class Multiply>
void check_product_host(const eigen_g::blas2::CrsView<T>& a, Multiply multiply) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const int k : {1, 4}) {
    const std::vector<T> x = random_block<T>(a.cols * k, 7), y0 = random_block<T>(a.rows * k, 8);
    std::vector<T> y(y0.size(), nan);
    multiply(k, T(1), x.data(), T(0), y.data(), 0);
    CHECK(spmv_error(a, k, 1.0, x, 0.0, y0, y) < limits::spmv);
    y = y0;
    multiply(k, T(-0.75), x.data(), T(1.5), y.data(), 1);
    CHECK(spmv_error(a, k, -0.75, x, 1.5, y0, y) < limits::spmv);
    for (const int threads : {2, 3, 5}) {
      std::vector<T> again = y0;
      multiply(k, T(-0.75), x.data(), T(1.5), again.data(), threads);
      CHECK(again == y);
    }
  }
}

// Ragged matrices of several orders; without entries; with one long row.
template <class T>
std::vector<eigen_g::blas2::CrsMatrix<T>> ragged_matrices() {
  std::vector<eigen_g::blas2::CrsMatrix<T>> all;
  for (const std::int64_t rows : sizes({0, 1, 2, 31, 32, 33, 257, 4001}, {33, 257}))
    for (const std::int64_t most : sizes({3, 40}, {40})) {
      const std::int64_t cols = rows / 2 + 1;
      all.push_back(random_crs<T>(ragged_lengths(rows, cols, most, 700, 1), cols, 2));
    }
  all.push_back(random_crs<T>(std::vector<std::int64_t>(300, 0), 10, 1));
  const std::int64_t longest = sanitized() ? 1000 : 30000;
  all.push_back(random_crs<T>({0, 0, longest, 0, 1}, longest, 1));
  return all;
}

// convert(a) returns the product of another format of a. Checked for ragged matrices and for a slice of a larger one.
template <class T, class Convert>
void check_format_host(Convert convert) {
  for (const eigen_g::blas2::CrsMatrix<T>& a : ragged_matrices<T>())
    check_product_host<T>(a.view(), convert(a.view()));
  const auto large = random_crs<T>(ragged_lengths(5000, 900, 20, 900, 3), 900, 4);
  const auto part = eigen_g::blas2::slice(large.view(), 1234, 3000);
  check_product_host<T>(part, convert(part));
}

}  // namespace support
