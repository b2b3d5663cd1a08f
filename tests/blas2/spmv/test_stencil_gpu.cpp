// blas2/spmv/stencil on a GPU against the CPU.
#include <limits>

#include "blas2/spmv/stencil.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g;

TEST_CASE("an operator of a box on a GPU equals the CPU's, at ragged boxes, and does not write around Y",
          "[gpu]") {
  NEEDS_GPU();
  const blas2::GridSize grid =
      GENERATE(blas2::GridSize{1, 1, 1}, blas2::GridSize{2, 1, 3}, blas2::GridSize{31, 7, 5},
               blas2::GridSize{33, 9, 4}, blas2::GridSize{64, 16, 3}, blas2::GridSize{1, 300, 70},
               blas2::GridSize{5000, 1, 1}, blas2::GridSize{1, 1, 3000});
  const int points = GENERATE(7, 19);
  const double beta = GENERATE(0.0, 1.5);
  CAPTURE(grid.nx, grid.ny, grid.nz, points, beta);
  constexpr std::int64_t guards = 8;
  const Queue queue;
  const std::int64_t values = 4 * grid.points();
  const std::vector<double> x = support::random_block<double>(values, 1);
  std::vector<double> y(static_cast<std::size_t>(values + 2 * guards), 12345.0);
  const std::vector<double> before =
      beta == 0 ? std::vector<double>(x.size(), std::numeric_limits<double>::quiet_NaN())
                : support::random_block<double>(values, 2);
  std::copy(before.begin(), before.end(), y.begin() + guards);
  std::vector<double> truth = before;
  blas2::stencil_multiply(grid, points, 1.25, x.data(), -0.5, beta, truth.data());

  const DeviceBuffer<double> x_dev(values), y_dev(values + 2 * guards);
  support::upload(x_dev.data(), x.data(), x_dev.bytes());
  support::upload(y_dev.data(), y.data(), y_dev.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  blas2::stencil_multiply(queue, grid, points, 1.25, x_dev.data(), -0.5, beta, y_dev.data() + guards);
  queue.wait();
  EIGEN_G_CUDA(cudaMemcpy(y.data(), y_dev.data(), y_dev.bytes(), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (std::size_t e = 0; e < truth.size(); ++e)
    worst = std::max(worst, std::abs(y[guards + e] - truth[e]) / blas2::stencil_row_sum(points));
  CHECK(worst <= 1e-14);
  for (std::size_t g = 0; g < guards; ++g) {
    CHECK(y[g] == 12345.0);
    CHECK(y[y.size() - 1 - g] == 12345.0);
  }
}
