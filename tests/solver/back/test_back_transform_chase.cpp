// Compares Z := Q2 Z on the CPU with one reflector at a time.
#include "solver/back/back_transform_chase.hpp"

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

template <class To, class From>
std::vector<To> converted(const std::vector<From>& x) {
  return {x.begin(), x.end()};
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

template <class S>
std::vector<S> columns(std::int64_t n, std::int64_t m) {
  const Matrix square = support::random_symmetric(std::max(n, m), 3),
               other = support::random_symmetric(std::max(n, m), 4);
  std::vector<S> z(square.begin(), square.begin() + n * m);
  if constexpr (is_complex<S>)
    for (std::size_t k = 0; k < z.size(); ++k) z[k].imag(other[k]);
  return z;
}

// Q2 Z for Z with leading dimension n + padding. The rows between two columns must not change.
template <class T>
std::vector<T> transformed(const ChaseTiles& tiles, const std::vector<T>& v, const std::vector<T>& tau,
                           const std::vector<T>& z, std::int64_t n, std::int64_t m, std::int64_t padding = 3,
                           const std::function<void(double)>& progress = {}) {
  const std::int64_t ldz = n + padding;
  std::vector<T> padded(static_cast<std::size_t>(ldz * m), T(std::numeric_limits<real_t<T>>::quiet_NaN()));
  for (std::int64_t j = 0; j < m; ++j) std::copy_n(z.begin() + j * n, n, padded.begin() + j * ldz);
  support::HostScratch scratch(back_transform_chase_bytes_on_cpu<T>(n, tiles.b, m));
  back_transform_chase_on_cpu<T>(tiles, {v.data(), tau.data(), 0}, {padded.data(), n, m, ldz}, scratch,
                                 progress);
  std::vector<T> found(z.size());
  std::int64_t wrong = 0;
  for (std::int64_t j = 0; j < m; ++j) {
    std::copy_n(padded.begin() + j * ldz, n, found.begin() + j * n);
    for (std::int64_t i = n; i < ldz; ++i)
      wrong += !std::isnan(std::real(padded[static_cast<std::size_t>(i + j * ldz)]));
  }
  CHECK(wrong == 0);
  return found;
}

//   max |z - Q2 z|
//   --------------
//    n ulp max |z|
template <class T>
void check(std::int64_t n, std::int64_t b, std::int64_t m) {
  using S = wide<T>;
  CAPTURE(n, b, m);
  const ChaseTiles tiles = chase_tiles<T>(n, b);
  const ReflectorsOf<S> reflectors = random_reflectors<S>(n, tiles);
  const std::vector<T> v = converted<T>(reflectors.v), tau = converted<T>(reflectors.tau),
                       z = converted<T>(columns<S>(n, m)), found = transformed<T>(tiles, v, tau, z, n, m);
  std::vector<S> expected = converted<S>(z);
  apply<S>(n, tiles, {converted<S>(v), converted<S>(tau)}, m, expected);
  double difference = 0, size = 1e-300;  // m may be 0
  bool numbers = true;
  for (std::size_t k = 0; k < z.size(); ++k) {
    difference = std::max(difference, std::abs(S(found[k]) - expected[k]));
    size = std::max(size, std::abs(expected[k]));
    numbers = numbers && std::isfinite(std::abs(found[k]));
  }
  const double ratio =
      difference / (static_cast<double>(n) * std::numeric_limits<real_t<T>>::epsilon() * size);
  CAPTURE(ratio);
  CHECK(numbers);
  CHECK(ratio < (n < 60 ? 10 : 1) * support::limits::back_transform);
}

}  // namespace

TEMPLATE_TEST_CASE("back by the chase's reflectors on the CPU: around every edge", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t b : chase_bandwidths)
    for (const std::int64_t n :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{18}, b - 1, b,
          b + 1, b + 2, 2 * b - 1, 2 * b, 2 * b + 1, 3 * b + 5, 5 * b + 2})
      check<TestType>(n, b, n / 2 + 1);
  for (const std::int64_t m : {0, 1, 7, 8, 9, 97}) check<TestType>(131, 32, m);
  check<TestType>(700, 48, 250);
}

// Several slabs, of several strips of sweeps.
TEST_CASE("back by the chase's reflectors on the CPU: several slabs") {
  check<double>(1500, 32, 5);
  check<std::complex<double>>(1000, 64, 5);
}

TEMPLATE_TEST_CASE(
    "back by the chase's reflectors on the CPU: a column has the same bits alone and by any number of "
    "threads",
    "", double, float, std::complex<double>, std::complex<float>) {
  using S = wide<TestType>;
  const std::int64_t n = 340, m = 131;
  const ChaseTiles tiles = chase_tiles<TestType>(n, 48);
  const ReflectorsOf<S> reflectors = random_reflectors<S>(n, tiles);
  const auto v = converted<TestType>(reflectors.v), tau = converted<TestType>(reflectors.tau),
             z = converted<TestType>(columns<S>(n, m));
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return transformed<TestType>(
        tiles, v, tau, std::vector<TestType>(z.begin() + first * n, z.begin() + (first + count) * n), n,
        count, 0);
  };
  const auto all = support::same_by_threads(
      {2, 3, 4, 8}, [&] { return part(0, m); }, [](const auto& x, const auto& y) { return same_bits(x, y); });
  const support::Threads limited(2);
  for (const std::int64_t j : {std::int64_t{0}, std::int64_t{77}, m - 1})
    CHECK(same_bits(part(j, 1), std::vector<TestType>(all.begin() + j * n, all.begin() + (j + 1) * n)));
}

TEST_CASE("back by the chase's reflectors on the CPU: progress rises, and its exception passes through") {
  const std::int64_t n = 1200, m = 3;
  const ChaseTiles tiles(n, 32);
  const Reflectors r = random_reflectors(tiles);
  const Matrix z = columns<double>(n, m);
  const support::Threads limited(2);
  std::vector<double> told;
  const Matrix found =
      transformed<double>(tiles, r.v, r.tau, z, n, m, 0, [&](double fraction) { told.push_back(fraction); });
  CHECK(told.size() >= 2);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK((told.front() > 0 && told.back() == 1));
  CHECK(same_bits(found, transformed<double>(tiles, r.v, r.tau, z, n, m, 0)));
  CHECK_THROWS_AS(
      transformed<double>(tiles, r.v, r.tau, z, n, m, 0, [](double) { throw std::runtime_error("enough"); }),
      std::runtime_error);
}
