// apps/papers/himeno on the CPU: the digits of gosa.
#include "apps/papers/himeno.hpp"

#include <cmath>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;

TEST_CASE(
    "gosa of the small grid has the paper's digits where it is summed as there, and double's where it is "
    "not") {
  HimenoOnHost paper(himeno_grid("S"));
  CHECK(paper.sweep_summing_in_float(himeno_first_sweeps) == Approx(3.288628e-3).epsilon(1e-6));
  HimenoOnHost ours(himeno_grid("S"));
  CHECK(ours.sweep(himeno_first_sweeps) == Approx(3.295448e-3).epsilon(5e-4));
}

TEST_CASE("the end of the small grid") {
  HimenoOnHost paper(himeno_grid("S"));
  CHECK(paper.sweep_summing_in_float(himeno_sweeps) == Approx(9.673350e-4).epsilon(1e-6));
}

TEST_CASE("the same bits by any number of threads, in one call or several") {
  const HimenoGrid grid{13, 22, 70};
  HimenoOnHost one(grid, 1), three(grid, 3);
  const double gosa = one.sweep(7);
  three.sweep(3);
  CHECK(three.sweep(4) == gosa);
}

TEST_CASE("sizes") {
  CHECK(himeno_grid("L").mk == 513);
  CHECK(himeno_grid("M").points() == 126 * 126 * 254);
  CHECK_THROWS_AS(himeno_grid("XXL"), InvalidArgument);
}
