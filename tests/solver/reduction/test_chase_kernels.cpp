// Runs the bulge chase on the CPU: up to eight positions at a time, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/reduction/two_stage/chase_position.cuh"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/chase.hpp"

using namespace eigen_g;
using namespace support::chase;
using chase::Diagonal;

namespace {

// The type of the truth for the host's T.
template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;

// T: the device's type; a position's shared memory is a block's dynamic shared memory.
template <class T, int b, bool several, Diagonal place>
void kernel(const chase::Chase<T>& c) {
  auto* const shared = reinterpret_cast<chase::Shared<T, b>*>(DynamicShared<double>::memory());
  chase::pass_sweeps<T, b, several, place>(c, *shared, reinterpret_cast<T*>(shared + 1));
}

template <class S>
struct Chased {
  std::vector<double> d, e;
  ReflectorsOf<S> reflectors;
  bool operator==(const Chased& other) const {
    return d == other.d && e == other.e && reflectors.v == other.reflectors.v &&
           reflectors.tau == other.reflectors.tau;
  }
};

// Each block has `per_block` positions, the head included. The sweeps from `later` on are in a second launch.
template <class T, int b, Diagonal place>
Chased<Wide<T>> run(const std::vector<Wide<T>>& a, std::int64_t n, int per_block, std::int64_t later,
                    unsigned seed) {
  using S = Wide<T>;
  using D = device_t<T>;
  using Of = chase::Shape<b>;
  const auto poisoned = [](std::int64_t count, auto x) {
    return std::vector<decltype(x)>(static_cast<std::size_t>(count), x);
  };
  constexpr real_t<T> nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  std::vector<real_t<T>> d = poisoned(n, nan), e = poisoned(n, nan);
  std::vector<T> v = poisoned(tiles.count(), T(0)), tau = poisoned(tiles.tau_count(), T(0)), band;
  for (const S x : packed(a, n, b)) band.push_back(static_cast<T>(x));
  const auto positions_of = [&](std::int64_t sweep) { return (n - 2 - sweep + b) / b + 1; };
  std::vector<Packet<D>> mail(static_cast<std::size_t>((positions_of(0) + 1) * 2 * Of::mail), {D(nan), 0});
  std::vector<T> state = poisoned(positions_of(0) * Of::state, T(nan));
  emulation::seed(seed);
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t last = first < later ? std::min(later, n) : n, positions = positions_of(first);
    const chase::Chase<D> c{on_device(band.data()),
                            b + 1,
                            n,
                            first,
                            last,
                            static_cast<int>(positions),
                            per_block,
                            d.data(),
                            e.data(),
                            tiles,
                            {on_device(v.data()), on_device(tau.data()), 0},
                            tiles.tiles_from(first / tiles.width + 1),
                            mail.data(),
                            on_device(state.data())};
    const int blocks = static_cast<int>((positions + per_block - 1) / per_block);
    emulation::launch(per_block == 1 ? kernel<D, b, false, place> : kernel<D, b, true, place>,
                      emulation::InClusters{blocks, blocks}, Of::threads,
                      static_cast<int>(sizeof(chase::Shared<D, b>) + chase::shared_bytes<D, b>(place)), c);
    first = last;
  }
  return {{d.begin(), d.end()}, {e.begin(), e.end() - 1}, {{v.begin(), v.end()}, {tau.begin(), tau.end()}}};
}

template <class T, int b>
void check(const std::string& kind, std::int64_t n) {
  using S = Wide<T>;
  CAPTURE(kind, n, b);
  const std::vector<S> a = band_of<S>(kind, n, b);
  constexpr Diagonal usual = b > 96 ? Diagonal::in_shared : Diagonal::in_registers;
  const Chased<S> found = run<T, b, usual>(a, n, 1, 0, 1);
  CHECK(run<T, b, usual>(a, n, 1, n / 3, 2) == found);
  CHECK(run<T, b, usual>(a, n, 2, n / 2, 3) == found);
  if constexpr (b <= 64) CHECK(run<T, b, Diagonal::in_shared>(a, n, 1, n / 3, 4) == found);
  support::reduction::ReductionOf<S> r{found.d, found.e, support::reduction::identity<S>(n)};
  apply<S>(n, chase_tiles<T>(n, b), found.reflectors, n, r.q);
  const auto [backward, orthogonality] = support::reduction::ratios(a, n, r);
  CAPTURE(backward, orthogonality);
  const double limit = (n < 60 ? support::limits::reduction : support::limits::reduction_random) *
                       (std::numeric_limits<real_t<T>>::epsilon() / support::limits::ulp);
  CHECK(backward < limit);
  CHECK(orthogonality < limit);
}

}  // namespace

TEMPLATE_TEST_CASE("chase_kernel: Q^H A Q = T for bands of 32 columns", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t n : {2, 3, 32, 33, 34, 65, 101}) check<TestType, 32>("random", n);
  for (const char* kind : {"zero", "ones", "graded down", "tridiagonal", "blocks"})
    check<TestType, 32>(kind, 71);
}

TEST_CASE("chase_kernel: bands of 48, 64, 96 and 128 columns") {
  check<double, 48>("random", 120);
  check<double, 64>("random", 150);
  check<double, 64>("ones", 70);
  check<double, 96>("random", 110);
  check<double, 128>("random", 140);
  check<float, 64>("random", 150);
}
