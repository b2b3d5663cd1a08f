#include "blas2/spmv/stencil.hpp"

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

TEST_CASE("an operator of a box is its matrix, at ragged boxes") {
  const blas2::GridSize grid =
      GENERATE(blas2::GridSize{1, 1, 1}, blas2::GridSize{2, 1, 3}, blas2::GridSize{7, 5, 3},
               blas2::GridSize{1, 40, 60}, blas2::GridSize{33, 9, 2}, blas2::GridSize{20, 1, 1});
  const int points = GENERATE(7, 19);
  const std::int64_t n = grid.points();
  CAPTURE(grid.nx, grid.ny, grid.nz, points);
  const support::SparseCase a = support::box({grid.nx, grid.ny, grid.nz}, points);
  const std::vector<double> x = support::random_rectangle(4, n, 1),
                            before = support::random_rectangle(4, n, 2);
  std::vector<double> ax(x.size()), y = before, fresh(x.size(), support::nan);
  a.times(x.data(), ax.data());
  blas2::stencil_multiply(grid, points, 1.5, x.data(), -0.5, 2, y.data());
  blas2::stencil_multiply(grid, points, 1, x.data(), 0, 0, fresh.data());
  const double limit = 1e-14 * blas2::stencil_row_sum(points);
  for (std::size_t e = 0; e < x.size(); ++e) {
    CHECK(std::abs(y[e] - (1.5 * ax[e] - 0.5 * x[e] + 2 * before[e])) <= 2 * limit);
    CHECK(std::abs(fresh[e] - ax[e]) <= limit);
  }
}

TEST_CASE("an operator has 7 or 19 points") {
  double x[4] = {}, y[4];
  CHECK_THROWS_AS(blas2::stencil_multiply({1, 1, 1}, 27, 1.0, x, 0, 0, y), InvalidArgument);
  CHECK(blas2::stencil_row_sum(7) == 12);
  CHECK(blas2::stencil_row_sum(19) == 48);
}
