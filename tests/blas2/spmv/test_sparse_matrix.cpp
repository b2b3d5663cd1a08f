// Tests of the checks and the symmetry of CSR matrices.
#include "blas2/spmv/sparse_matrix.hpp"

#include <limits>
#include <vector>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

CrsMatrix<double> made(std::int64_t cols,
                       const std::vector<std::vector<std::pair<std::int32_t, double>>>& rows) {
  std::int64_t nnz = 0;
  for (const auto& row : rows) nnz += static_cast<std::int64_t>(row.size());
  CrsMatrix<double> a(static_cast<std::int64_t>(rows.size()), cols, nnz);
  std::int64_t p = 0, i = 0;
  for (const auto& row : rows) {
    for (const auto& [col, value] : row) {
      a.col[p] = col;
      a.value[p++] = value;
    }
    a.row_offsets[++i] = p;
  }
  return a;
}

}  // namespace

TEST_CASE("a sound matrix passes its check, slices included") {
  check_crs(CrsMatrix<double>().view());
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(200, 150, 9, 150, 1), 150, 2);
  check_crs(a.view());
  check_crs(slice(a.view(), 70, 60));
  CHECK(slice(a.view(), 70, 60).nnz == a.row_offsets[130] - a.row_offsets[70]);
}

TEST_CASE("errors of a matrix are named with their row and column") {
  CrsMatrix<double> a = made(4, {{{0, 1.0}, {3, 2.0}}, {{1, 3.0}}, {}});
  CHECK_NOTHROW(check_crs(a.view()));
  SECTION("outside") {
    a.col[1] = 4;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("row 1 has column 5, outside 1..4"));
  }
  SECTION("negative") {
    a.col[2] = -1;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("row 2 has column 0, outside 1..4"));
  }
  SECTION("twice") {
    a.col[1] = 0;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("row 1 has column 1 twice"));
  }
  SECTION("order") {
    a.col[0] = 3;
    a.col[1] = 2;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("row 1 has column 3 after column 4"));
  }
  SECTION("decreasing offsets") {
    a.row_offsets[2] = 1;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("row 2 has entries 2 to 1 of 3"));
  }
  SECTION("offsets beyond nnz") {
    a.row_offsets[3] = 5;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("row 3 has entries 3 to 5 of 3"));
  }
  SECTION("offsets that end early") {
    a.row_offsets[1] = 1;
    a.row_offsets[2] = a.row_offsets[3] = 2;
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("the rows have 2 entries of 3"));
  }
  SECTION("not finite") {
    a.value[1] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(check_crs(a.view()), NonFiniteEntry);
    CHECK_THROWS_WITH(check_crs(a.view()), ContainsSubstring("entry (1, 4) is NaN"));
  }
}

TEST_CASE("more columns than 32-bit indices reach are refused before any memory") {
  CHECK_THROWS_WITH(CrsMatrix<double>(1, std::int64_t{1} << 31, 1), ContainsSubstring("2147483648 columns"));
}

TEST_CASE("the largest asymmetry is found, also of entries that only one triangle stores") {
  const CrsMatrix<double> symmetric = made(3, {{{0, 1.0}, {2, 5.0}}, {{1, 2.0}}, {{0, 5.0}}});
  CHECK(asymmetry(symmetric.view()).largest == 0);
  CHECK(asymmetry(symmetric.view()).largest_entry == 5);
  const CrsMatrix<double> differs = made(3, {{{0, 1.0}, {2, 5.0}}, {{1, 2.0}, {2, 1.0}}, {{0, 5.5}}});
  const CrsAsymmetry found = asymmetry(differs.view());
  CHECK(found.largest == 1);
  CHECK(found.row == 2);
  CHECK(found.col == 1);
  CHECK(found.below == 0);
  CHECK(found.above == 1);
  CHECK(found.largest_entry == 5.5);
}

TEST_CASE("the asymmetry does not depend on the threads") {
  const std::int64_t n = 3000;
  const CrsMatrix<double> a = support::random_crs<double>(support::ragged_lengths(n, n, 12, 400, 3), n, 4);
  double largest = 0;
  const std::int64_t rows = a.rows;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      double mirror = 0;
      for (std::int64_t q = a.row_offsets[a.col[p]]; q < a.row_offsets[a.col[p] + 1]; ++q)
        if (a.col[q] == i) mirror = a.value[q];
      largest = std::max(largest, std::abs(a.value[p] - mirror));
    }
  const CrsAsymmetry one = asymmetry(a.view(), 1), two = asymmetry(a.view(), 2);
  CHECK(one.largest == largest);
  CHECK(two.largest == largest);
  CHECK(one.row == two.row);
  CHECK(one.col == two.col);
}

TEST_CASE("a slice in another precision begins at 0 and rounds to nearest") {
  const CrsMatrix<double> a = support::random_crs<double>(support::ragged_lengths(120, 80, 5, 60, 5), 80, 6);
  const CrsMatrix<float> b = converted<float>(slice(a.view(), 30, 50));
  check_crs(b.view());
  CHECK(b.row_offsets[0] == 0);
  CHECK(b.nnz == a.row_offsets[80] - a.row_offsets[30]);
  for (std::int64_t p = 0; p < b.nnz; ++p) {
    REQUIRE(b.col[p] == a.col[a.row_offsets[30] + p]);
    REQUIRE(b.value[p] == static_cast<float>(a.value[a.row_offsets[30] + p]));
  }
}
