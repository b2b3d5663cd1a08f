// Tests of the projected problem of thick-restart Lanczos.
#include "solver/sparse/restart.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

TEST_CASE("copies of a value are separated: all but a few have zeros in the last rows") {
  constexpr std::int64_t m = 24, rows = 4;
  Projected<double>::Pairs pairs;
  // An orthogonal matrix.
  const std::vector<double> a = support::random_symmetric(m, 3);
  std::vector<double> z(static_cast<std::size_t>(m * m));
  for (std::int64_t j = 0; j < m; ++j)  // I - 2 v v^T, v from the first column of a
    for (std::int64_t i = 0; i < m; ++i) {
      const double square = std::inner_product(a.begin(), a.begin() + m, a.begin(), 0.0);
      z[static_cast<std::size_t>(i + j * m)] =
          (i == j) - 2 * a[static_cast<std::size_t>(i)] * a[static_cast<std::size_t>(j)] / square;
    }
  pairs.vectors = z;
  pairs.values.assign(m, 2.0);
  pairs.locked.assign(m, 0);
  for (std::int64_t j = 0; j < 6; ++j)
    pairs.values[static_cast<std::size_t>(j)] = 8.0 - static_cast<double>(j);  // simple ones
  for (std::int64_t j = 6; j < m; ++j)
    pairs.values[static_cast<std::size_t>(j)] -= 1e-16 * static_cast<double>(j);
  pairs.locked[9] = 1;
  Projected<double>::separate_copies(pairs, rows);
  const auto at = [&](const std::vector<double>& x, std::int64_t i, std::int64_t j) {
    return x[static_cast<std::size_t>(i + j * m)];
  };
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) CHECK(at(pairs.vectors, i, j) == at(z, i, j));
    CHECK(at(pairs.vectors, i, 9) == at(z, i, 9));
  }
  for (std::int64_t j = 6; j < m - rows; ++j)
    for (std::int64_t i = m - rows; i < m && j != 9; ++i) CHECK(at(pairs.vectors, i, j) == 0);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t k = 0; k < m; ++k) {
      double product = 0, within = 0;
      for (std::int64_t i = 0; i < m; ++i) product += at(pairs.vectors, i, j) * at(pairs.vectors, i, k);
      CHECK(std::fabs(product - (j == k)) < 1e-14);
      // The span of the copies is the same: vector j lies in the span of the old ones.
      if (j < 6 || j == 9) continue;
      for (std::int64_t i = 0; i < m; ++i) within += at(pairs.vectors, i, j) * at(z, i, k);
      if (k < 6 || k == 9) CHECK(std::fabs(within) < 1e-14);
    }
}
