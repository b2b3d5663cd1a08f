// Runs the bulge chase on the CPU: up to eight positions at a time, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/reduction/two_stage/chase_position.cuh"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/chase.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

template <class T, int b, bool several>
void kernel(const chase::Chase<T>& c) {
  auto* const memory = DynamicShared<double>::memory();
  auto* const shared = reinterpret_cast<chase::Shared<T, b>*>(memory);
  chase::pass_sweeps<T, b, several>(c, *shared, reinterpret_cast<T*>(shared + 1));
}

struct Chased {
  std::vector<double> d, e;
  Reflectors reflectors;
};

// Each block has `per_block` positions, the head included.
template <int b>
Chased run(const std::vector<double>& a, std::int64_t n, int per_block, unsigned seed) {
  using S = chase::Shape<b>;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const ChaseTiles tiles = chase_tiles<double>(n, b);
  const std::int64_t positions = (n - 2 + b) / b + 1;
  const auto sized = [](std::int64_t count, double x) {
    return std::vector<double>(static_cast<std::size_t>(count), x);
  };
  Chased out{sized(n, nan), sized(n, nan), {sized(tiles.count(), 0), sized(tiles.tau_count(), 0)}};
  const std::vector<double> band = packed(a, n, b);
  std::vector<Packet<double>> mail(static_cast<std::size_t>((positions + 1) * 2 * S::mail), {nan, 0});
  std::vector<double> state = sized(positions * S::state, nan);
  const chase::Chase<double> c{band.data(),
                               b + 1,
                               n,
                               0,
                               n,
                               static_cast<int>(positions),
                               per_block,
                               out.d.data(),
                               out.e.data(),
                               tiles,
                               {out.reflectors.v.data(), out.reflectors.tau.data(), 0},
                               tiles.tiles_from(1),
                               mail.data(),
                               state.data()};
  const int blocks = static_cast<int>((positions + per_block - 1) / per_block);
  emulation::seed(seed);
  emulation::launch(per_block == 1 ? kernel<double, b, false> : kernel<double, b, true>,
                    emulation::InClusters{blocks, blocks}, S::threads,
                    static_cast<int>(sizeof(chase::Shared<double, b>) + S::shared_bytes), c);
  out.e.resize(static_cast<std::size_t>(n - 1));
  return out;
}

template <int b>
void check(const std::string& kind, std::int64_t n) {
  CAPTURE(kind, n, b);
  const std::vector<double> a = band_of(kind, n, b);
  const Chased found = run<b>(a, n, 1, 1);
  for (const int per_block : {1, 2}) {
    const Chased again = run<b>(a, n, per_block, 2);
    CHECK(again.d == found.d);
    CHECK(again.e == found.e);
    CHECK(again.reflectors.v == found.reflectors.v);
    CHECK(again.reflectors.tau == found.reflectors.tau);
  }
  support::reduction::Reduction r{found.d, found.e, support::reduction::identity<double>(n)};
  apply(chase_tiles<double>(n, b), found.reflectors, n, r.q);
  const auto [backward, orthogonality] = support::reduction::ratios(a, n, r);
  const double limit = n < 60 ? support::limits::reduction : support::limits::reduction_random;
  CHECK(backward < limit);
  CHECK(orthogonality < limit);
}

}  // namespace

TEST_CASE("chase_kernel: Q^T A Q = T for bands of 32 columns") {
  for (const std::int64_t n : {2, 3, 32, 33, 34, 65, 101}) check<32>("random", n);
  for (const char* kind : {"ones", "graded down", "tridiagonal", "blocks"}) check<32>(kind, 71);
}

TEST_CASE("chase_kernel: bands of 48, 64 and 128 columns") {
  check<48>("random", 120);
  check<64>("random", 150);
  check<64>("ones", 70);
  check<128>("random", 140);
}
