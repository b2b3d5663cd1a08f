#include "solver/tridiagonal/dc_z_vector.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"

using namespace eigen_g::dc;
using eigen_g::MatrixView;

namespace {

struct Merging {
  explicit Merging(Index n)
      : storage(static_cast<std::size_t>(arrays_size<double>(n)), support::nan),
        x(place_arrays(n, storage.data())) {}
  std::vector<double> storage;
  Arrays<double> x;
};

}  // namespace

TEST_CASE("Counting below in an ascending list") {
  const double x[] = {-1, 0, 0, 0, 2, 5};
  CHECK(count_below(x, 6, 0, false) == 1);
  CHECK(count_below(x, 6, 0, true) == 4);
  CHECK(count_below(x, 6, -2, true) == 0);
  CHECK(count_below(x, 6, 9, false) == 6);
  CHECK(count_below(x, 0, 9, false) == 0);
}

TEST_CASE("z is the children's end rows in merged order, of norm 1") {
  const Merge merge{2, 5, 3};
  Merging m(8);
  const Index n = 8;
  std::vector<double> matrix(static_cast<std::size_t>(n * n), support::nan);
  const MatrixView<const double> q{matrix.data(), n, n, n};
  const auto set = [&](Index row, Index column, double x) {
    matrix[static_cast<std::size_t>(row + column * n)] = x;
  };
  // Child 1: rows and columns 2, 3, 4; child 2: 5, 6.
  set(4, 2, 0.6), set(4, 3, 0.0), set(4, 4, -0.8);
  set(5, 5, 0.28), set(5, 6, 0.96);
  const Arrays<double> x = m.x.at(2);
  const double d[] = {1, 3, 3, 2, 3};
  const Index column[] = {4, 2, 3, 6, 5};
  std::copy_n(d, 5, x.d);
  std::copy_n(column, 5, x.column);
  for (const double e : {0.5, -0.5}) {
    for (Index i = 0; i < 5; ++i) form_z(merge, {0, n}, q, x, e, i);
    const double sign = e < 0 ? -1 : 1;
    const double expected_d[] = {1, 2, 3, 3, 3};
    const double expected_z[] = {-0.8, sign * 0.96, 0.6, 0.0, sign * 0.28};
    const Index expected_source[] = {4, 6, 2, 3, 5};
    double squares = 0;
    for (Index s = 0; s < 5; ++s) {
      CHECK(x.merged_d[s] == expected_d[s]);
      CHECK(x.merged_z[s] == Approx(expected_z[s] * std::sqrt(0.5)).margin(1e-16));
      CHECK(x.source[s] == expected_source[s]);
      squares += x.merged_z[s] * x.merged_z[s];
    }
    CHECK(squares == Approx(1).epsilon(1e-15));
  }
}

TEST_CASE("With values only, z comes from the last row of child 1 and the first of child 2") {
  const Merge merge{0, 2, 1};
  Merging m(2);
  const std::vector<double> rows{7, 1, 1, 8};  // column 0: first row 7, last row 1; column 1: first 1, last 8
  m.x.d[0] = 5, m.x.d[1] = 4;
  m.x.column[0] = 0, m.x.column[1] = 1;
  for (Index i = 0; i < 2; ++i) form_z(merge, {}, {rows.data(), 2, 2, 2}, m.x, 1, i);
  CHECK(m.x.merged_d[0] == 4);
  CHECK(m.x.merged_z[0] == Approx(std::sqrt(0.5)));
  CHECK(m.x.merged_z[1] == Approx(std::sqrt(0.5)));
}
