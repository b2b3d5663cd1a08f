// Compares Z := Q2 Z on a GPU, by the kernel and by products, with one reflector at a time.
#include "solver/back/back_transform_chase.hpp"

#include <optional>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/back_transform_chase_fused.hpp"
#include "solver/devices/solve_team.hpp"
#include "tests/support/chase.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scratch.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

// n x m with leading dimension lda; the rows after n must remain NaN.
template <class T = double, class S = support::wide_t<T>>
std::vector<S> on_gpu(const ChaseTiles& tiles, const ReflectorsOf<S>& reflectors, const std::vector<S>& z,
                      std::int64_t m, std::int64_t lda, ChaseBack how, const std::vector<double>& parts = {},
                      const Partition* partition = nullptr) {
  Queue queue = partition ? Queue(*partition) : Queue();
  std::optional<SolveTeam<real_t<T>>> team;
  if (!parts.empty()) team.emplace(queue, ShareRule(Ratio{parts}), Helpers{{1}, true, 0});
  SolveTeam<T>* gpus = nullptr;
  if constexpr (!is_complex<T>) gpus = team ? &*team : nullptr;
  const std::int64_t n = tiles.n - is_complex<T>;
  std::vector<S> padded(static_cast<std::size_t>(lda * m), S(std::nan("")));
  for (std::int64_t j = 0; j < m; ++j) std::copy_n(z.begin() + j * n, n, padded.begin() + j * lda);
  DeviceBuffer<T> v(tiles.count()), tau(tiles.tau_count()), z_dev(lda * m);
  support::upload_as(reflectors.v, v);
  support::upload_as(reflectors.tau, tau);
  support::upload_as(padded, z_dev);
  const support::DeviceScratch scratch(back_transform_chase_bytes<T>(n, tiles.b, m, !parts.empty()), 256);
  back_transform_chase<T>(queue, tiles, {v.data(), tau.data()}, {z_dev.data(), n, m, lda}, scratch, how,
                          gpus);
  queue.wait();
  CHECK(scratch.touched() == 0);
  padded = support::download_from(z_dev, lda * m);
  std::vector<S> found(z.size());
  for (std::int64_t j = 0; j < m; ++j) {
    std::copy_n(padded.begin() + j * lda, n, found.begin() + j * n);
    CHECK(std::all_of(padded.begin() + j * lda + n, padded.begin() + (j + 1) * lda,
                      [](S x) { return std::isnan(std::abs(x)); }));
  }
  return found;
}

template <class S = double>
std::vector<S> columns(std::int64_t n, std::int64_t m) {
  const Matrix square = support::random_symmetric(std::max(n, m), 3),
               other = support::random_symmetric(std::max(n, m), 4);
  std::vector<S> z(square.begin(), square.begin() + n * m);
  if constexpr (is_complex<S>)
    for (std::size_t k = 0; k < z.size(); ++k) z[k].imag(other[k]);
  return z;
}

//   max |z - Q2 z|
//   --------------
//    n ulp max |z|
template <class T = double>
void check(std::int64_t n, std::int64_t b, std::int64_t m, std::int64_t lda, ChaseBack how) {
  CAPTURE(n, b, m, lda, static_cast<int>(how));
  using S = support::wide_t<T>;
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  const ReflectorsOf<S> reflectors = random_reflectors<S>(n, tiles);
  const std::vector<S> z = columns<S>(n, m), found = on_gpu<T>(tiles, reflectors, z, m, lda, how);
  std::vector<S> expected = z;
  apply<S>(n, tiles, reflectors, m, expected);
  double difference = 0, size = 0;
  bool numbers = true;
  for (std::size_t k = 0; k < z.size(); ++k) {
    difference = std::max(difference, std::abs(found[k] - expected[k]));
    size = std::max(size, std::abs(expected[k]));
    numbers = numbers && std::isfinite(std::abs(found[k]));
  }
  const double ratio = difference / (static_cast<double>(n) * support::ulp_of<T> * size);
  CAPTURE(ratio);
  CHECK(numbers);
  CHECK(ratio < (n < 60 ? 10 : 1) * support::limits::back_transform);
}

bool fused_serves() {
  return back_transform_chase_fused_serves<double>(ChaseTiles(100, 64), {nullptr, 100, 1, 100});
}

std::int64_t even(std::int64_t n) {
  return n + n % 2;
}

}  // namespace

TEST_CASE("back by the chase's reflectors: products, around every edge", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : chase_bandwidths)
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{3}, b + 1, 2 * b + 3, 3 * b + 5, 5 * b + 2})
      check(n, b, n / 2 + 1, n + n % 3, ChaseBack::products);
}

TEST_CASE("back by the chase's reflectors: the kernel, around every edge", "[gpu]") {
  NEEDS_GPU();
  if (!fused_serves()) SKIP_TEST("no tensor core steps of 16 x 8 x 8");
  for (const std::int64_t b : {32, 48, 64}) {
    for (const std::int64_t n : {std::int64_t{3}, std::int64_t{4}, b - 1, b, b + 1, b + 2, b + 3, 2 * b + 1,
                                 2 * b + 2, 2 * b + 3, 3 * b + 5, 5 * b + 2})
      check(n, b, n / 2 + 1, even(n), ChaseBack::fused);
    for (const std::int64_t m : {1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 200, 300})
      check(3 * b + 7, b, m, even(3 * b + 7) + 2, ChaseBack::fused);
  }
}

TEST_CASE("back by the chase's reflectors: by an engine, around every edge", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 64, 128})
    for (const std::int64_t n : {std::int64_t{3}, b + 1, 2 * b + 3, 5 * b + 2})
      check(n, b, n / 2 + 1, n + n % 3, ChaseBack::engine);
  // Blocks of two, three and four groups, with parts of blocks at each side.
  for (const auto& [n, b] : {std::pair<std::int64_t, std::int64_t>{900, 32},
                             {1003, 48},
                             {1701, 32},
                             {2100, 32},
                             {1300, 96},
                             {1201, 128},
                             {3111, 64}})
    check(n, b, 9, n + 1, ChaseBack::engine);
  check<float>(700, 64, 9, 700, ChaseBack::engine);
}

// A small workspace divides the groups, blocks and columns in another way.
TEST_CASE("back by the chase's reflectors: by an engine with little memory", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 1100, m = 150;
  const ChaseTiles tiles(n, 32);
  const Reflectors reflectors = random_reflectors(tiles);
  const Matrix z = columns(n, m), truth = on_gpu(tiles, reflectors, z, m, n, ChaseBack::products);
  const std::uint64_t whole = back_transform_chase_bytes<double>(n, 32, m);
  for (const std::uint64_t slab : {std::uint64_t{0}, whole / 3, 3 * whole}) {
    const Queue queue;
    DeviceBuffer<double> v(tiles.count()), tau(tiles.tau_count()), z_dev(n * m);
    support::upload_as(reflectors.v, v);
    support::upload_as(reflectors.tau, tau);
    support::upload_as(z, z_dev);
    const std::uint64_t bytes =
        slab > whole ? slab
                     : back_transform_chase_bytes<double>(n, 32, m, false, static_cast<std::int64_t>(slab));
    const support::DeviceScratch scratch(bytes, 256);
    back_transform_chase<double>(queue, tiles, {v.data(), tau.data()}, {z_dev.data(), n, m, n}, scratch,
                                 ChaseBack::engine);
    queue.wait();
    CHECK(scratch.touched() == 0);
    const Matrix found = support::download_from(z_dev, n * m);
    double difference = 0;
    for (std::size_t k = 0; k < z.size(); ++k)
      difference = std::max(difference, std::abs(found[k] - truth[k]));
    CAPTURE(slab);
    CHECK(difference < 1e-12);
  }
}

TEST_CASE("back by the chase's reflectors: few columns", "[gpu][racecheck]") {
  NEEDS_GPU();
  check(150, 32, 20, 150, ChaseBack::products);
  if (fused_serves()) check(330, 64, 20, 330, ChaseBack::fused);
  if (fused_serves()) check<float>(330, 64, 20, 330, ChaseBack::fused);
  check<std::complex<double>>(75, 32, 20, 75, ChaseBack::automatic);
}

TEST_CASE("back by the chase's reflectors: bits repeat, and do not depend on the other columns", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 900, m = 400, few = 30;
  const ChaseTiles tiles(n, 64);
  const Reflectors reflectors = random_reflectors(tiles);
  const Matrix z = columns(n, m), found = on_gpu(tiles, reflectors, z, m, n, ChaseBack::automatic);
  CHECK(on_gpu(tiles, reflectors, z, m, n, ChaseBack::automatic) == found);
  if (!fused_serves()) return;
  const Matrix some = on_gpu(tiles, reflectors, {z.begin(), z.begin() + n * few}, few, n, ChaseBack::fused);
  CHECK(std::equal(some.begin(), some.end(), found.begin()));
}

// With few multiprocessors, as with many columns, a block reports only every second window to its neighbour.
TEST_CASE("back-transformation of the chase: the same bits on a part of the GPU", "[gpu][racecheck]") {
  NEEDS_GPU();
  if (!fused_serves()) SKIP_TEST("no tensor core steps of 16 x 8 x 8");
  std::optional<Partition> part;
  try {
    part.emplace(8);
  } catch (const DeviceError&) {
    SKIP_TEST("no partitions");
  }
  const auto same = [&]<class T>(T) {
    using S = support::wide_t<T>;
    const std::int64_t b = is_complex<T> ? 32 : 64;
    for (const std::int64_t n : support::sizes({330, 903}, {330})) {
      const ChaseTiles tiles = chase_tiles<T>(n, b);
      const auto reflectors = random_reflectors<S>(n, tiles);
      for (const std::int64_t m : {1, 20, 300}) {
        const auto z = columns<S>(n, m);
        CHECK(on_gpu<T>(tiles, reflectors, z, m, n + n % 2, ChaseBack::automatic, {}, &*part) ==
              on_gpu<T>(tiles, reflectors, z, m, n + n % 2, ChaseBack::automatic));
      }
    }
  };
  same(double());
  same(float());
  same(std::complex<double>());
}

TEST_CASE("back-transformation of the chase: many columns, which report every second window", "[gpu]") {
  NEEDS_GPU();
  if (!fused_serves()) SKIP_TEST("no tensor core steps of 16 x 8 x 8");
  const std::int64_t n = 500, m = 3000;
  const ChaseTiles tiles(n, 64);
  const Reflectors reflectors = random_reflectors(tiles);
  const Matrix z = columns(n, m), found = on_gpu(tiles, reflectors, z, m, n, ChaseBack::fused);
  CHECK(on_gpu(tiles, reflectors, z, m, n, ChaseBack::fused) == found);
  const Matrix truth = on_gpu(tiles, reflectors, z, m, n, ChaseBack::products);
  double difference = 0;
  for (std::size_t k = 0; k < z.size(); ++k) difference = std::max(difference, std::abs(found[k] - truth[k]));
  CHECK(difference < 1e-12);
}

TEST_CASE("back by the chase's reflectors in float: both ways, around every edge", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t b : {32, 64, 128})
    for (const std::int64_t n : {std::int64_t{3}, b + 1, 3 * b + 5})
      check<float>(n, b, n / 2 + 1, n + n % 3, ChaseBack::products);
  if (!fused_serves()) SKIP_TEST("no tensor core steps of 16 x 8 x 8");
  const std::int64_t b = 64;
  for (const std::int64_t n : {std::int64_t{3}, std::int64_t{4}, b - 1, b, b + 1, b + 2, b + 3, 2 * b + 1,
                               2 * b + 2, 2 * b + 3, 3 * b + 5, 5 * b + 2})
    check<float>(n, b, n / 2 + 1, even(n), ChaseBack::fused);
  for (const std::int64_t m : {1, 7, 8, 9, 16, 17, 24, 25, 31, 32, 33, 255, 256, 257, 300})
    check<float>(3 * b + 7, b, m, even(3 * b + 7) + 2, ChaseBack::fused);
}

TEMPLATE_TEST_CASE("back by a complex chase's reflectors: both ways, around every edge", "[gpu]",
                   std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  const std::int64_t b = 32;
  for (const std::int64_t n : {1, 2, 3, 31, 32, 33, 34, 35, 63, 64, 65, 66, 67, 97, 101, 162, 400})
    for (const ChaseBack how : {ChaseBack::automatic, ChaseBack::products, ChaseBack::engine})
      check<TestType>(n, b, n / 2 + 1, n + n % 3, how);
  for (const std::int64_t m : {1, 7, 16, 17, 127, 128, 129, 300})
    check<TestType>(3 * b + 7, b, m, 3 * b + 7, ChaseBack::automatic);
  const ChaseTiles tiles = chase_tiles<TestType>(900, b);
  const auto reflectors = random_reflectors<std::complex<double>>(900, tiles);
  const auto z = columns<std::complex<double>>(900, 200);
  const auto found = on_gpu<TestType>(tiles, reflectors, z, 200, 900, ChaseBack::automatic);
  CHECK(on_gpu<TestType>(tiles, reflectors, z, 200, 900, ChaseBack::automatic) == found);
}

TEST_CASE("back-transformation of the chase: columns over two GPUs, the same bits for any cut", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("fewer than two GPUs");
  const std::int64_t n = 900, m = 400;
  const ChaseTiles tiles(n, 64);
  const Reflectors reflectors = random_reflectors(tiles);
  const Matrix z = columns(n, m), alone = on_gpu(tiles, reflectors, z, m, n, ChaseBack::automatic);
  const std::vector<std::vector<double>> shares{{1, 1, 0}, {5, 1, 0}, {0, 1, 0}, {1, 2, 4}, {1, 0, 1}};
  for (const auto& parts : shares) {  // the CPU takes none
    CAPTURE(parts);
    CHECK(on_gpu(tiles, reflectors, z, m, n, ChaseBack::automatic, parts) == alone);
  }
}

//   |z - Q2 z|_F / |z|_F
TEST_CASE("back by the chase's reflectors in float: the kernel is no worse than products", "[gpu]") {
  NEEDS_GPU();
  if (!fused_serves()) SKIP_TEST("no tensor core steps of 16 x 8 x 8");
  const std::int64_t n = 2000, m = 300;
  const ChaseTiles tiles(n, 64);
  Reflectors reflectors = random_reflectors(tiles);
  Matrix z = columns(n, m);
  for (Matrix* numbers : {&reflectors.v, &reflectors.tau, &z})
    for (double& x : *numbers) x = static_cast<float>(x);
  const Matrix truth = on_gpu(tiles, reflectors, z, m, n, ChaseBack::products);
  const auto error = [&](ChaseBack how) {
    const Matrix found = on_gpu<float>(tiles, reflectors, z, m, n, how);
    CHECK(on_gpu<float>(tiles, reflectors, z, m, n, how) == found);
    double difference = 0, size = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
      difference += (found[k] - truth[k]) * (found[k] - truth[k]);
      size += truth[k] * truth[k];
    }
    return std::sqrt(difference / size);
  };
  const double by_kernel = error(ChaseBack::fused), by_products = error(ChaseBack::products);
  CAPTURE(by_kernel, by_products);
  CHECK(by_kernel < by_products);
}
