// Compares I - V T V^T with the product of a tile's reflectors, one at a time.
#include "solver/back/chase_factor.hpp"

#include <utility>

#include "solver/back/chase_image.hpp"
#include "solver/back/chase_planes.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/chase.hpp"
#include "tests/support/device_copy.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> all_tiles(const ChaseTiles& tiles) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;  // group, step
  for (std::int64_t group = 0; group < tiles.groups(); ++group)
    for (std::int64_t step = 0; step < tiles.steps(group); ++step) all.emplace_back(group, step);
  return all;
}

//   max |(I - V T V^T) - H_0 ... H_{width-1}|
//   -----------------------------------------
//                  width
double ratio(const ChaseTiles& tiles, std::int64_t tile, const Matrix& v, const Reflectors& r,
             const double* factor) {
  const std::int64_t rows = tiles.b + tiles.width, width = tiles.width;
  Matrix product = support::reduction::identity(rows), whole = product;
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
    DeviceBuffer<T> v(tiles.count()), tau(tiles.tau_count());
    DeviceBuffer<double> factors(tiles.tiles_from(0) * size),
        operands(tiles.tiles_from(0) * tiles.tile_size());
    support::upload_as(reflectors.v, v);
    support::upload_as(reflectors.tau, tau);
    for (const auto* buffer : {&factors, &operands})
      EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    // In two slabs.
    chase_factors<T>(queue, tiles, {v.data(), tau.data()}, 1, last, factors.data(), operands.data());
    chase_factors<T>(queue, tiles, {v.data(), tau.data()}, 0, 0, factors.data() + tiles.tiles_from(1) * size,
                     operands.data() + tiles.tiles_from(1) * tiles.tile_size());
    queue.wait();
    const std::vector<double> found = support::download_from(factors, factors.size()),
                              found_v = support::download_from(operands, operands.size());
    double worst = 0;
    bool same = true;
    for (const auto& [group, step] : all_tiles(tiles)) {
      const std::int64_t tile = tiles.tile(group, step), rows = tiles.b + tiles.width;
      Matrix dense = dense_tile(tiles.n, tiles, reflectors, group, step);
      for (double& x : dense) x = static_cast<T>(x);
      for (std::int64_t j = 0; j < tiles.width; ++j)
        same = same && std::equal(dense.begin() + j * rows + j / 8 * 8,
                                  dense.begin() + j * rows + j / 8 * 8 + tiles.b + 8,
                                  found_v.begin() + tile * tiles.tile_size() + tiles.column(j));
      worst = std::max(worst, ratio(tiles, tile, dense, reflectors, found.data() + tile * size));
    }
    CAPTURE(worst);
    CHECK(same);
    CHECK(worst < support::limits::back_transform * support::ulp_of<T>);
  }
}

using Complex = std::complex<double>;

// H_0 ... H_{width-1} of a tile, a reflector at a time.
std::vector<Complex> product_of(const ChaseTiles& tiles, std::int64_t group, std::int64_t step,
                                const ReflectorsOf<Complex>& reflectors) {
  const std::int64_t rows = tiles.b + tiles.width, tile = tiles.tile(group, step);
  const auto v = dense_tile(tiles.n - 1, tiles, reflectors, group, step);
  auto product = support::reduction::identity<Complex>(rows);
  for (std::int64_t j = tiles.width - 1; j >= 0; --j)
    for (std::int64_t c = 0; c < rows; ++c) {
      const Complex* const v_j = v.data() + j * rows + j + 1;
      Complex* const x = product.data() + c * rows + j + 1;
      const std::int64_t length = std::min(tiles.b, rows - j - 1);
      Complex sum = 0;
      for (std::int64_t i = 0; i < length; ++i) sum += std::conj(v_j[i]) * x[i];
      sum *= reflectors.tau[static_cast<std::size_t>(tile * tiles.width + j)];
      for (std::int64_t i = 0; i < length; ++i) x[i] -= sum * v_j[i];
    }
  return product;
}

// Compares the real image of I - V T V^H, made of the images of V and T, with the image of the product, one reflector at a time.
//   max |(I - V T V^T) - image of H_0 ... H_{width-1}|
//   --------------------------------------------------
//                        width
template <class T>
void check_image(std::int64_t n) {
  using S = Complex;
  const ChaseTiles tiles = chase_tiles<T>(n, 32), images = chase_image(tiles);
  REQUIRE(images.tiles_from(0) == tiles.tiles_from(0));
  const ReflectorsOf<S> reflectors = random_reflectors<S>(n, tiles);
  const std::int64_t last = tiles.groups() - 1, size = chase_factor_size(images.width);
  CAPTURE(n, sizeof(T));
  Queue queue;
  DeviceBuffer<T> v(tiles.count()), tau(tiles.tau_count());
  DeviceBuffer<double> factors(tiles.tiles_from(0) * size), image(images.tiles_from(0) * images.tile_size());
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
  for (const auto& [group, step] : all_tiles(tiles)) {
    const std::int64_t tile = tiles.tile(group, step);
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
    const auto product = product_of(tiles, group, step, reflectors);
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

// Compares I + V Y of the planes with the product, one reflector at a time. Also checks that the planes are the right sums and
// differences.
//   max |(I + V Y) - H_0 ... H_{width-1}|
//   -------------------------------------
//                  width
void check_planes(std::int64_t n) {
  using namespace chase_planes;
  const ChaseTiles tiles = chase_tiles<Complex>(n, 32);
  const ReflectorsOf<Complex> reflectors = random_reflectors<Complex>(n, tiles);
  CAPTURE(n);
  Queue queue;
  DeviceBuffer<Complex> v(tiles.count()), tau(tiles.tau_count());
  DeviceBuffer<double> y_planes(tiles.tiles_from(0) * y_size), v_planes(tiles.tiles_from(0) * v_size);
  support::upload_as(reflectors.v, v);
  support::upload_as(reflectors.tau, tau);
  for (const auto* buffer : {&y_planes, &v_planes})
    EIGEN_G_CUDA(cudaMemset(buffer->data(), 0xff, buffer->bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  chase_to_planes(queue, tiles, {v.data(), tau.data()}, 0, tiles.groups() - 1, y_planes.data(),
                  v_planes.data());
  queue.wait();
  const std::vector<double> found_y = support::download_from(y_planes, y_planes.size()),
                            found_v = support::download_from(v_planes, v_planes.size());
  const std::int64_t rows = tiles.b + tiles.width, width = tiles.width;
  double worst = 0;
  bool right_planes = true;
  // Element (inner, outer) of a square, at its position for step and lane.
  const auto number = [&](const std::vector<double>& all, std::int64_t square, bool apart, std::int64_t inner,
                          std::int64_t outer) {
    const auto plane = [&](std::int64_t p) {
      return all[static_cast<std::size_t>((square * planes + p) * 64 + (outer * 4 + inner / 2) * 2 +
                                          inner % 2)];
    };
    const double of_re = apart ? 0 : plane(0);
    const Complex x(plane(0), plane(1) + of_re);
    right_planes = right_planes && std::abs(plane(1) + 2 * of_re + plane(2)) <= 1e-14;
    return x;
  };
  for (const auto& [group, step] : all_tiles(tiles)) {
    const std::int64_t tile = tiles.tile(group, step);
    auto whole = support::reduction::identity<Complex>(rows);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t j = 0; j < width; ++j) {
        const auto k = static_cast<int>(row / 8), of_j = static_cast<int>(j / 8);
        if (k < of_j || k > of_j + band_squares) continue;
        const Complex of_v = number(found_v, tile * v_squares + v_square(k, of_j), false, j % 8, row % 8);
        for (std::int64_t c = of_j * 8; c < rows; ++c)
          whole[static_cast<std::size_t>(row + c * rows)] +=
              of_v * number(found_y, tile * y_squares + y_square(of_j, static_cast<int>(c / 8)),
                            c / 8 == of_j, c % 8, j % 8);
      }
    const auto product = product_of(tiles, group, step, reflectors);
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const double difference = std::abs(whole[k] - product[k]);
      worst = std::max(worst, std::isfinite(difference) ? difference : 1e300);
    }
  }
  CAPTURE(worst);
  CHECK(right_planes);
  CHECK(worst / static_cast<double>(width) < support::limits::back_transform * support::ulp_of<double>);
}

}  // namespace

TEST_CASE("planes of a complex chase's tiles: I + V Y is the product", "[gpu][racecheck]") {
  NEEDS_GPU();
  for (const std::int64_t n : {2, 33, 34, 101}) check_planes(n);
}

TEST_CASE("parts of complex columns: split in the right order, and joined again", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 7, 8, 9, 24, 301}) {
    const std::int64_t m = 5, lda = n + 2;
    CAPTURE(n);
    std::vector<Complex> z(static_cast<std::size_t>(lda * m));
    for (std::size_t k = 0; k < z.size(); ++k)
      z[k] = {static_cast<double>(k) + .25, -static_cast<double>(k) - .5};
    std::vector<Complex> expected = z;
    for (std::int64_t j = 0; j < m; ++j)
      for (std::int64_t row = 0; row < n / 8 * 8; ++row) {
        auto* const eight = reinterpret_cast<double*>(expected.data() + j * lda + row / 8 * 8);
        eight[row % 8] = z[static_cast<std::size_t>(row + j * lda)].real();
        eight[8 + row % 8] = z[static_cast<std::size_t>(row + j * lda)].imag();
      }
    Queue queue;
    const DeviceBuffer<Complex> z_dev(lda * m);
    support::upload_as(z, z_dev);
    const MatrixView<Complex> view{z_dev.data(), n, m, lda};
    chase_split_parts(queue, view);
    queue.wait();
    CHECK(support::download_from(z_dev, z_dev.size()) == expected);
    chase_join_parts(queue, view);
    queue.wait();
    CHECK(support::download_from(z_dev, z_dev.size()) == z);
  }
}

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
