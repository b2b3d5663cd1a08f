// Tests of the phases of the refinement on the CPU, and of mixed precision if there is nothing to refine.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "solver/prepare/lapack.hpp"
#include "solver/refine/clusters.hpp"
#include "solver/refine/correction.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;

namespace {

using Values = std::vector<double>;

std::int64_t order_of(const Values& a) {
  return std::llround(std::sqrt(static_cast<double>(a.size())));
}
Values product(bool transposed, const Values& a, const Values& b) {
  const int n = static_cast<int>(order_of(a));
  Values c(a.size());
  cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n,
              b.data(), n, 0, c.data(), n);
  return c;
}
MatrixView<double> view(Values& a) {
  const std::int64_t n = order_of(a);
  return {a.data(), n, n, n};
}
double largest_off_diagonal(const Values& a) {
  const std::int64_t n = order_of(a);
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j + 1; i < n; ++i) largest = std::max(largest, std::fabs(a[i + j * n]));
  return largest;
}

// A matrix with a given spectrum and its vectors rounded to float. If `mixed` is not negative, a rotation mixes four vectors from
// `mixed` on.
struct Problem {
  Values a, x, s, g, lambda;
  std::vector<std::int64_t> fine, coarse;

  explicit Problem(const Values& spectrum, std::int64_t mixed = -1) {
    const auto n = static_cast<std::int64_t>(spectrum.size());
    generate::Spec spec;
    spec.kind = "values";
    spec.n = n;
    spec.values = spectrum;
    a = x = support::full_matrix(spec);
    Values w(spectrum.size());
    REQUIRE(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', static_cast<lapack_int>(n), x.data(),
                           static_cast<lapack_int>(n), w.data()) == 0);
    for (std::int64_t i = 0; i < n && mixed >= 0; ++i) {
      double* const at = &x[i + mixed * n];
      const double sum = (at[0] + at[n] + at[2 * n] + at[3 * n]) / 2;  // I - 1 1^T / 2
      for (std::int64_t j = 0; j < 4; ++j) at[j * n] -= sum;
    }
    for (double& value : x) value = static_cast<float>(value);
    lambda.resize(spectrum.size());
    fine.resize(spectrum.size());
    coarse.resize(spectrum.size());
  }
  void measure(const CorrectionLimits& limits) {
    s = product(true, x, product(false, a, x));
    g = product(true, x, x);
    Values scales(lambda.size());
    normalise(view(s), view(g), lambda.data(), scales.data());
    const std::int64_t n = order_of(a);
    for (std::int64_t k = 0; k < n * n; ++k) x[k] *= scales[k / n];
    find_reach(view(s), view(g), lambda.data(), limits, fine.data(), coarse.data());
  }
  // X := X + X E; returns the sum of E's squares.
  double correct(const Clusters& clusters, bool solved, const CorrectionLimits& limits) {
    const std::int64_t n = order_of(a);
    std::vector<float> e(a.size(), std::nanf(""));
    Values squares(lambda.size());
    correction(view(s), view(g), lambda.data(), clusters.of_column.data(), solved, limits,
               {e.data(), n, n, n}, squares.data());
    const Values more = product(false, x, Values(e.begin(), e.end()));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += more[k];
    double sum = 0;
    for (const double square : squares) sum += square;
    return sum;
  }
};

constexpr CorrectionLimits limits{1e-14, 1e-16, 1e-10, 4e-9, 0.05};

}  // namespace

TEST_CASE("a step squares the error of the vectors and of the off-diagonal part") {
  Values spectrum;
  for (int k = 0; k < 60; ++k) spectrum.push_back(0.1 * k - 1.7 + 0.01 * std::sin(k));
  Problem p(spectrum);
  p.measure(limits);
  const Clusters none = clusters_of(p.coarse);
  CHECK(none.count() == 0);
  CHECK(clusters_of(p.fine).count() > 0);
  const double left = largest_off_diagonal(p.s), lack = largest_off_diagonal(p.g);
  CHECK(lack > 1e-10);
  const double square = p.correct(none, false, limits);
  CHECK(square > 1e-16);
  CHECK(square < 1e-9);
  p.measure(limits);
  CHECK(largest_off_diagonal(p.s) < 1e-5 * left);
  CHECK(largest_off_diagonal(p.g) < 1e-5 * lack);
  CHECK(clusters_of(p.fine).count() == 0);
  CHECK(p.correct(none, false, limits) < 1e-20);
  p.measure(limits);
  for (std::size_t k = 0; k < spectrum.size(); ++k) CHECK(std::fabs(p.lambda[k] - spectrum[k]) < 1e-14 * 60);
  CHECK(largest_off_diagonal(p.g) < 1e-15);
}

TEST_CASE("S computed in float from A X - X W equals S") {
  Values spectrum;
  for (int k = 0; k < 40; ++k) spectrum.push_back(0.05 * k - 1);
  Problem p(spectrum);
  p.measure(limits);
  const std::int64_t n = order_of(p.a);
  Values y = product(false, p.a, p.x), s(p.a.size(), support::nan);
  std::vector<float> r(p.a.size(), std::nanf(""));
  residual(view(y), view(p.x), spectrum.data(), {r.data(), n, n, n});
  for (const float value : r) CHECK(std::fabs(value) < 1e-7F);
  const Values v = product(true, p.x, Values(r.begin(), r.end()));
  std::vector<float> rounded(v.begin(), v.end());
  rayleigh_matrix(MatrixView<const float>{rounded.data(), n, n, n}, view(p.g), spectrum.data(), view(s));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (i < j)
        CHECK(std::isnan(s[i + j * n]));
      else
        CHECK(std::fabs(s[i + j * n] - p.s[i + j * n]) < 5e-15);
}

TEST_CASE("a cluster that a step cannot part is parted by its small problem") {
  Values spectrum{-1, -0.5, 0.25, 0.25 + 1e-9, 0.25 + 2e-9, 0.25 + 5e-9, 0.8, 1};
  Problem p(spectrum, 2);
  p.measure(limits);
  const Clusters first = clusters_of(p.coarse);
  REQUIRE(first.count() == 1);
  CHECK(first.first[0] == 2);
  CHECK(first.size[0] == 4);
  CHECK(first.small_enough);
  const auto n = static_cast<std::int64_t>(spectrum.size());
  for (int step = 0; step < 2; ++step) {
    p.measure(limits);
    const Clusters clusters = clusters_of(step == 0 ? p.coarse : p.fine);
    Values s, g;
    for (std::int64_t k = 0; k < clusters.count(); ++k)
      for (std::int64_t j = 0; j < clusters.size[k]; ++j)
        for (std::int64_t i = 0; i < clusters.size[k]; ++i) {
          s.push_back(p.s[clusters.first[k] + i + (clusters.first[k] + j) * n]);
          g.push_back(p.g[clusters.first[k] + i + (clusters.first[k] + j) * n]);
        }
    REQUIRE(solve_clusters(clusters, s.data(), g.data(), p.lambda.data()));
    p.correct(clusters, true, limits);
    for (std::int64_t k = 0; k < clusters.count(); ++k) {
      const auto m = static_cast<int>(clusters.size[k]);
      const Values before = p.x;
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(n), m, m, 1,
                  &before[clusters.first[k] * n], static_cast<int>(n), &s[clusters.at[k]], m, 0,
                  &p.x[clusters.first[k] * n], static_cast<int>(n));
    }
  }
  p.measure(limits);
  CHECK(largest_off_diagonal(p.g) < 1e-15);
  CHECK(largest_off_diagonal(p.s) < 1e-15);
  for (std::size_t k = 0; k < spectrum.size(); ++k) CHECK(std::fabs(p.lambda[k] - spectrum[k]) < 5e-15);
}

TEST_CASE("clusters: neighbours and all between them, and how many there may be") {
  const Clusters c = clusters_of({0, 3, 2, 3, 5, 5, 6});
  CHECK(c.first == std::vector<std::int64_t>{1, 4});
  CHECK(c.size == std::vector<std::int64_t>{3, 2});
  CHECK(c.at == std::vector<std::int64_t>{0, 9});
  CHECK(c.of_column == std::vector<std::int64_t>{-1, 0, 0, 0, 1, 1, -1});
  CHECK(c.packed == 13);
  CHECK(c.largest == 3);
  CHECK(c.small_enough);
  CHECK(clusters_of({}).count() == 0);

  std::vector<std::int64_t> chain(4000);
  for (std::size_t k = 0; k < chain.size(); ++k) chain[k] = static_cast<std::int64_t>(k);
  const auto small = [&chain](std::int64_t size) {
    chain[100] = 99 + size;
    return clusters_of(chain).small_enough;
  };
  CHECK(small(largest_cluster));
  CHECK_FALSE(small(largest_cluster + 1));
  for (std::int64_t k = 1; k < 10; ++k) chain[300 * k + 100] = 300 * k + 299;
  CHECK_FALSE(small(200));  // ten of 200: too much work

  Values s{1, 0, 0, 1}, g{1, 2, 2, 1}, values(2);
  CHECK_FALSE(solve_clusters(clusters_of({1, 1}), s.data(), g.data(), values.data()));  // g is indefinite
}

TEST_CASE("mixed precision is native, and reports it, if it does not apply to the problem") {
  const support::Stored s = support::random_matrix(90);
  support::OptionsAndDevices o = support::options(DeviceChoice::cpu);
  const support::Solved native = support::solve_guarded(s, o);
  CHECK(native.report.refinement.result == Refinement::Result::native);
  o.precision = Precision::mixed;
  const support::Solved mixed = support::solve_guarded(s, o);
  CHECK(mixed.report.refinement.result == Refinement::Result::out_of_scope);
  CHECK(mixed.report.refinement.native());
  CHECK(mixed.report.refinement.steps == 0);
  CHECK(support::same_bits(mixed.z, native.z));
  CHECK(workspace_bytes(90, o, false).host == workspace_bytes(90, {}, false).host);

  CHECK(precision_of("mixed") == Precision::mixed);
  CHECK(precision_of(name(Precision::native)) == Precision::native);
  CHECK_FALSE(precision_of("half"));
  CHECK(std::strcmp(name(Refinement::Result::large_clusters), "large_clusters") == 0);
}
