// I - V T V^T against the product of a tile's reflectors, one at a time.
#include "solver/back/chase_factor.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/chase.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

//   max |(I - V T V^T) - H_0 ... H_{width-1}|
//   -----------------------------------------
//                width ulp
double ratio(const ChaseTiles& tiles, std::int64_t tile, const Reflectors& r, const double* factor) {
  const std::int64_t rows = tiles.b + tiles.width, width = tiles.width;
  Matrix v(static_cast<std::size_t>(rows * width)), product = support::reduction::identity(rows),
                                                    whole = product;
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t i = 0; i < tiles.b + 8; ++i)
      v[static_cast<std::size_t>(j / 8 * 8 + i + j * rows)] =
          r.v[static_cast<std::size_t>(tile * tiles.tile_size() + tiles.column(j) + i)];
  const auto at = [rows](const Matrix& m, std::int64_t i, std::int64_t j) {
    return m[static_cast<std::size_t>(i + j * rows)];
  };
  for (std::int64_t j = width - 1; j >= 0; --j)
    for (std::int64_t c = 0; c < rows; ++c) {
      double sum = 0;
      for (std::int64_t i = 0; i < rows; ++i) sum += at(v, i, j) * at(product, i, c);
      sum *= r.tau[static_cast<std::size_t>(tile * width + j)];
      for (std::int64_t i = 0; i < rows; ++i)
        product[static_cast<std::size_t>(i + c * rows)] -= sum * at(v, i, j);
    }
  double worst = 0;
  for (std::int64_t c = 0; c < rows; ++c)
    for (std::int64_t i = 0; i < width; ++i) {
      double sum = 0;  // -(T V^T)(i, c)
      for (std::int64_t k = i; k < width; ++k)
        sum += factor[chase_factor_place(static_cast<int>(width), static_cast<int>(i), static_cast<int>(k))] *
               at(v, c, k);
      for (std::int64_t row = 0; row < rows; ++row)
        whole[static_cast<std::size_t>(row + c * rows)] += at(v, row, i) * sum;
    }
  for (std::size_t k = 0; k < whole.size(); ++k) worst = std::max(worst, std::abs(whole[k] - product[k]));
  return worst / (static_cast<double>(width) * support::limits::ulp);
}

}  // namespace

TEST_CASE("factors of the chase's tiles: I - V T V^T is the product", "[gpu][racecheck]") {
  NEEDS_GPU();
  for (const std::int64_t b : chase_bandwidths) {
    const ChaseTiles tiles(3 * b + 5, b);
    const Reflectors reflectors = random_reflectors(tiles);
    const std::int64_t last = tiles.groups() - 1, size = chase_factor_size(tiles.width);
    CAPTURE(b);
    Queue queue;
    DeviceBuffer<double> v(tiles.v_count()), tau(tiles.tau_count()), factors(tiles.tiles_from(0) * size);
    EIGEN_G_CUDA(cudaMemcpy(v.data(), reflectors.v.data(), v.bytes(), cudaMemcpyHostToDevice));
    EIGEN_G_CUDA(cudaMemcpy(tau.data(), reflectors.tau.data(), tau.bytes(), cudaMemcpyHostToDevice));
    EIGEN_G_CUDA(cudaMemset(factors.data(), 0xff, factors.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    // In two slabs.
    chase_factors<double>(queue, tiles, {v.data(), tau.data()}, 1, last, factors.data());
    chase_factors<double>(queue, tiles, {v.data(), tau.data()}, 0, 0,
                          factors.data() + tiles.tiles_from(1) * size);
    queue.wait();
    std::vector<double> found(static_cast<std::size_t>(factors.size()));
    EIGEN_G_CUDA(cudaMemcpy(found.data(), factors.data(), factors.bytes(), cudaMemcpyDeviceToHost));
    double worst = 0;
    for (std::int64_t tile = 0; tile < tiles.tiles_from(0); ++tile)
      worst = std::max(worst, ratio(tiles, tile, reflectors, found.data() + tile * size));
    CAPTURE(worst);
    CHECK(worst < support::limits::back_transform);
  }
}
