#include "blas2/spmv/stencil7.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

TEST_CASE("the 7-point operator is its matrix, at ragged boxes") {
  const blas2::GridSize grid = GENERATE(blas2::GridSize{1, 1, 1}, blas2::GridSize{2, 1, 3},
                                        blas2::GridSize{7, 5, 3}, blas2::GridSize{1, 40, 60});
  const std::int64_t n = grid.points();
  CAPTURE(grid.nx, grid.ny, grid.nz);
  const support::SparseCase a = support::grid({grid.nx, grid.ny, grid.nz});
  const std::vector<double> x = support::random_rectangle(4, n, 1),
                            before = support::random_rectangle(4, n, 2);
  std::vector<double> ax(x.size()), y = before, fresh(x.size(), support::nan);
  a.times(x.data(), ax.data());
  blas2::stencil7_multiply(grid, 1.5, x.data(), -0.5, 2, y.data());
  blas2::stencil7_multiply(grid, 1, x.data(), 0, 0, fresh.data());
  for (std::size_t e = 0; e < x.size(); ++e) {
    CHECK(std::abs(y[e] - (1.5 * ax[e] - 0.5 * x[e] + 2 * before[e])) <= 1e-14 * 20);
    CHECK(std::abs(fresh[e] - ax[e]) <= 1e-14 * 12);
  }
}
