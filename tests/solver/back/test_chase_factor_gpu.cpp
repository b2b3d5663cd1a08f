// I - V T V^T against the product of a tile's reflectors, one at a time.
#include "solver/back/chase_factor.hpp"

#include "solver/back/chase_image.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/chase.hpp"
#include "tests/support/device_copy.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

//   max |(I - V T V^T) - H_0 ... H_{width-1}|
//   -----------------------------------------
//                  width
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
  return worst / static_cast<double>(width);
}

template <class T>
void check() {
  for (const std::int64_t b : chase_bandwidths) {
    const ChaseTiles tiles(3 * b + 5, b);
    const Reflectors reflectors = random_reflectors(tiles);
    const std::int64_t last = tiles.groups() - 1, size = chase_factor_size(tiles.width);
    CAPTURE(b, sizeof(T));
    Queue queue;
    DeviceBuffer<T> v(tiles.v_count()), tau(tiles.tau_count());
    DeviceBuffer<double> factors(tiles.tiles_from(0) * size), wide(tiles.v_count());
    support::upload_as(reflectors.v, v);
    support::upload_as(reflectors.tau, tau);
    for (const auto* buffer : {&factors, &wide})
      EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    // In two slabs.
    chase_factors<T>(queue, tiles, {v.data(), tau.data()}, 1, last, factors.data(), wide.data());
    chase_factors<T>(queue, tiles, {v.data(), tau.data()}, 0, 0, factors.data() + tiles.tiles_from(1) * size,
                     wide.data() + tiles.tiles_from(1) * tiles.tile_size());
    queue.wait();
    CHECK(support::download_from(wide, wide.size()) == support::download_from(v, v.size()));
    const std::vector<double> found = support::download_from(factors, factors.size());
    double worst = 0;
    for (std::int64_t tile = 0; tile < tiles.tiles_from(0); ++tile)
      worst = std::max(worst, ratio(tiles, tile, reflectors, found.data() + tile * size));
    CAPTURE(worst);
    CHECK(worst < support::limits::back_transform * support::ulp_of<T>);
  }
}

// The image of I - V T V^H, built of the images of V and T, against that of the product, one reflector at a time.
//   max |(I - V T V^T) - image of H_0 ... H_{width-1}|
//   --------------------------------------------------
//                        width
template <class T>
void check_image(std::int64_t n) {
  using S = std::complex<double>;
  const ChaseTiles tiles = chase_tiles<T>(n, 32), images = chase_image(tiles);
  REQUIRE(images.tiles_from(0) == tiles.tiles_from(0));
  const ReflectorsOf<S> reflectors = random_reflectors<S>(n, tiles);
  const std::int64_t last = tiles.groups() - 1, size = chase_factor_size(images.width);
  CAPTURE(n, sizeof(T));
  Queue queue;
  DeviceBuffer<T> v(tiles.v_count()), tau(tiles.tau_count());
  DeviceBuffer<double> factors(tiles.tiles_from(0) * size), image(images.v_count());
  support::upload_as(reflectors.v, v);
  support::upload_as(reflectors.tau, tau);
  for (const auto* buffer : {&factors, &image})
    EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  chase_image_factors<T>(queue, tiles, {v.data(), tau.data()}, 0, last, factors.data(), image.data());
  queue.wait();
  const std::vector<double> found_v = support::download_from(image, image.size()),
                            found_t = support::download_from(factors, factors.size());
  const std::int64_t rows = images.b + images.width, width = images.width;
  double worst = 0;
  for (std::int64_t tile = 0; tile < tiles.tiles_from(0); ++tile) {
    Matrix dense(static_cast<std::size_t>(rows * width)), whole = support::reduction::identity(rows);
    for (std::int64_t j = 0; j < width; ++j)
      for (std::int64_t i = 0; i < images.b + 8; ++i)
        dense[static_cast<std::size_t>(j / 8 * 8 + i + j * rows)] =
            found_v[static_cast<std::size_t>(tile * images.tile_size() + images.column(j) + i)];
    const auto dense_v = [&](std::int64_t i, std::int64_t j) {
      return dense[static_cast<std::size_t>(i + j * rows)];
    };
    for (std::int64_t c = 0; c < rows; ++c)
      for (std::int64_t i = 0; i < width; ++i) {
        double sum = 0;  // -(T V^T)(i, c)
        for (std::int64_t k = i / 8 * 8; k < width; ++k)
          sum += found_t[static_cast<std::size_t>(tile * size + chase_factor_place(static_cast<int>(width),
                                                                                   static_cast<int>(i),
                                                                                   static_cast<int>(k)))] *
                 dense_v(c, k);
        for (std::int64_t row = 0; row < rows; ++row)
          whole[static_cast<std::size_t>(row + c * rows)] += dense_v(row, i) * sum;
      }
    auto product = support::reduction::identity<S>(rows / 2);
    for (std::int64_t j = tiles.width - 1; j >= 0; --j)
      for (std::int64_t c = 0; c < rows / 2; ++c) {
        const S* const v_j = reflectors.v.data() + tile * tiles.tile_size() + tiles.column(j) + j % 8 + 1;
        S* const x = product.data() + c * (rows / 2) + j + 1;
        const std::int64_t length = std::min(tiles.b, rows / 2 - j - 1);
        S sum = 0;
        for (std::int64_t i = 0; i < length; ++i) sum += std::conj(v_j[i]) * x[i];
        sum *= reflectors.tau[static_cast<std::size_t>(tile * tiles.width + j)];
        for (std::int64_t i = 0; i < length; ++i) x[i] -= sum * v_j[i];
      }
    for (std::int64_t c = 0; c < rows / 2; ++c)
      for (std::int64_t i = 0; i < rows / 2; ++i) {
        const S x = product[static_cast<std::size_t>(i + c * (rows / 2))];
        const auto at = [&](std::int64_t row, std::int64_t col) {
          return whole[static_cast<std::size_t>(2 * i + row + (2 * c + col) * rows)];
        };
        for (const double difference :
             {at(0, 0) - x.real(), at(1, 1) - x.real(), at(1, 0) - x.imag(), at(0, 1) + x.imag()})
          worst = std::max(worst, std::isfinite(difference) ? std::abs(difference) : 1e300);
      }
  }
  CAPTURE(worst);
  CHECK(worst / static_cast<double>(width) < support::limits::back_transform * support::ulp_of<T>);
}

}  // namespace

TEST_CASE("images of a complex chase's tiles: I - V T V^H is the product", "[gpu][racecheck]") {
  NEEDS_GPU();
  for (const std::int64_t n : {2, 33, 34, 101}) {
    check_image<std::complex<double>>(n);
    check_image<std::complex<float>>(n);
  }
}

TEST_CASE("factors of the chase's tiles: I - V T V^T is the product", "[gpu][racecheck]") {
  NEEDS_GPU();
  check<double>();
  check<float>();
}
