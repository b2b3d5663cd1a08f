// Runs the kernels of cholesky_panel() on the CPU, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/reduction/two_stage/cholesky_panel_kernels.cuh"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g::panel_by_cholesky;

namespace {

using Index = std::int64_t;
using Values = std::vector<double>;
constexpr Index b = columns;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Values not_written(Index count) {
  return Values(static_cast<std::size_t>(count), not_a_number);
}
double& entry(Values& x, Index i) {
  return x[static_cast<std::size_t>(i)];
}

struct Found {
  bool done = false;
  Index ld = 0;
  Values panel, v, w, tau, band;
  std::vector<unsigned> counters;
};

template <class T>
std::vector<T> rounded(const Values& x) {
  return {x.begin(), x.end()};
}

// The panel is rows x 64 with the stride rows + 2. V takes its place. The kernels read and write numbers of type T.
template <class T = double>
Found factor(const Values& given, Index rows, double negligible = 0) {
  Found f;
  f.ld = rows + 2;
  const T limit = static_cast<T>(negligible);
  std::vector<T> panel = rounded<T>(given), v = rounded<T>(not_written(f.ld * b)), w = v,
                 tau = rounded<T>(not_written(b)), band = rounded<T>(not_written((b + 1) * b));
  f.counters.assign(2 * blocks_of_cluster, 0);
  Values q = not_written(f.ld * b), sums = not_written(clusters_of(rows) * gram_values),
         gram = not_written(2 * gram_values), r1 = not_written(b * b);
  unsigned state[2] = {17, 18};
  Panel<T> p{};
  p.rows = static_cast<std::int32_t>(rows);
  p.p = panel.data();
  p.q = q.data();
  p.v[0] = panel.data();
  p.v[1] = v.data();
  p.w = w.data();
  p.ldp = p.ldq = p.ldv[0] = p.ldv[1] = p.ldw = f.ld;
  p.tau = tau.data();
  p.band = band.data();
  p.ldb = b + 1;
  p.negligible = &limit;
  p.at = {sums.data(), gram.data(), r1.data(), f.counters.data(), state};
  queue_panel(
      [](auto kernel, bool, Index blocks, int of_cluster, int shared, const auto&... arguments) {
        emulation::launch(kernel, emulation::InClusters{blocks, of_cluster}, threads, shared, arguments...);
      },
      p);
  REQUIRE(state[1] <= 1);
  f.done = state[1] == 1;
  for (const unsigned c : f.counters) CHECK(c == 0);
  const auto in_double = [](const std::vector<T>& x) { return Values(x.begin(), x.end()); };
  f.panel = in_double(panel);
  f.v = in_double(v);
  f.w = in_double(w);
  f.tau = in_double(tau);
  f.band = in_double(band);
  return f;
}

struct Errors {
  double residual, of_w, of_tau, of_q;
};

// Residual |P - H_1 ... H_64 [R; 0]| / |P|, |W - V T| / |V|, the largest |tau_k v_k^T v_k / 2 - 1|, and |(I - V T V^T)^T (I - V T V^T) - I|,
// which is |V (T + T^T - T V^T V T^T) V^T|; T is made from V and tau as by dlarft.
Errors errors(const Values& given, Index rows, Found& f) {
  const Index ld = f.ld;
  using Long = long double;
  std::vector<Long> gram(static_cast<std::size_t>(b * b)), t(gram.size(), 0);
  const auto at = [](std::vector<Long>& x, Index i, Index j) -> Long& {
    return x[static_cast<std::size_t>(i + j * b)];
  };
  const auto v = [&](Index i, Index j) { return f.v[static_cast<std::size_t>(i + j * ld)]; };
  for (Index c = 0; c < b; ++c)
    for (Index r = 0; r <= c; ++r) {
      Long sum = 0;
      for (Index i = 0; i < rows; ++i) sum += Long(v(i, r)) * v(i, c);
      at(gram, r, c) = at(gram, c, r) = sum;
    }
  Errors e{};
  for (Index c = 0; c < b; ++c) {
    const Long tau = entry(f.tau, c);
    e.of_tau = std::max(e.of_tau, std::fabs(static_cast<double>(tau * at(gram, c, c) / 2 - 1)));
    at(t, c, c) = tau;
    for (Index r = 0; r < c; ++r) {
      Long sum = 0;
      for (Index k = r; k < c; ++k) sum += at(t, r, k) * at(gram, k, c);
      at(t, r, c) = -tau * sum;
    }
  }
  Long size = 0, difference = 0, of_w = 0, of_v = 0;
  for (Index c = 0; c < b; ++c) {
    std::vector<Long> y(static_cast<std::size_t>(rows), 0), z(b, 0), tz(b, 0);
    const auto in = [](std::vector<Long>& x, Index i) -> Long& { return x[static_cast<std::size_t>(i)]; };
    for (Index r = 0; r <= c; ++r) in(y, r) = entry(f.band, b + r - c + c * (b + 1));
    for (Index k = 0; k < b; ++k)
      for (Index i = 0; i <= c; ++i) in(z, k) += v(i, k) * in(y, i);
    for (Index k = 0; k < b; ++k)
      for (Index l = k; l < b; ++l) in(tz, k) += at(t, k, l) * in(z, l);
    for (Index i = 0; i < rows; ++i) {
      Long x = in(y, i), w = 0;
      for (Index k = 0; k < b; ++k) x -= v(i, k) * in(tz, k);
      for (Index k = 0; k <= c; ++k) w += v(i, k) * at(t, k, c);
      const Long wrong = x - given[static_cast<std::size_t>(i + c * ld)];
      difference += wrong * wrong;
      size += Long(given[static_cast<std::size_t>(i + c * ld)]) * given[static_cast<std::size_t>(i + c * ld)];
      of_w += (w - entry(f.w, i + c * ld)) * (w - entry(f.w, i + c * ld));
      of_v += Long(v(i, c)) * v(i, c);
    }
  }
  e.residual = static_cast<double>(std::sqrt(difference / size));
  e.of_w = static_cast<double>(std::sqrt(of_w / of_v));
  std::vector<Long> tg(t.size(), 0);
  for (Index c = 0; c < b; ++c)
    for (Index r = 0; r < b; ++r)
      for (Index k = r; k < b; ++k) at(tg, r, c) += at(t, r, k) * at(gram, k, c);
  Long worst = 0;
  for (Index c = 0; c < b; ++c)
    for (Index r = 0; r < b; ++r) {
      Long sum = -at(t, r, c) - at(t, c, r);
      for (Index k = c; k < b; ++k) sum += at(tg, r, k) * at(t, c, k);
      worst = std::max(worst, std::fabs(sum));
    }
  e.of_q = static_cast<double>(worst);
  return e;
}

Values random_panel(Index rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Values x = not_written((rows + 2) * b);
  for (Index c = 0; c < b; ++c)
    for (Index i = 0; i < rows; ++i) entry(x, i + c * (rows + 2)) = normal(random);
  return x;
}

// Columns that are combinations of columns of sizes from 1 down to 1 / condition.
Values of_condition(Index rows, double condition, unsigned seed) {
  Values base = random_panel(rows, seed), x = base;
  std::mt19937_64 random(seed + 1);
  std::normal_distribution<double> normal(0, 1 / std::sqrt(static_cast<double>(b)));
  Values mix(static_cast<std::size_t>(b * b));
  for (double& m : mix) m = normal(random);
  const Index ld = rows + 2;
  for (Index c = 0; c < b; ++c)
    for (Index i = 0; i < rows; ++i) {
      double sum = 0;
      for (Index k = 0; k < b; ++k)
        sum += entry(base, i + k * ld) * std::pow(condition, -static_cast<double>(k) / (b - 1)) *
               entry(mix, k + c * b);
      entry(x, i + c * ld) = sum;
    }
  return x;
}

template <class T = double>
Errors check_done(const Values& exact, Index rows) {
  const std::vector<T> as_t = rounded<T>(exact);
  const Values given(as_t.begin(), as_t.end());
  Found f = factor<T>(given, rows);
  REQUIRE(f.done);
  const Index ld = f.ld;
  const double unit = std::numeric_limits<T>::epsilon() / std::numeric_limits<double>::epsilon();
  Index wrong = 0;
  for (Index c = 0; c < b; ++c) {
    for (Index i = 0; i < ld; ++i) {
      const double v = entry(f.v, i + c * ld), w = entry(f.w, i + c * ld), p = entry(f.panel, i + c * ld);
      if (i >= rows)
        wrong += !std::isnan(v) + !std::isnan(w) + !std::isnan(p);
      else
        wrong += !(v == p) + !std::isfinite(w) + (i < c && v != 0) + (i == c && v != 1);
    }
    for (Index k = 0; k <= b; ++k)  // R(c + k - b, c)
      wrong += std::isfinite(entry(f.band, k + c * (b + 1))) != (c + k - b >= 0 && k <= b);
    wrong += !(entry(f.tau, c) >= 1 - 1e-12 * unit && entry(f.tau, c) <= 2 + 1e-12 * unit);
  }
  CHECK(wrong == 0);
  const Errors e = errors(given, rows, f);
  CAPTURE(rows, e.residual, e.of_w, e.of_tau, e.of_q);
  CHECK(e.residual < 3e-15 * unit);
  CHECK(e.of_w < 3e-15 * unit);
  CHECK(e.of_tau < 1e-14 * unit);
  CHECK(e.of_q < 5e-14 * unit);
  return e;
}

// Nothing is overwritten.
void check_not_done(const Values& given, Index rows, double negligible = 0) {
  Found f = factor(given, rows, negligible);
  CHECK_FALSE(f.done);
  CHECK(std::memcmp(f.panel.data(), given.data(), sizeof(double) * given.size()) == 0);
  for (const Values* values : {&f.v, &f.w, &f.tau, &f.band})
    CHECK(std::all_of(values->begin(), values->end(), [](double x) { return std::isnan(x); }));
}

}  // namespace

TEST_CASE("cholesky_panel: random panels of ragged heights") {
  for (const Index rows : {128, 129, 191, 192, 193, 511, 512, 513, 700, 1100}) {
    emulation::seed(static_cast<unsigned>(rows));
    CAPTURE(rows);
    check_done(random_panel(rows, static_cast<unsigned>(rows)), rows);
  }
}

TEST_CASE("cholesky_panel: panels of float") {
  for (const Index rows : {128, 193, 513}) {
    CAPTURE(rows);
    check_done<float>(random_panel(rows, static_cast<unsigned>(rows)), rows);
  }
  for (const double condition : {1e3, 1e5}) check_done<float>(of_condition(300, condition, 5), 300);
  CHECK_FALSE(factor<float>(Values(202 * 64, 1), 200).done);
}

TEST_CASE("cholesky_panel: the same bits for every order of threads and blocks") {
  const Index rows = 1100;
  const Values given = random_panel(rows, 3);
  emulation::seed(1);
  const Found one = factor(given, rows);
  emulation::seed(2);
  const Found two = factor(given, rows);
  const auto same = [](const Values& x, const Values& y) {
    return std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0;
  };
  CHECK(same(one.v, two.v));
  CHECK(same(one.w, two.w));
  CHECK(same(one.tau, two.tau));
  CHECK(same(one.band, two.band));
}

TEST_CASE("cholesky_panel: conditions") {
  const Index rows = 300;
  for (const double condition : {1e1, 1e3, 1e5, 1e6}) {
    CAPTURE(condition);
    check_done(of_condition(rows, condition, 5), rows);
  }
  for (const double condition : {1e7, 3e7}) {  // done or not: if done, well
    CAPTURE(condition);
    const Values given = of_condition(rows, condition, 5);
    if (factor(given, rows).done) check_done(given, rows);
  }
  for (const double condition : {1e9, 1e12, 1e16}) {
    CAPTURE(condition);
    check_not_done(of_condition(rows, condition, 5), rows);
  }
}

TEST_CASE("cholesky_panel: sizes and grades of columns and rows") {
  const Index rows = 200, ld = rows + 2;
  const auto scaled = [&](const std::function<double(Index, Index)>& factor_of) {
    Values x = random_panel(rows, 9);
    for (Index c = 0; c < b; ++c)
      for (Index i = 0; i < rows; ++i) entry(x, i + c * ld) *= factor_of(i, c);
    return x;
  };
  check_done(scaled([](Index, Index) { return 1e90; }), rows);
  check_done(scaled([](Index, Index) { return 1e-90; }), rows);
  check_done(scaled([](Index, Index c) { return std::pow(10, -static_cast<double>(c)); }), rows);
  check_done(scaled([](Index, Index c) { return std::pow(10, static_cast<double>(c)); }), rows);
  check_not_done(scaled([](Index, Index) { return 0.0; }), rows);
  check_not_done(scaled([](Index, Index) { return 1e160; }), rows);
  check_not_done(scaled([](Index, Index) { return 1e-160; }), rows);
  check_not_done(scaled([](Index, Index c) { return c == 40 ? 0.0 : 1.0; }), rows);
  check_not_done(scaled([](Index i, Index c) { return i == 100 && c == 40 ? not_a_number : 1.0; }), rows);
  check_not_done(scaled([](Index i, Index c) {
                   return i == 199 && c == 0 ? std::numeric_limits<double>::infinity() : 1.0;
                 }),
                 rows);
}

TEST_CASE("cholesky_panel: panels of low rank and negligible columns are not done") {
  const Index rows = 200, ld = rows + 2;
  check_not_done(Values(static_cast<std::size_t>(ld * b), 1), rows);
  Values equal = random_panel(rows, 2);
  for (Index i = 0; i < rows; ++i) entry(equal, i + 63 * ld) = entry(equal, i + 7 * ld);
  check_not_done(equal, rows);
  Values tiny = random_panel(rows, 2);
  for (Index i = 0; i < rows; ++i) entry(tiny, i + 20 * ld) *= 1e-15;
  check_done(tiny, rows);
  check_not_done(tiny, rows, 0x1p-104 * 64 * 200);
}

// Upper triangular: nothing is to be eliminated. The first entries of Q are 1 or -1.
TEST_CASE("cholesky_panel: triangular and diagonal panels") {
  const Index rows = 130, ld = rows + 2;
  Values x = random_panel(rows, 4);
  for (const bool diagonal : {false, true}) {
    for (Index c = 0; c < b; ++c)
      for (Index i = 0; i < rows; ++i)
        if (i > c || (diagonal && i != c))
          entry(x, i + c * ld) = 0;
        else if (i == c)
          entry(x, i + c * ld) = c % 3 == 0 ? -8 : 8;
    check_done(x, rows);
  }
}
