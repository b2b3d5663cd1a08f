// Tests Q^H A Q = B by a team of threads on the CPU. Q is formed from the reflectors one by one.
#include "solver/reduction/two_stage/full_to_band_on_threads.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "hybrid/parts.hpp"
#include "tests/support/apply_reflector.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/team.hpp"

using namespace eigen_g;
using namespace support::reduction;
namespace limits = support::limits;

namespace {

constexpr double guard = 7.25e17;
constexpr std::int64_t spare_rows = 2;  // the band's array has more rows than the band

template <class T>
struct Banded {
  std::vector<T> a, band, tau;
  bool operator==(const Banded&) const = default;
};

// The part of a family's matrix that is read is as T; all else is a guard value, with `padding` rows below A.
template <class T>
Banded<T> reduced(const std::string& kind, std::int64_t n, std::int64_t b, std::int64_t padding = 0,
                  const std::function<void(double)>& progress = {}) {
  using S = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const T untouched(static_cast<real_t<T>>(guard));
  const std::int64_t lda = n + padding, ldb = b + 1 + spare_rows;
  const std::vector<S> dense = family_of<S>(kind, n);
  Banded<T> r{std::vector<T>(static_cast<std::size_t>(n * lda), untouched),
              std::vector<T>(static_cast<std::size_t>(n * ldb), untouched),
              std::vector<T>(static_cast<std::size_t>(n + 1), untouched)};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i)
      r.a[static_cast<std::size_t>(i + j * lda)] = static_cast<T>(dense[static_cast<std::size_t>(i + j * n)]);
  support::HostScratch scratch(full_to_band_bytes_on_threads<T>(n, b));
  full_to_band_on_threads<T>(b, {r.a.data(), n, n, lda}, {r.band.data(), b + 1, n, ldb}, r.tau.data(),
                             scratch, progress);
  return r;
}

// Checks A = Q B Q^H and Q^H Q = I in double, and that nothing else is written.
template <class T>
void check(const std::string& kind, std::int64_t n, std::int64_t b, std::int64_t padding = 0) {
  using S = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  CAPTURE(kind, n, b, padding);
  const Banded<T> r = reduced<T>(kind, n, b, padding);
  const std::int64_t lda = n + padding, ldb = b + 1 + spare_rows;
  const T untouched(static_cast<real_t<T>>(guard));
  std::int64_t wrong = r.tau[static_cast<std::size_t>(n)] != untouched;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < lda; ++i)
      wrong += (i < j || i >= n) && r.a[static_cast<std::size_t>(i + j * lda)] != untouched;
    for (std::int64_t i = 0; i < ldb; ++i)
      wrong += (i > b || i + j >= n) && r.band[static_cast<std::size_t>(i + j * ldb)] != untouched;
    wrong += std::imag(r.band[static_cast<std::size_t>(j * ldb)]) != 0;
    wrong += j + b + 1 >= n && r.tau[static_cast<std::size_t>(j)] != T(0);
  }
  CHECK(wrong == 0);

  const std::vector<S> a = family_of<S>(kind, n);
  std::vector<S> q = identity<S>(n), full(static_cast<std::size_t>(n * n), S(0)), qb = full, symmetric = a;
  std::vector<S> work;
  for (std::int64_t j = n - b - 2; j >= 0; --j) {  // Q := H_j Q
    std::vector<S> v(static_cast<std::size_t>(n), S(0));
    v[static_cast<std::size_t>(j + b)] = 1;
    for (std::int64_t i = j + b + 1; i < n; ++i)
      v[static_cast<std::size_t>(i)] = static_cast<S>(r.a[static_cast<std::size_t>(i + j * lda)]);
    const S tau = static_cast<S>(r.tau[static_cast<std::size_t>(j)]);
    const std::int64_t first = j + b;
    support::apply_reflector(n - first, v.data() + first, tau, n - first, q.data() + first * (n + 1), n,
                             work);
  }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i + j * n), across = static_cast<std::size_t>(j + i * n);
      if (i <= j + b) full[at] = static_cast<S>(r.band[static_cast<std::size_t>(i - j + j * ldb)]);
      if (i != j) full[across] = conjugate(full[at]);
      symmetric[across] = i == j ? a[at] : conjugate(a[at]);  // graded families are symmetric up to rounding
    }
  multiply(false, false, n, 1, q, full, 0, qb);
  const Ratios found = ratios_of_product(symmetric, n, qb, q);
  const double units = double(std::numeric_limits<real_t<T>>::epsilon()) / 0x1p-52;
  CAPTURE(found.backward, found.orthogonality);
  CHECK(found.backward < limits::reduction * units);
  CHECK(found.orthogonality < limits::reduction * units);
  if (kind == "random" && n >= 100) {
    CHECK(found.backward < limits::reduction_random * units);
    CHECK(found.orthogonality < limits::reduction_random * units);
  }
}

// Families whose numbers are not in the range of T squared, or that scale() would change.
template <class T>
bool fits(const std::string& kind) {
  return std::is_same_v<real_t<T>, double> || (kind != "tiny" && kind != "large");
}

}  // namespace

TEMPLATE_TEST_CASE("full_to_band on threads: orders around b, tiles and panels", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t b : {8, 13, 32, 48, 64}) {
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, b - 1, b, b + 1, b + 2, b + 3, 2 * b - 1,
                                 2 * b, 2 * b + 1, 2 * b + 2, 2 * b + 3, 3 * b + 1, 3 * b + 5})
      check<TestType>("random", n, b, n % 4);
    for (const std::int64_t n : {95, 96, 97, 127, 128, 129, 200}) check<TestType>("random", n, b, n % 3);
  }
  for (const std::int64_t b : {1, 3}) check<TestType>("random", 57, b);
  check<TestType>("random", 701, 48, 3);
}

TEMPLATE_TEST_CASE("full_to_band on threads: families", "", double, float, std::complex<double>,
                   std::complex<float>) {
  for (const char* kind : families)
    if (fits<TestType>(kind))
      for (const std::int64_t b : {32, 48, 64}) {
        check<TestType>(kind, 3 * b + 7, b);
        check<TestType>(kind, 420, b);
      }
}

// Rounding errors are nearly equal in all rows of such a matrix. Reflectors made from them would cost Q its orthogonality.
TEMPLATE_TEST_CASE("full_to_band on threads: equal entries need at most two reflectors", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t n : {200, 500, 1000})
    for (const std::int64_t b : {32, 48, 64}) {
      const Banded<TestType> r = reduced<TestType>("ones", n, b);
      CAPTURE(n, b);
      CHECK(std::count_if(r.tau.begin(), r.tau.end() - 1, [](TestType x) { return x != TestType(0); }) <= 2);
    }
}

TEMPLATE_TEST_CASE("full_to_band on threads: the same bits with any number of threads", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t n : {100, 250, 320, 701, 1510}) {
    if (n > 500 && !std::is_same_v<TestType, double>) continue;
    const auto compute = [&] { return reduced<TestType>("random", n, n == 320 ? 32 : 48); };
    CAPTURE(n);
    support::check_in_region(compute, n > 1000 ? support::same_by_threads({2, 3}, compute)
                                               : support::same_by_threads({2, 3, 5, 8}, compute));
  }
}

TEST_CASE("full_to_band on threads: progress grows, and an exception ends the reduction") {
  support::check_progress(
      [](const auto& progress) { return reduced<double>("random", 400, 32, 0, progress); });
}
