// Tests of the CPU's divide and conquer: the same bits for any number of threads, with and without vectors, for a subset and for a range
// of rows. It is compared with the host executor of the GPU's phases. The values of badly scaled matrices are compared with bisection in long double.
#include "solver/tridiagonal/dc_on_threads.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "apps/generate/sturm.hpp"
#include "solver/tridiagonal/dc_host.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;

namespace {

const std::vector<std::string> hard_kinds = {
    "exponents",    "zero diagonal", "graded down", "graded up",     "tiny shifts",
    "tiny squares", "square roots",  "both tiny",   "one far below", "all exponents, no diagonal"};

// A random T whose entries have exponents over the range of R.
template <class R>
Tridiagonal hard(const std::string& kind, std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto sign = [&] { return uniform() < 0.5 ? -1.0 : 1.0; };
  constexpr double digits = std::is_same_v<R, double> ? 300 : 36;
  const auto power = [&](double from, double to) {
    return std::pow(10, -digits * (from + (to - from) * uniform()));
  };
  Tridiagonal t{std::vector<double>(static_cast<std::size_t>(n)),
                std::vector<double>(static_cast<std::size_t>(n - 1))};
  const auto fill = [&](auto diagonal, auto off_diagonal) {
    for (std::size_t i = 0; i < t.d.size(); ++i) t.d[i] = static_cast<R>(diagonal(static_cast<double>(i)));
    for (std::size_t i = 0; i < t.e.size(); ++i)
      t.e[i] = static_cast<R>(off_diagonal(static_cast<double>(i) + 0.5));
  };
  const auto near_one = [&](double) { return 0.5 + uniform(); };
  const auto mixed = [&](double share, double from, double to, auto other) {
    return [=, &uniform](double i) { return uniform() < share ? power(from, to) : other(i); };
  };
  const auto zero = [](double) { return 0.0; };
  const auto some_zeros = [&](double i) { return uniform() < 0.6 ? 0.0 : near_one(i); };
  const auto size = static_cast<double>(n);
  const auto grade = [&](double i) { return std::pow(10, -digits * i / size) * (0.5 + uniform()); };
  const auto exponents = [&](double) { return sign() * power(0, 1); };
  if (kind == "exponents") fill(exponents, exponents);
  if (kind == "zero diagonal") fill(zero, near_one);
  if (kind == "graded down") fill(grade, grade);
  if (kind == "graded up") {
    const auto up = [&](double i) { return grade(size - i); };
    fill(up, up);
  }
  if (kind == "tiny shifts") fill(some_zeros, mixed(0.4, 0.22, 0.3, near_one));
  if (kind == "tiny squares") fill(some_zeros, mixed(0.4, 0.45, 0.55, near_one));
  if (kind == "square roots") fill(some_zeros, mixed(0.4, 0, 1, near_one));
  if (kind == "both tiny") {
    const auto large = [&](double) { return 1 + 50 * uniform(); };
    fill(mixed(0.6, 0.5, 0.54, near_one), mixed(0.4, 0.5, 0.54, large));
  }
  if (kind == "one far below") {
    fill(near_one, near_one);
    t.d[0] = t.d.back() = 0;
    t.e[0] = static_cast<R>(power(0.2, 0.6));
  }
  if (kind == "all exponents, no diagonal") fill(zero, exponents);
  return t;
}

template <class R>
std::vector<R> in(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}
template <class R>
double error_of(const Tridiagonal& t, const std::vector<R>& w, const std::vector<double>& truth) {
  constexpr double wider = std::numeric_limits<R>::epsilon() / std::numeric_limits<double>::epsilon();
  return support::value_ulps(t, {w.begin(), w.end()}, truth) / wider;
}
// In units of the roundoff: LAPACK's error bounds grow with n.
double limit(std::int64_t n) {
  return 10 + 2 * static_cast<double>(n);
}

template <class R>
struct OnThreadsResult {
  std::vector<R> w, z;
  DivideAndConquerResult outcome;
};

// The memory has exactly the counted size. It holds NaN, and z too.
//   rows  of the vectors; 0: values only; -1: all
template <class R>
OnThreadsResult<R> on_threads(const Tridiagonal& t, int threads, std::int64_t rows = -1,
                              const Selection& wanted = {}) {
  std::vector<R> d = in<R>(t.d), e = in<R>(t.e);
  const std::int64_t n = t.n(), most = wanted.subset.max_count(n);
  if (rows < 0) rows = n;
  OnThreadsResult<R> r{
      d, std::vector<R>(static_cast<std::size_t>(rows * most), std::numeric_limits<R>::quiet_NaN()), {}};
  const auto workspace = [&](Arena& arena) {
    return typename dc::OnThreads<R>::Workspace(arena, n, rows, most);
  };
  support::HostScratch scratch(bytes_taken(workspace));
  Arena arena = scratch;
  R none{};
  const dc::Division division = dc::divide(d, e);
  const MatrixView<R> z{rows == 0 ? nullptr : r.z.empty() ? &none : r.z.data(), rows, most, rows};
  dc::OnThreads<R> on(division, d, e, r.w.data(), z, workspace(arena), threads, wanted);
  r.outcome = dc::solve_levels(on, division.tree, static_cast<dc::Index>(n), dc::rows_of(z, wanted), wanted);
  r.w.resize(static_cast<std::size_t>(r.outcome.found.count));
  r.z.resize(static_cast<std::size_t>(rows * r.outcome.found.count));
  return r;
}

template <class R>
bool same_bits(const std::vector<R>& x, const std::vector<R>& y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(R)) == 0);
}

// Rows first ... first + count - 1 of the vectors `all` of a whole solution.
template <class R>
std::vector<R> rows_in(const std::vector<R>& all, std::int64_t n, std::int64_t first, std::int64_t count) {
  std::vector<R> rows;
  for (auto column = all.begin(); column != all.end(); column += n)
    rows.insert(rows.end(), column + first, column + first + count);
  return rows;
}

template <class R>
void check_rows(const Tridiagonal& t, const OnThreadsResult<R>& whole, std::int64_t first,
                std::int64_t count) {
  CAPTURE(first, count);
  const OnThreadsResult<R> part = on_threads<R>(t, 1 + static_cast<int>(first % 3), count, {{}, 0, first});
  REQUIRE(part.outcome.status == Status::converged);
  CHECK(same_bits(part.w, whole.w));
  CHECK(same_bits(part.z, rows_in(whole.z, t.n(), first, count)));
}

// 2^scale T, in the range of R.
Tridiagonal scaled(Tridiagonal t, int scale) {
  for (double& x : t.d) x = std::ldexp(x, scale);
  for (double& x : t.e) x = std::ldexp(x, scale);
  return t;
}

template <class R>
void check_threads(const Tridiagonal& t, const std::string& family) {
  const OnThreadsResult<R> one = on_threads<R>(t, 1);
  REQUIRE(one.outcome.status == Status::converged);
  for (const int threads : {2, 3, 5, 8}) {
    const OnThreadsResult<R> several = on_threads<R>(t, threads);
    CHECK(same_bits(several.w, one.w));
    CHECK(same_bits(several.z, one.z));
  }
  for (const int threads : {1, 3}) CHECK(same_bits(on_threads<R>(t, threads, 0).w, one.w));
  if constexpr (std::is_same_v<R, double>) {
    support::check_decomposition(t, one.w, one.z, t.n(), "T: " + family, support::Machine::cpu);
    CHECK(support::value_distance(t, one.w, support::dc_on_cpu(t.d, t.e).w) <= support::limits::eigenvalue);
    if (t.n() <= 100)
      CHECK(support::value_ulps(t, one.w, generate::sturm_eigenvalues(t.d, t.e)) <=
            support::limits::host_values);
  }
}

}  // namespace

TEST_CASE("on threads: random T of every order to 140, then around the edges of tiles, panels and levels") {
  for (std::int64_t n = 1; n <= 140; ++n) {
    CAPTURE(n);
    check_threads<double>(support::random_tridiagonal(n, static_cast<std::uint64_t>(n)), "random");
  }
  for (const std::int64_t n : {159, 160, 161, 300, 321, 513, 700, 1000}) {
    CAPTURE(n);
    check_threads<double>(support::reduced_random(n), "reduced random");
  }
}

TEST_CASE("on threads: every kind of T") {
  // divide_and_conquer_on_cpu() takes the QL method for orders below 15.
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {15, 40, 105, 300, 399}) {
      if (kind == "subnormal" && n < 40) continue;  // the rounding of a value exceeds n ulp
      CAPTURE(kind, n);
      check_threads<double>(support::tridiagonal(kind, n), kind);
    }
}

TEST_CASE("on threads: blocks of large products, panels of U") {
  for (const char* kind : {"reduced random", "glued 1e-8", "a zero early"}) {
    CAPTURE(kind);
    const Tridiagonal t = support::tridiagonal(kind, 1603);
    const OnThreadsResult<double> one = on_threads<double>(t, 1), several = on_threads<double>(t, 5);
    CHECK(same_bits(several.w, one.w));
    CHECK(same_bits(several.z, one.z));
    support::check_decomposition(t, one.w, one.z, t.n(), std::string("T: ") + kind, support::Machine::cpu);
  }
}

TEST_CASE("on threads, float: every kind of T, at scales near the ends of the range") {
  constexpr double wider = std::numeric_limits<float>::epsilon() / std::numeric_limits<double>::epsilon();
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {1, 2, 9, 30, 65, 161, 300})
      for (const int scale : {0, 126, -100}) {
        if (kind == "subnormal") continue;  // in double
        Tridiagonal t = support::tridiagonal(kind, n);
        double largest = 0;
        for (const double x : t.d) largest = std::max(largest, std::fabs(x));
        for (const double x : t.e) largest = std::max(largest, std::fabs(x));
        t = scaled(t, scale - (largest > 0 ? std::ilogb(largest) + 1 : 0));
        for (double& x : t.d) x = static_cast<float>(x);
        for (double& x : t.e) x = static_cast<float>(x);
        CAPTURE(kind, n, scale);
        check_threads<float>(t, kind);
        const OnThreadsResult<float> one = on_threads<float>(t, 1);
        const support::TridiagonalRatios r =
            support::ratios(t, {one.w.begin(), one.w.end()}, {one.z.begin(), one.z.end()}, n);
        CHECK(r.ascending);
        CHECK(r.residual / wider <= (n < 64 ? 10 : 1.5));  // as the host executor
        CHECK(r.orthogonality / wider <= (n < 64 ? 10 : 1.5));
      }
}

TEST_CASE("on threads: a subset has the bits of the whole") {
  for (const char* kind : {"reduced random", "glued 1e-8", "clustered", "zero", "two values"})
    for (const std::int64_t n : {1, 5, 8, 9, 60, 300, 700}) {
      CAPTURE(kind, n);
      const Tridiagonal t = support::tridiagonal(kind, n);
      const OnThreadsResult<double> all = on_threads<double>(t, 1);
      const auto check = [&](const Subset& subset, std::int64_t from, std::int64_t count) {
        const OnThreadsResult<double> some = on_threads<double>(t, 3, n, {subset, 0}),
                                      values = on_threads<double>(t, 1, 0, {subset, 0}),
                                      rows = on_threads<double>(t, 2, n - n / 3, {subset, 0, n / 3});
        REQUIRE(some.outcome.status == Status::converged);
        CHECK(some.outcome.found.first == from);
        REQUIRE(some.outcome.found.count == count);
        CHECK(same_bits(some.w, {all.w.begin() + from, all.w.begin() + from + count}));
        CHECK(same_bits(values.w, some.w));
        CHECK(same_bits(some.z, {all.z.begin() + from * n, all.z.begin() + (from + count) * n}));
        CHECK(same_bits(rows.w, some.w));
        CHECK(same_bits(rows.z, rows_in(some.z, n, n / 3, n - n / 3)));
      };
      check(Subset::by_index(1, 0), 0, 0);
      check(Subset::by_index(1, 1), 0, 1);
      check(Subset::by_index(n, n), n - 1, 1);
      check(Subset::by_index(n / 4 + 1, n / 4 + (n + 1) / 2), n / 4, (n + 1) / 2);
      check(Subset::by_index(1, n), 0, n);
      const double above = all.w[static_cast<std::size_t>(n / 4)], upto = all.w.back();
      if (!(above < upto)) continue;
      const auto from = std::upper_bound(all.w.begin(), all.w.end(), above) - all.w.begin();
      check(Subset::by_value(above, upto), from, n - from);
    }
}

TEMPLATE_TEST_CASE("on threads: every range of rows has the bits of the whole", "", double, float) {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {1, 2, 9, 17, 25}) {
      if (kind == "subnormal" || (kind == "near overflow" && sizeof(TestType) < 8)) continue;
      const Tridiagonal t = support::tridiagonal(kind, n);
      const OnThreadsResult<TestType> whole = on_threads<TestType>(t, 1);
      CAPTURE(kind, n);
      for (std::int64_t first = 0; first < n; ++first)
        for (std::int64_t count = 1; first + count <= n; ++count) check_rows(t, whole, first, count);
    }
}

TEST_CASE("on threads: ranges of rows across the levels, every kind of T") {
  std::mt19937_64 random(7);
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {105, 399}) {
      CAPTURE(kind, n);
      const Tridiagonal t = support::tridiagonal(kind, n);
      const OnThreadsResult<double> whole = on_threads<double>(t, 1);
      for (const std::int64_t part : {n / 2, n / 16, std::int64_t{1}})
        for (const std::int64_t first : {std::int64_t{0}, n / 2 - part / 2, n - part})
          check_rows(t, whole, first, part);
      for (int i = 0; i < 3; ++i) {
        const auto below = [&](std::int64_t end) {
          return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
        };
        const std::int64_t first = below(n);
        check_rows(t, whole, first, 1 + below(n - first));
      }
    }
}

TEST_CASE("on threads: ranges of rows of large merges") {
  for (const char* kind : {"reduced random", "a zero early"}) {
    CAPTURE(kind);
    const std::int64_t n = 1603;
    const Tridiagonal t = support::tridiagonal(kind, n);
    const OnThreadsResult<double> whole = on_threads<double>(t, 2);
    for (const std::int64_t first : {0, 193, 800, 1000}) check_rows(t, whole, first, 603);
    check_rows(t, whole, 801, 1);
  }
}

TEST_CASE("the CPU's solve of T: a NaN or an infinity is an outcome with its row, an order of 0 is solved") {
  for (const double bad : {support::nan, support::infinity}) {
    Tridiagonal t = support::random_tridiagonal(60);
    t.d[41] = bad;
    support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<double>(60, 0, 60));
    const DivideAndConquerResult outcome =
        divide_and_conquer_on_cpu<double>(60, t.d.data(), t.e.data(), {}, scratch);
    CHECK(outcome.status == Status::not_converged);
    CHECK(outcome.info == 42);
  }
  CHECK(divide_and_conquer_on_cpu<double>(0, nullptr, nullptr, {}, {}).status == Status::converged);
}

TEMPLATE_TEST_CASE("badly scaled T: every way finds the same values as bisection", "", double, float) {
  using R = TestType;
  for (const std::string& kind : hard_kinds)
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const std::int64_t n = seed % 10 == 0 ? 12 + static_cast<std::int64_t>(seed) / 10 : 2 + seed % 8;
      const Tridiagonal t = hard<R>(kind, n, seed);
      const std::vector<double> truth = generate::sturm_eigenvalues(t.d, t.e);
      std::vector<R> values = in<R>(t.d), e = in<R>(t.e), pairs = values, on_gpu = values,
                     pairs_on_gpu = values;
      std::vector<R> z(static_cast<std::size_t>(n * n));
      CAPTURE(kind, seed, n);
      support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<R>(n, 0, n));
      REQUIRE(divide_and_conquer_on_cpu(n, values.data(), e.data(), {}, scratch).status == Status::converged);
      CHECK(error_of(t, values, truth) <= limit(n));

      e = in<R>(t.e);
      support::HostScratch more(divide_and_conquer_bytes_on_cpu<R>(n, n, n));
      REQUIRE(divide_and_conquer_on_cpu(n, pairs.data(), e.data(), {z.data(), n, n, n}, more).status ==
              Status::converged);
      CHECK(error_of(t, pairs, truth) <= limit(n));

      e = in<R>(t.e);
      REQUIRE(dc::divide_and_conquer_on_host<R>(n, on_gpu.data(), e.data(), {}).status == Status::converged);
      CHECK(error_of(t, on_gpu, truth) <= limit(n));
      REQUIRE(
          dc::divide_and_conquer_on_host<R>(n, pairs_on_gpu.data(), e.data(), {z.data(), n, n, n}).status ==
          Status::converged);
      CHECK(error_of(t, pairs_on_gpu, truth) <= limit(n));
    }
}
