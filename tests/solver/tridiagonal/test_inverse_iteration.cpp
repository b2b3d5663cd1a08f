// Tests of a few pairs on the CPU: vectors by inverse iteration if it is good enough, else by the divide and conquer.
#include "solver/tridiagonal/inverse_iteration.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "solver/tridiagonal/dc_tree.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;

namespace {

template <class R>
struct Pairs {
  std::vector<R> w, z;
  Selected found;
};

template <class R>
Pairs<R> pairs_of(const Tridiagonal& t, const Subset& subset, bool vectors = true) {
  const std::int64_t n = t.n(), most = subset.max_count(n);
  std::vector<R> d(t.d.begin(), t.d.end()), e(t.e.begin(), t.e.end());
  Pairs<R> r{
      {},
      std::vector<R>(static_cast<std::size_t>(vectors ? n * most : 0), std::numeric_limits<R>::quiet_NaN()),
      {}};
  support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<R>(n, vectors ? n : 0, most));
  const DivideAndConquerResult outcome = divide_and_conquer_on_cpu<R>(
      n, d.data(), e.data(), {vectors ? r.z.data() : nullptr, n, most, n}, scratch, {subset, 0});
  REQUIRE(outcome.status == Status::converged);
  r.found = outcome.found;
  r.w.assign(d.begin(), d.begin() + outcome.found.count);
  r.z.resize(static_cast<std::size_t>(vectors ? n * outcome.found.count : 0));
  return r;
}

template <class R>
bool same_bits(const std::vector<R>& x, const std::vector<R>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(R)) == 0);
}

// ||T z - w z||_1 / (n ulp ||T||_1) and ||Z^T Z - I||_1 / (n ulp), the largest of each.
template <class R>
void check_pairs(const Tridiagonal& t, const Pairs<R>& p) {
  const std::int64_t n = t.n(), m = p.found.count;
  double largest = 0, norm = 0;
  for (const double x : t.d) largest = std::max(largest, std::fabs(x));
  for (const double x : t.e) largest = std::max(largest, std::fabs(x));
  if (largest == 0) largest = 1;
  const auto scaled = [&](const std::vector<double>& x, std::int64_t i) {
    return i < 0 || i >= static_cast<std::int64_t>(x.size()) ? 0 : x[static_cast<std::size_t>(i)] / largest;
  };
  const auto z = [&](std::int64_t i, std::int64_t j) {
    return i < 0 || i >= n ? 0.0 : static_cast<double>(p.z[static_cast<std::size_t>(i + j * n)]);
  };
  for (std::int64_t i = 0; i < n; ++i)
    norm =
        std::max(norm, std::fabs(scaled(t.d, i)) + std::fabs(scaled(t.e, i)) + std::fabs(scaled(t.e, i - 1)));
  double worst_residual = 0, worst_orthogonality = 0;
  for (std::int64_t j = 0; j < m; ++j) {
    double residual = 0, orthogonality = 0;
    const double w = static_cast<double>(p.w[static_cast<std::size_t>(j)]) / largest;
    for (std::int64_t i = 0; i < n; ++i)
      residual += std::fabs((scaled(t.d, i) - w) * z(i, j) + scaled(t.e, i - 1) * z(i - 1, j) +
                            scaled(t.e, i) * z(i + 1, j));
    for (std::int64_t k = 0; k < m; ++k) {
      double sum = -(j == k);
      for (std::int64_t i = 0; i < n; ++i) sum += z(i, j) * z(i, k);
      orthogonality += std::fabs(sum);
    }
    if (!(residual <= worst_residual)) worst_residual = residual;
    if (!(orthogonality <= worst_orthogonality)) worst_orthogonality = orthogonality;
  }
  const double unit = static_cast<double>(n) * std::numeric_limits<R>::epsilon();
  CHECK(worst_residual / (unit * std::max(norm, 1e-300)) <= 1.5);
  CHECK(worst_orthogonality / unit <= 1.5);
}

// Returns true if the inverse iteration alone finds the pairs.
template <class R>
bool by_inverse_iteration(const Tridiagonal& t, std::int64_t first, std::int64_t last, int threads = 1,
                          std::vector<R>* vectors = nullptr) {
  const std::int64_t n = t.n(), m = last - first + 1;
  std::vector<R> d(t.d.begin(), t.d.end()), e(t.e.begin(), t.e.end()), torn = d;
  const dc::Division division = dc::divide(torn, e);
  for (R& x : d) x = std::ldexp(x, -division.exponent);
  std::vector<R> values = pairs_of<R>(t, Subset::by_index(first, last), false).w,
                 z(static_cast<std::size_t>(n * m));
  for (R& x : values) x = std::ldexp(x, -division.exponent);
  support::HostScratch scratch(inverse_iteration_bytes<R>(n, m));
  const bool good =
      inverse_iteration<R>(n, d.data(), e.data(), values.data(), {z.data(), n, m, n}, scratch, threads);
  if (vectors) *vectors = z;
  return good;
}

}  // namespace

TEMPLATE_TEST_CASE("few pairs: every kind of T, at both ends and inside", "", double, float) {
  using R = TestType;
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {64, 105, 300, 700}) {
      if (kind == "subnormal") continue;  // the rounding of a value exceeds n ulp
      if (std::is_same_v<R, float> && (kind == "near overflow" || kind == "graded up")) continue;
      CAPTURE(kind, n);
      const Tridiagonal given = support::tridiagonal(kind, n);
      Tridiagonal t = given;
      for (double& x : t.d) x = static_cast<double>(static_cast<R>(x));
      for (double& x : t.e) x = static_cast<double>(static_cast<R>(x));
      const Pairs<R> all = pairs_of<R>(t, Subset::by_index(1, n));
      const std::int64_t m = n / 8;
      for (const std::int64_t first : {std::int64_t{1}, n / 2, n - m + 1})
        for (const std::int64_t count : {std::int64_t{1}, n / 40 + 1, m}) {
          const Subset subset = Subset::by_index(first, first + count - 1);
          const Pairs<R> some = pairs_of<R>(t, subset);
          CAPTURE(first, count);
          REQUIRE(some.found.first == first - 1);
          CHECK(same_bits(some.w, {all.w.begin() + first - 1, all.w.begin() + first - 1 + count}));
          CHECK(same_bits(pairs_of<R>(t, subset, false).w, some.w));
          check_pairs(t, some);
        }
      const auto above = static_cast<double>(all.w[static_cast<std::size_t>(n / 3)]),
                 upto = static_cast<double>(all.w[static_cast<std::size_t>(n / 3 + n / 20)]);
      if (!(above < upto)) continue;
      const Pairs<R> between = pairs_of<R>(t, Subset::by_value(above, upto));
      const auto first = std::upper_bound(all.w.begin(), all.w.end(), static_cast<R>(above)) - all.w.begin(),
                 last = std::upper_bound(all.w.begin(), all.w.end(), static_cast<R>(upto)) - all.w.begin();
      REQUIRE(between.found.first == first);
      CHECK(same_bits(between.w, {all.w.begin() + first, all.w.begin() + last}));
      check_pairs(t, between);
    }
}

TEST_CASE(
    "few pairs: the inverse iteration finds separate values and small groups, and refuses large groups") {
  for (const std::int64_t n : {64, 200, 1000}) {
    CAPTURE(n);
    for (const char* kind : {"reduced random", "1-2-1", "wilkinson", "clement", "legendre"}) {
      CAPTURE(kind);
      const Tridiagonal t = support::tridiagonal(kind, n);
      CHECK(by_inverse_iteration<double>(t, 1, n / 8));
      CHECK(by_inverse_iteration<double>(t, n - n / 8 + 1, n));
    }
    for (const char* kind : {"identity", "constant", "tiny couplings"}) {
      CAPTURE(kind);
      CHECK_FALSE(by_inverse_iteration<double>(support::tridiagonal(kind, n), n - n / 8 - 1, n));
    }
  }
}

TEST_CASE("few pairs: the bits do not depend on the number of threads") {
  for (const char* kind : {"reduced random", "wilkinson", "hermite"}) {
    const Tridiagonal t = support::tridiagonal(kind, 1000);
    std::vector<double> one, several;
    REQUIRE(by_inverse_iteration<double>(t, 1, 125, 1, &one));
    for (const int threads : {2, 3, 5, 8}) {
      REQUIRE(by_inverse_iteration<double>(t, 1, 125, threads, &several));
      CHECK(same_bits(one, several));
    }
  }
}

TEST_CASE("few pairs: NaN in the vectors is not accepted") {
  constexpr std::int64_t n = 100;
  const std::vector<double> d(n, 0.5), e(n - 1, 0.25), values{support::nan};
  std::vector<double> z(n);
  support::HostScratch scratch(inverse_iteration_bytes<double>(n, 1));
  CHECK_FALSE(
      inverse_iteration<double>(n, d.data(), e.data(), values.data(), {z.data(), n, 1, n}, scratch, 1));
}
