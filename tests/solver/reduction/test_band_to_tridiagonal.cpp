// Tests Q2^H A Q2 = T for band matrices on the CPU, and T's eigenvalues against LAPACK's.
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/support/chase.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/team.hpp"

using namespace eigen_g;
using namespace support::chase;

namespace {

template <class T>
using wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <class T>
struct ChaseResult {
  std::vector<real_t<T>> d, e;
  std::vector<T> v, tau;
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}
template <class T>
bool same_bits(const ChaseResult<T>& x, const ChaseResult<T>& y) {
  return same_bits(x.d, y.d) && same_bits(x.e, y.e) && same_bits(x.v, y.v) && same_bits(x.tau, y.tau);
}

// Behind each array is a guard value.
constexpr float guard = 77;

template <class T>
ChaseResult<T> chase(const std::vector<wide<T>>& a, std::int64_t n, std::int64_t b, bool vectors,
                     const std::function<void(double)>& progress = {}) {
  using R = real_t<T>;
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  const std::vector<wide<T>> full = packed(a, n, b);
  std::vector<T> band(full.begin(), full.end());
  if constexpr (is_complex<T>)  // imaginary parts of the diagonal do not count
    for (std::int64_t j = 0; j < n; ++j) band[static_cast<std::size_t>(j * (b + 1))].imag(R(3));
  const std::vector<T> before = band;
  const R nan = std::numeric_limits<R>::quiet_NaN();
  const auto array = [](std::int64_t count, auto value) {
    std::vector<decltype(value)> x(static_cast<std::size_t>(count + 1), value);
    x.back() = decltype(value)(guard);
    return x;
  };
  ChaseResult<T> r{array(n, nan), array(n - 1, nan), array(vectors ? tiles.count() : 0, T(nan)),
                   array(vectors ? tiles.tau_count() : 0, T(nan))};
  support::HostScratch scratch(band_to_tridiagonal_bytes_on_cpu<T>(n, b));
  const ChaseReflectors<T> out =
      vectors ? ChaseReflectors<T>{r.v.data(), r.tau.data(), 0} : ChaseReflectors<T>{};
  band_to_tridiagonal_on_cpu<T>(b, {band.data(), b + 1, n, b + 1}, r.d.data(), r.e.data(), out, scratch,
                                progress);
  CHECK(same_bits(band, before));
  CHECK((r.d.back() == R(guard) && r.e.back() == R(guard) && r.v.back() == T(guard) &&
         r.tau.back() == T(guard)));
  r.d.pop_back();
  r.e.pop_back();
  r.v.pop_back();
  r.tau.pop_back();
  return r;
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& x) {
  return {x.begin(), x.end()};
}

template <class T>
void check(const std::string& kind, std::int64_t n, std::int64_t b) {
  using S = wide<T>;
  CAPTURE(kind, n, b);
  const std::vector<S> a = band_of<S>(kind, n, b);
  const ChaseResult<T> found = chase<T>(a, n, b, true), values = chase<T>(a, n, b, false);
  CHECK((same_bits(values.d, found.d) && same_bits(values.e, found.e)));
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  const ReflectorsOf<S> reflectors{converted<S>(found.v), converted<S>(found.tau)};
  support::reduction::ReductionOf<S> r{converted<double>(found.d), converted<double>(found.e),
                                       support::reduction::identity<S>(n)};
  apply<S>(n, tiles, reflectors, n, r.q);
  const auto [backward, orthogonality] = support::reduction::ratios(a, n, r);
  CAPTURE(backward, orthogonality);
  const double units = static_cast<double>(std::numeric_limits<real_t<T>>::epsilon()) / support::limits::ulp;
  const double limit = (n < 60 ? support::limits::reduction : support::limits::reduction_random) * units;
  CHECK(backward < limit);
  CHECK(orthogonality < limit);
  // The v array of a sweep has the reflectors one after the other, each with a 1 at first, and zeros elsewhere.
  std::int64_t wrong = 0;
  for (std::int64_t s = 0; s < tiles.sweeps(); ++s) {
    std::int64_t i = tiles.sweep_offset(s);
    for (std::int64_t step = 0; rows_of_reflector<S>(n, b, s, step) > 0; ++step) {
      wrong += found.v[static_cast<std::size_t>(i)] != T(1);
      i += rows_of_reflector<S>(n, b, s, step);
    }
    for (; i < tiles.sweep_offset(s + 1); ++i) wrong += found.v[static_cast<std::size_t>(i)] != T(0);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("band to tridiagonal on the CPU: around every edge", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t b : chase_bandwidths)
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, b - 1, b,
                                 b + 1, b + 2, 2 * b - 1, 2 * b, 2 * b + 1, 3 * b + 5, 5 * b + 2})
      check<TestType>("random", n, b);
  check<TestType>("random", 1000, 48);
}

// tiny, large: the driver scales these entries, because their squares vanish or overflow in float.
TEMPLATE_TEST_CASE("band to tridiagonal on the CPU: families", "", double, float, std::complex<double>,
                   std::complex<float>) {
  for (const std::int64_t b : {32, 48, 64})
    for (const std::string kind : support::reduction::families)
      if (std::is_same_v<real_t<TestType>, double> || (kind != "tiny" && kind != "large"))
        check<TestType>(kind, 3 * b + 7, b);
}

TEMPLATE_TEST_CASE("band to tridiagonal on the CPU: diagonal and tridiagonal matrices stay", "", double,
                   std::complex<float>) {
  const std::int64_t n = 150, b = 32;
  for (const std::string kind : {"zero", "identity", "tridiagonal"}) {
    if (is_complex<TestType> && kind == "tridiagonal") continue;  // phases make its subdiagonal real
    CAPTURE(kind);
    const auto a = band_of<wide<TestType>>(kind, n, b);
    const auto found = chase<TestType>(a, n, b, true);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      wrong += found.d[static_cast<std::size_t>(j)] !=
               static_cast<real_t<TestType>>(std::real(a[static_cast<std::size_t>(j * (n + 1))]));
      if (j + 1 < n)
        wrong += found.e[static_cast<std::size_t>(j)] !=
                 static_cast<real_t<TestType>>(std::real(a[static_cast<std::size_t>(j * (n + 1) + 1)]));
    }
    CHECK(wrong == 0);
    if (kind != "tridiagonal")
      CHECK(std::all_of(found.tau.begin(), found.tau.end(), [](TestType x) { return x == TestType(0); }));
  }
}

TEMPLATE_TEST_CASE("band to tridiagonal on the CPU: the same bits by any number of threads", "", double,
                   float, std::complex<double>, std::complex<float>) {
  for (const std::int64_t n : {323, 1000})
    for (const std::int64_t b : {32, 64}) {
      CAPTURE(n, b);
      const auto a = band_of<wide<TestType>>("random", n, b);
      support::same_by_threads(
          {2, 3, 4, 8, 2}, [&] { return chase<TestType>(a, n, b, true); },
          [](const auto& x, const auto& y) { return same_bits(x, y); });
    }
}

//   max |w_k(T) - w_k(A)|
//   ---------------------
//     n ulp max |w(A)|
TEST_CASE("band to tridiagonal on the CPU: eigenvalues are LAPACK's") {
  for (const std::int64_t b : {32, 48, 64}) {
    const std::int64_t n = 1000;
    CAPTURE(b);
    const Matrix a = band_of("random", n, b);
    Matrix band = packed(a, n, b);
    for (double& x : band)
      if (std::isnan(x)) x = 0;
    std::vector<double> w(static_cast<std::size_t>(n)), e(static_cast<std::size_t>(n));
    const auto order = static_cast<lapack_int>(n), width = static_cast<lapack_int>(b);
    double none = 0;
    REQUIRE(LAPACKE_dsbtrd(LAPACK_COL_MAJOR, 'N', 'L', order, width, band.data(), width + 1, w.data(),
                           e.data(), &none, 1) == 0);
    REQUIRE(LAPACKE_dsterf(order, w.data(), e.data()) == 0);
    ChaseResult<double> found = chase<double>(a, n, b, true);
    REQUIRE(LAPACKE_dsterf(order, found.d.data(), found.e.data()) == 0);
    double difference = 0;
    for (std::size_t k = 0; k < w.size(); ++k) difference = std::max(difference, std::abs(w[k] - found.d[k]));
    const double ratio = difference / (static_cast<double>(n) * support::limits::ulp *
                                       std::max(std::abs(w.front()), std::abs(w.back())));
    CAPTURE(ratio);
    CHECK(ratio < support::limits::eigenvalue);
  }
}

TEST_CASE("band to tridiagonal on the CPU: progress rises, and its exception passes through") {
  const std::int64_t n = 700, b = 32;
  const Matrix a = band_of("random", n, b);
  for (const int threads : {1, 2}) {
    const support::Threads limited(threads);
    std::vector<double> told;
    const auto found = chase<double>(a, n, b, true, [&](double fraction) { told.push_back(fraction); });
    REQUIRE(!told.empty());  // on a busy machine the other thread may do all sweeps
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK((told.front() > 0 && told.back() == 1));
    CHECK(same_bits(found, chase<double>(a, n, b, true)));
    int calls = 0;
    const auto thrown = [&](double) {
      ++calls;
      throw std::runtime_error("enough");
    };
    CHECK_THROWS_AS(chase<double>(a, n, b, false, thrown), std::runtime_error);
    CHECK(calls == 1);
  }
}
