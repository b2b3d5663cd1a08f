// Compares blas2/spmv/row_partition with the whole matrix on the CPU: parts that share a GPU, and one part on each of two GPUs.
#include "blas2/spmv/row_partition.hpp"

#include <limits>

#include "blas2/spmv/crs.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

TEST_CASE("a matrix cut by rows over GPUs multiplies as the whole one, the same bits again", "[gpu]") {
  NEEDS_GPU();
  const bool two = gpu_count() > 1;
  const std::vector<int> gpus =
      GENERATE_COPY(std::vector<int>{0}, std::vector<int>{0, 0}, std::vector<int>{0, 0, 0},
                    std::vector<int>{0, two ? 1 : 0}, std::vector<int>{two ? 1 : 0, 0});
  const std::int64_t n = GENERATE(1, 5, 701, 4001);
  CAPTURE(gpus.size(), gpus.back(), n);
  const CrsMatrix<double> a = support::random_crs<double>(support::ragged_lengths(n, n, 20, 300, 3), n, 4);
  RowPartition<double> team(a.view(), gpus);
  REQUIRE(team.first_row(team.members()) == n);
  const std::vector<double> x = support::random_block<double>(4 * n, 1),
                            y0 = support::random_block<double>(4 * n, 2);
  std::vector<double> truth = y0, first;
  crs_multiply(4, -0.75, a.view(), x.data(), 1.5, truth.data(), 0, 0.25);

  std::vector<DeviceBuffer<double>> xs, ys;
  std::vector<const double*> x_dev;
  std::vector<double*> y_dev;
  const auto part = [&](int m, const std::vector<double>& of) { return of.data() + 4 * team.first_row(m); };
  const auto values = [&](int m) { return 4 * (team.first_row(m + 1) - team.first_row(m)); };
  for (int m = 0; m < team.members(); ++m) {
    const CurrentGpu here(team.gpu(m));
    xs.emplace_back(values(m) + 4);
    ys.emplace_back(values(m) + 4);
    x_dev.push_back(xs.back().data());
    y_dev.push_back(ys.back().data());
  }
  for (int round = 0; round < 3; ++round) {
    for (int m = 0; m < team.members(); ++m) {
      const CurrentGpu here(team.gpu(m));
      const auto bytes = static_cast<std::size_t>(values(m)) * sizeof(double);
      support::upload(xs[m].data(), part(m, x), bytes);
      support::upload(ys[m].data(), part(m, y0), bytes);
      EIGEN_G_CUDA(cudaDeviceSynchronize());
    }
    team.multiply(-0.75, x_dev, 0.25, 1.5, y_dev);
    std::vector<double> y(y0.size(), std::numeric_limits<double>::quiet_NaN());
    for (int m = 0; m < team.members(); ++m) {
      const CurrentGpu here(team.gpu(m));
      team.queue(m).wait();
      EIGEN_G_CUDA(cudaMemcpy(y.data() + 4 * team.first_row(m), ys[m].data(),
                              static_cast<std::size_t>(values(m)) * sizeof(double), cudaMemcpyDeviceToHost));
    }
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y[i] - truth[i]));
    CHECK(worst <= 1e-12);
    if (round == 0) first = y;
    CHECK(y == first);
  }
}
