#include "solver/tridiagonal/dc_arrays.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g::dc;

TEST_CASE("A merge's arrays fill the workspace without a gap, in the order of their declaration") {
  for (const Index n : {1, 2, 7, 8}) {
    std::vector<double> workspace(static_cast<std::size_t>(arrays_size<double>(n)));
    const Arrays<double> x = place_arrays(n, workspace.data());
    CHECK(Arrays<double>::reals == 18);
    CHECK(Arrays<double>::indices == 9);
    CHECK(x.d == workspace.data());
    CHECK(x.e == x.d + n);
    CHECK(x.merged_d == x.e + n);
    CHECK(x.root + n == x.deflated);
    CHECK(x.deflated + n == x.first_of_c);
    CHECK(static_cast<void*>(x.last_of_q + n) == x.column);
    CHECK(x.source == x.column + n);
    CHECK(x.survivor + n == x.close);
    CHECK(static_cast<void*>(x.close + n) <= workspace.data() + workspace.size());
  }
}

TEST_CASE("The arrays of a merge begin at its first row") {
  std::vector<double> workspace(static_cast<std::size_t>(arrays_size<double>(10)));
  const Arrays<double> x = place_arrays(10, workspace.data()), y = x.at(3);
  CHECK(y.d == x.d + 3);
  CHECK(y.group_weight == x.group_weight + 3);
  CHECK(y.deflated == x.deflated + 3);
  CHECK(y.column == x.column + 3);
  CHECK(y.close == x.close + 3);
  CHECK(y.at(2).tau == x.tau + 5);
}
