#include "solver/verify/verify_generalised.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

constexpr std::int64_t n = 6;

template <class T>
std::vector<T> as(const std::vector<double>& from) {
  return {from.begin(), from.end()};
}

// The n x n matrix with these numbers on its diagonal.
std::vector<double> diagonal(const std::vector<double>& entries) {
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) a[i * (n + 1)] = entries[i];
  return a;
}

template <class T>
GeneralisedVerification check(int itype, const std::vector<double>& a, const std::vector<double>& b,
                              const std::vector<double>& w, const std::vector<double>& z) {
  return verify_generalised<T>(itype, Uplo::lower, n, as<T>(a).data(), n, as<T>(b).data(), n, n,
                               as<real_t<T>>(w).data(), as<T>(z).data(), n, DeviceChoice::cpu);
}

}  // namespace

TEMPLATE_TEST_CASE("wrong generalised pairs do not pass, however ill-conditioned B is", "", double, float,
                   std::complex<double>, std::complex<float>) {
  const std::vector<double> a = support::random_symmetric(n), w{-2, -1, 0, 1, 2, 3},
                            z = support::random_rectangle(n, n);
  for (const double least : {1.0, 1e-4, 1e-8, 1e-16, 1e-32})
    for (const int itype : {1, 2, 3}) {
      CAPTURE(least, itype);
      const GeneralisedVerification v = check<TestType>(itype, a, diagonal({1, 1, 1, 1, 1, least}), w, z);
      CHECK(v.bad_minor == 0);
      CHECK(v.residual > v.residual_limit);
      CHECK(v.orthogonality > v.orthogonality_limit);
      CHECK_FALSE(passed(v));
    }
}

TEST_CASE("true generalised pairs of an ill-conditioned B pass if the condition is finite") {
  const std::vector<double> a = diagonal({1, 2, 3, 4, 5, 6}), b = diagonal({1, 1, 1, 1, 1, 0x1p-100});
  GeneralisedVerification v =
      check<double>(1, a, b, {1, 2, 3, 4, 5, 0x6p100}, diagonal({1, 1, 1, 1, 1, 0x1p50}));
  CHECK(v.condition == 0x1p100);
  CHECK(passed(v));
  for (const double condition : {support::infinity, support::nan}) {
    v.condition = condition;
    CHECK_FALSE(passed(v));
  }
}

TEST_CASE("NaN and infinity in A or B do not pass") {
  const std::vector<double> whole = diagonal({1, 1, 1, 1, 1, 1}), w(n, 1.0);
  CHECK(passed(check<double>(1, whole, whole, w, whole)));
  for (const double bad : {support::nan, support::infinity, -support::infinity})
    for (const std::size_t place : {0, 2, 7, 35}) {
      CAPTURE(bad, place);
      std::vector<double> broken = whole;
      broken[place] = bad;
      for (const int itype : {1, 2, 3}) {
        CHECK_FALSE(passed(check<double>(itype, broken, whole, w, whole)));
        CHECK_FALSE(passed(check<double>(itype, whole, broken, w, whole)));
      }
    }
}
