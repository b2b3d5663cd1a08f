#include "solver/prepare/subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "solver/api/eigen_g.h"
#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

using eigen_g::Subset;
using eigen_g::Uplo;
using support::OnCpu;
using support::OnGpu;
using support::options;
using support::Stored;

namespace {

constexpr double guard = -7.25e77;

std::string argument_refused(std::int64_t n, const Subset& subset) {
  try {
    eigen_g::check_subset(n, subset);
  } catch (const eigen_g::InvalidArgument& error) {
    return name(error.argument());
  }
  return "none";
}

// Solves a subset with arrays of the promised capacity and guards after them.
support::Solved solve_subset(const Stored& s, support::OptionsAndDevices o) {
  const std::int64_t n = s.n, ldz = n + 3, most = o.subset.max_count(n);
  o.uplo = s.uplo;
  support::Solved solved;
  solved.ldz = ldz;
  solved.w.assign(static_cast<std::size_t>(most + 1), guard);
  solved.z.assign(static_cast<std::size_t>(ldz * most + 1), guard);
  solved.report = eigen_g::eigen_g(n, s.a.data(), s.lda, solved.w.data(), solved.z.data(), ldz, o, o);
  CHECK(solved.w.back() == guard);
  CHECK(solved.z.back() == guard);
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < most; ++j)
    for (std::int64_t i = n; i < ldz; ++i)
      touched += solved.z[static_cast<std::size_t>(i + j * ldz)] != guard;
  CHECK(touched == 0);
  REQUIRE(solved.report.m >= 0);
  REQUIRE(solved.report.m <= most);
  solved.w.resize(static_cast<std::size_t>(solved.report.m));
  solved.z.resize(static_cast<std::size_t>(ldz * solved.report.m));
  return solved;
}

// Compares the subset with `count` pairs of the whole solution from `first` on: values bit for bit, vectors by verify().
void check_subset_of(const Stored& s, const std::vector<double>& all, support::OptionsAndDevices o,
                     std::int64_t first, std::int64_t count, const std::string& family = "random") {
  CAPTURE(s.n, first, count, static_cast<int>(o.subset.by));
  const support::Solved solved = solve_subset(s, o);
  REQUIRE(solved.report.status == eigen_g::Status::converged);
  REQUIRE(solved.report.m == count);
  CHECK(solved.report.first_index == first);
  CHECK(support::same_bits(
      solved.w, std::vector<double>(all.begin() + (first - 1), all.begin() + (first - 1) + count)));
  const eigen_g::Verification v = eigen_g::verify(s.uplo, s.n, s.a.data(), s.lda, count, solved.w.data(),
                                                  solved.z.data(), solved.ldz, eigen_g::DeviceChoice::cpu);
  support::check_verified(v, support::machine_of(solved.report), family);
  CHECK(v.m == count);
}

struct Range {
  std::int64_t first, last;
};
std::vector<Range> ranges_of(std::int64_t n) {
  std::vector<Range> ranges{{1, n}, {1, 1}, {n, n}};
  if (n >= 5) {
    const std::vector<Range> inner{
        {2, n - 1}, {n / 2, n / 2}, {n / 3, 2 * n / 3}, {1, n / 4}, {n - n / 4, n}};
    ranges.insert(ranges.end(), inner.begin(), inner.end());
  }
  return ranges;
}

}  // namespace

TEST_CASE("which numbers and bounds are a subset") {
  const double inf = support::infinity;
  CHECK(argument_refused(5, {}) == "none");
  CHECK(argument_refused(0, {}) == "none");
  CHECK(argument_refused(5, Subset::by_index(1, 5)) == "none");
  CHECK(argument_refused(5, Subset::by_index(5, 5)) == "none");
  CHECK(argument_refused(0, Subset::by_index(1, 0)) == "none");
  CHECK(argument_refused(5, Subset::by_index(0, 5)) == "subset.first");
  CHECK(argument_refused(5, Subset::by_index(6, 6)) == "subset.first");
  CHECK(argument_refused(5, Subset::by_index(1, 6)) == "subset.last");
  CHECK(argument_refused(5, Subset::by_index(3, 2)) == "subset.last");
  CHECK(argument_refused(5, Subset::by_index(1, 0)) == "subset.last");
  CHECK(argument_refused(0, Subset::by_index(1, 1)) == "subset.last");
  CHECK(argument_refused(5, Subset::by_value(-1, 1)) == "none");
  CHECK(argument_refused(0, Subset::by_value(-1, 1)) == "none");
  CHECK(argument_refused(5, Subset::by_value(-inf, inf)) == "none");
  CHECK(argument_refused(5, Subset::by_value(1, 1)) == "subset.upto");
  CHECK(argument_refused(5, Subset::by_value(2, 1)) == "subset.upto");
  CHECK(argument_refused(5, Subset::by_value(support::nan, 1)) == "subset.above");
  CHECK(argument_refused(5, Subset::by_value(0, support::nan)) == "subset.upto");
  CHECK(Subset().max_count(7) == 7);
  CHECK(Subset::by_index(3, 5).max_count(7) == 3);
  CHECK(Subset::by_value(3, 5).max_count(7) == 7);
}

TEST_CASE("values above the lower bound and up to the upper one are selected") {
  const std::vector<double> w{-2, -1, -1, 0, 3, 3, 8};
  const auto selected = [&](const Subset& subset, int exponent = 0, int scale = 0) {
    const eigen_g::Selected s = eigen_g::select(subset, 7, w.data(), exponent, scale);
    return std::pair(s.first, s.count);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  CHECK(selected({}) == Pair(0, 7));
  CHECK(selected(Subset::by_index(2, 4)) == Pair(1, 3));
  CHECK(selected(Subset::by_value(-1, 3)) == Pair(3, 3));  // the interval excludes -1 and includes 3
  CHECK(selected(Subset::by_value(-1.5, 2.9)) == Pair(1, 3));
  CHECK(selected(Subset::by_value(-support::infinity, support::infinity)) == Pair(0, 7));
  CHECK(selected(Subset::by_value(1, 2)) == Pair(4, 0));
  CHECK(selected(Subset::by_value(9, 10)) == Pair(7, 0));
  CHECK(selected(Subset::by_value(-10, -9)) == Pair(0, 0));
  CHECK(selected(Subset::by_value(-4, 12), 3, -1) == Pair(3, 3));  // the matrix times 4
}

TEMPLATE_TEST_CASE("subset by index: pairs of the whole solution", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {1, 2, 5, 31, 33, 64, 65, 129, 300})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const Stored s = support::random_matrix(n, uplo, 1);
      support::OptionsAndDevices o = options(TestType::device);
      const std::vector<double> all = support::solve_guarded(s, o).w;
      for (const Range& range : ranges_of(n)) {
        o.subset = Subset::by_index(range.first, range.last);
        check_subset_of(s, all, o, range.first, range.last - range.first + 1);
      }
    }
}

TEMPLATE_TEST_CASE("subset by value: the values in between, and none", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {1, 2, 33, 65, 200}) {
    const Stored s = support::random_matrix(n);
    support::OptionsAndDevices o = options(TestType::device);
    const std::vector<double> all = support::solve_guarded(s, o).w;
    const double inf = support::infinity;
    const auto w = [&](std::int64_t k) { return all[static_cast<std::size_t>(k - 1)]; };
    const auto check = [&](double above, double upto, std::int64_t first, std::int64_t count) {
      o.subset = Subset::by_value(above, upto);
      check_subset_of(s, all, o, first, count);
    };
    check(-inf, inf, 1, n);
    check(-inf, w(1), 1, 1);
    check(w(n), inf, n + 1, 0);
    check(-inf, std::nextafter(w(1), -inf), 1, 0);
    if (n < 5) continue;
    check(w(2), w(n - 1), 3, n - 3);  // half-open interval
    check(std::nextafter(w(2), -inf), w(n - 1), 2, n - 2);
    const double gap = w(n / 2 + 1) - w(n / 2);
    check(w(n / 2) + 0.25 * gap, w(n / 2) + 0.75 * gap, n / 2 + 1, 0);
  }
}

TEMPLATE_TEST_CASE("subset: every family, bounds through clusters", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const eigen_g::generate::Kind& kind : eigen_g::generate::kinds()) {
    if (kind.name == "values") continue;
    eigen_g::generate::Spec spec;
    spec.kind = kind.name;
    Stored s;
    for (const std::int64_t n : {101, 105, 64, 60}) {  // some kinds exist only for certain orders
      spec.n = n;
      try {
        s = support::stored(spec);
        break;
      } catch (const eigen_g::InvalidArgument&) {
      }
    }
    REQUIRE(s.n == spec.n);
    CAPTURE(spec.kind);
    const std::int64_t n = spec.n;
    support::OptionsAndDevices o = options(TestType::device);
    const std::vector<double> all = support::solve_guarded(s, o).w;
    for (const Range& range : {Range{n / 3, n / 3}, Range{n / 4, n / 2}, Range{2, n - 5}}) {
      o.subset = Subset::by_index(range.first, range.last);
      check_subset_of(s, all, o, range.first, range.last - range.first + 1, spec.kind);
    }
    const double above = all[static_cast<std::size_t>(n / 4)], upto = all[static_cast<std::size_t>(n / 2)];
    if (!(above < upto)) continue;
    const auto first = std::upper_bound(all.begin(), all.end(), above);
    o.subset = Subset::by_value(above, upto);
    check_subset_of(s, all, o, first - all.begin() + 1,
                    std::upper_bound(all.begin(), all.end(), upto) - first, spec.kind);
  }
}

TEMPLATE_TEST_CASE("subset of a matrix that is scaled: bounds are the caller's", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const double scale : {0x1p-600, 0x1p700}) {
    const Stored s = support::random_matrix(70, Uplo::lower, 0, 1, scale);
    support::OptionsAndDevices o = options(TestType::device);
    const std::vector<double> all = support::solve_guarded(s, o).w;
    o.subset = Subset::by_value(all[9], all[30]);
    check_subset_of(s, all, o, 11, 21);
  }
}

TEMPLATE_TEST_CASE("subset of the values only", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const Stored s = support::random_matrix(150);
  support::OptionsAndDevices o = options(TestType::device, false);
  const std::vector<double> all = support::solve_guarded(s, o).w;
  const auto values = [&](const Subset& subset) {
    o.subset = subset;
    std::vector<double> w(static_cast<std::size_t>(subset.max_count(150)) + 1, guard);
    const eigen_g::Report report = eigen_g::eigen_g(150, s.a.data(), s.lda, w.data(), nullptr, 1, o, o);
    CHECK(w.back() == guard);
    w.resize(static_cast<std::size_t>(report.m));
    return w;
  };
  CHECK(support::same_bits(values(Subset::by_index(20, 50)),
                           std::vector<double>(all.begin() + 19, all.begin() + 50)));
  CHECK(support::same_bits(values(Subset::by_value(all[9], all[11])),
                           std::vector<double>(all.begin() + 10, all.begin() + 12)));
  CHECK(values(Subset::by_value(all[149], support::infinity)).empty());
}

TEMPLATE_TEST_CASE("subset: solve() allocates memory for the found pairs", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const Stored s = support::random_matrix(80);
  support::OptionsAndDevices o = options(TestType::device);
  const eigen_g::Solution<double> all = eigen_g::solve(80, s.a.data(), s.lda, o, o);
  o.subset = Subset::by_value(all.values[4], all.values[6]);
  const eigen_g::Solution<double> some = eigen_g::solve(80, s.a.data(), s.lda, o, o);
  CHECK(support::same_bits(some.values, {all.values[5], all.values[6]}));
  CHECK(some.vectors.size() == 160);
  o.subset = Subset::by_index(3, 2);
  CHECK_THROWS_AS(eigen_g::solve(80, s.a.data(), s.lda, o, o), eigen_g::InvalidArgument);
}

TEST_CASE("limits by value are scaled with the matrix, and a value stays between them") {
  const Subset scaled = eigen_g::scaled_subset(Subset::by_value(-3, 5), -2);
  CHECK(scaled.above == -0.75);
  CHECK(scaled.upto == 1.25);
  const Subset below_all = eigen_g::scaled_subset(Subset::by_value(1e-300, 2e-300), -1000);
  CHECK(below_all.above == 0);
  CHECK(below_all.upto == std::numeric_limits<double>::denorm_min());
  const Subset beyond_all = eigen_g::scaled_subset(Subset::by_value(1e300, 2e300), 1000);
  CHECK(std::isinf(beyond_all.above));
  CHECK(std::isinf(beyond_all.upto));
}
