// Tests of the phases of the divide and conquer in float on the CPU: every kind of T, at scales near the ends of float's range.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solver/tridiagonal/dc_host.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tridiagonal.hpp"

namespace {

using eigen_g::DivideAndConquerResult;
using eigen_g::Status;

constexpr double double_in_float =
    std::numeric_limits<float>::epsilon() / std::numeric_limits<double>::epsilon();

struct InFloat {
  std::vector<float> d, e;
};
// scale (unit t), rounded to float. unit t is computed first and may bring entries into the range of float.
InFloat in_float(const support::Tridiagonal& t, double unit, double scale) {
  InFloat f;
  for (const double x : t.d) f.d.push_back(static_cast<float>(scale * (unit * x)));
  for (const double x : t.e) f.e.push_back(static_cast<float>(scale * (unit * x)));
  return f;
}
support::Tridiagonal in_double(const InFloat& f) {
  return {{f.d.begin(), f.d.end()}, {f.e.begin(), f.e.end()}};
}

// The factor that makes the largest entry 1, for kinds of T that exceed the range of float.
double to_one(const support::Tridiagonal& t) {
  double largest = 0;
  for (const double x : t.d) largest = std::max(largest, std::fabs(x));
  for (const double x : t.e) largest = std::max(largest, std::fabs(x));
  return largest > 0 ? 1 / largest : 1;
}

}  // namespace

TEST_CASE("float: every kind of T, with vectors and without") {
  for (const std::string& kind : support::tridiagonal_kinds) {
    if (kind == "subnormal") continue;  // subnormal in double; a scale below makes subnormal floats
    for (const std::int64_t n : {1, 2, 9, 30, 65, 300})
      for (const double scale : {1.0, 0x1p126, 0x1p-100}) {
        CAPTURE(kind, n, scale);
        const support::Tridiagonal t = support::tridiagonal(kind, n);
        const InFloat f = in_float(t, to_one(t), scale);
        std::vector<float> w = f.d, z(static_cast<std::size_t>(n * n), std::nanf("")), values = f.d;
        const DivideAndConquerResult with =
            eigen_g::dc::divide_and_conquer_on_host(n, w.data(), f.e.data(), {z.data(), n, n, n}, {}, 100);
        const DivideAndConquerResult without =
            eigen_g::dc::divide_and_conquer_on_host<float>(n, values.data(), f.e.data(), {});
        REQUIRE(with.status == Status::converged);
        REQUIRE(without.status == Status::converged);
        const support::TridiagonalRatios r =
            support::ratios(in_double(f), {w.begin(), w.end()}, {z.begin(), z.end()}, n);
        CHECK(r.ascending);
        // the limits of double: 3 times the measured ratios, at most lapack_ratio
        CHECK(r.residual / double_in_float <= (n < 64 ? 10 : 1.5));
        CHECK(r.orthogonality / double_in_float <= (n < 64 ? 10 : 1.5));
        CHECK(support::value_distance(in_double(f), {values.begin(), values.end()}, {w.begin(), w.end()}) /
                  double_in_float <=
              support::limits::values_only);
      }
  }
}

TEST_CASE("float: a subset has the values and vectors of the whole") {
  constexpr std::int64_t n = 150;
  const InFloat f = in_float(support::random_tridiagonal(n), 1, 1);
  std::vector<float> all = f.d, some = f.d, z(n * n), part(n * n);
  REQUIRE(eigen_g::dc::divide_and_conquer_on_host(n, all.data(), f.e.data(), {z.data(), n, n, n}).status ==
          Status::converged);
  const DivideAndConquerResult outcome = eigen_g::dc::divide_and_conquer_on_host(
      n, some.data(), f.e.data(), {part.data(), n, n, n}, {eigen_g::Subset::by_index(11, 40), 0}, 32);
  REQUIRE(outcome.found.count == 30);
  CHECK(std::equal(some.begin(), some.begin() + 30, all.begin() + 10));
  float apart = 0;  // products of other widths have other orders of summation
  for (std::size_t i = 0; i < 30 * n; ++i) apart = std::max(apart, std::fabs(part[i] - z[i + 10 * n]));
  CHECK(apart <= 16 * std::numeric_limits<float>::epsilon());
}
