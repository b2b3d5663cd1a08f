// Pairs of sparse pencils by shift-invert, counts and intervals: closed forms, and the traps in which other programs return wrong lists.
#include <chrono>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "solver/api/generalised.hpp"
#include "solver/api/sparse.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pencils.hpp"

using namespace eigen_g;
using support::PencilCase;

namespace {

struct Found {
  FewReport report;
  std::vector<double> w, z;
};

// EIGEN_G_TEST_LIBRARY names the library that factorises; without it, the automatic one.
FactorLibrary library_under_test() {
  const char* const name = std::getenv("EIGEN_G_TEST_LIBRARY");
  return name ? factor_library_of(name).value() : FactorLibrary::automatic;
}

FewOptions pairs(std::int64_t count, End end = End::lowest, double target = 0) {
  FewOptions options;
  options.library = library_under_test();
  options.count = count;
  options.end = end;
  options.target = target;
  return options;
}

Found solve(const PencilCase& a, const FewOptions& options) {
  Found found;
  found.w.assign(static_cast<std::size_t>(options.count), std::numeric_limits<double>::quiet_NaN());
  found.z.assign(static_cast<std::size_t>(options.count * a.n()), std::numeric_limits<double>::quiet_NaN());
  found.report = solve_few(a.k.view(), a.mass(), found.w.data(), found.z.data(), a.n(), options);
  return found;
}

// The wanted values of the whole spectrum.
std::vector<double> wanted(const std::vector<double>& all, const FewOptions& options) {
  std::vector<double> w = all;
  const double t = options.target;
  const auto k = static_cast<std::ptrdiff_t>(options.count);
  if (options.end == End::highest) std::reverse(w.begin(), w.end());
  if (options.end == End::above) std::erase_if(w, [&](double x) { return x < t; });
  if (options.end == End::below) std::erase_if(w, [&](double x) { return x >= t; });
  if (options.end == End::both) {
    FewOptions half = options;
    half.count = options.count / 2;
    half.end = End::below;
    w = wanted(all, half);
    half.count = options.count - half.count;
    half.end = End::above;
    const std::vector<double> above = wanted(all, half);
    w.insert(w.end(), above.begin(), above.end());
    return w;
  }
  if (options.end != End::lowest && options.end != End::highest)
    std::stable_sort(w.begin(), w.end(),
                     [&](double x, double y) { return std::abs(x - t) < std::abs(y - t); });
  w.resize(static_cast<std::size_t>(k));
  std::sort(w.begin(), w.end());
  return w;
}

void check_accurate(const PencilCase& a, const Found& found, bool buckling = false) {
  CHECK(found.report.status == Status::converged);
  CHECK(found.report.m == static_cast<std::int64_t>(found.w.size()));
  const Verification v =
      verify<double>(a.k.view(), a.mass(), found.report.m, found.w.data(), found.z.data(), a.n(), buckling);
  CHECK(passed(v));
  CHECK(v.worst_residual <= 1e-12);
}

// Solves, and compares with the exact values: errors relative to the largest distance from the target.
Found check_against(const PencilCase& a, const FewOptions& options, double error = 1e-12) {
  const Found found = solve(a, options);
  const std::vector<double> exact = wanted(a.values, options);
  check_accurate(a, found);
  CHECK(found.report.proven);
  CHECK(found.report.proof_reason.empty());
  const double size = std::max(std::abs(exact.front()), std::abs(exact.back()));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CAPTURE(i, exact[i], found.w[i]);
    // Two values at the same distance on both sides of the target are equally good.
    const bool tie =
        options.end == End::nearest &&
        std::abs(std::abs(exact[i] - options.target) - std::abs(found.w[i] - options.target)) <= error * size;
    CHECK((tie || std::abs(found.w[i] - exact[i]) <= error * size));
    CHECK(found.report.error_bounds[i] <= 1e-9 * size);
  }
  return found;
}

std::string refused(const PencilCase& a, const FewOptions& options) {
  try {
    solve(a, options);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

#define SKIP_WITHOUT_LIBRARY() \
  if (!available(library_under_test())) SKIP_TEST("the library that factorises is missing")

}  // namespace

TEST_CASE("A membrane with consistent mass: lowest, interior, above, below, both and highest") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(31, 24, 0, 1.0, 1 / std::sqrt(2.0));
  check_against(a, pairs(1));
  check_against(a, pairs(20));
  const double middle = (a.values[300] + a.values[301]) / 2;
  check_against(a, pairs(12, End::nearest, middle));
  check_against(a, pairs(9, End::above, middle));
  check_against(a, pairs(9, End::below, middle));
  check_against(a, pairs(9, End::both, middle));
  check_against(a, pairs(3, End::highest));
  check_against(a, pairs(40, End::nearest, middle));
}

TEST_CASE("Multiple values: every number of pairs of a cube, at its end and in its interior") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(8, 8, 8);
  const double shift = GENERATE(0.0, 200.3, 700.7);
  for (const std::int64_t k : {1, 2, 3, 5, 7, 10, 13, 17, 20, 26, 30}) {
    CAPTURE(k, shift);
    check_against(a, pairs(k, End::nearest, shift));
  }
}

TEST_CASE("Multiple values: k + 4 pairs, which a search begins with, end among equal ones") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(16, 16, 16);
  int cut = 0;
  for (const double shift : {0.0, 200.3, 700.7}) {
    std::vector<double> distances;
    for (const double w : a.values) distances.push_back(std::abs(w - shift));
    std::sort(distances.begin(), distances.end());
    int here = 0;
    for (std::int64_t k = 1; k <= 30 && here < 4; ++k) {
      if (distances[k + 4] - distances[k + 3] > 1e-9 * distances[k + 4]) continue;
      CAPTURE(k, shift);
      check_against(a, pairs(k, End::nearest, shift));
      ++here;
    }
    cut += here;
  }
  CHECK(cut >= 9);
  check_against(a, pairs(10, End::nearest, 200.3));
}

TEST_CASE("A cube whose slices may end in a threefold value") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(24, 24, 24);
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  const EigenvalueCount count = solver.count(362.2182945533791);
  CHECK((count.below == 75 || count.below == 78));  // 77 would be between the copies
  std::vector<double> w;
  const IntervalReport report = solver.interval(100, 400, 0, w, nullptr);
  CHECK(report.proven);
  const auto first = std::lower_bound(a.values.begin(), a.values.end(), 100.0),
             last = std::lower_bound(a.values.begin(), a.values.end(), 400.0);
  REQUIRE(static_cast<std::ptrdiff_t>(w.size()) == last - first);
  for (std::size_t i = 0; i < w.size(); ++i)
    CHECK_THAT(w[i], Catch::Matchers::WithinRel(first[static_cast<std::ptrdiff_t>(i)], 1e-11));
}

TEST_CASE("A shift on an eigenvalue of high multiplicity moves, and the report says so") {
  SKIP_WITHOUT_LIBRARY();
  const std::int64_t m = 20;
  const PencilCase a = support::five_point(m);
  for (const std::int64_t k : {1, 7, 20, 24}) {
    CAPTURE(k);
    const Found found = check_against(a, pairs(k, End::nearest, 4));
    CHECK(found.report.shift_wished == 4);
    CHECK(found.report.shift_used != 4);
    CHECK(!found.report.shift_reason.empty());
    if (k <= m)
      for (const double w : found.w) CHECK(std::abs(w - 4) <= 1e-13);
  }
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  const EigenvalueCount at = solver.count(4);
  CHECK(at.moved);
  CHECK(at.below == (at.at < 4 ? m * (m - 1) / 2 : m * (m + 1) / 2));
  for (int i = 0; i < 50; ++i) {
    const double s = 0.15 * i + 0.0123;
    CHECK(solver.count(s).below == std::lower_bound(a.values.begin(), a.values.end(), s) - a.values.begin());
  }
}

TEST_CASE("A multiple value with more copies than the basis keeps") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::five_point(60);
  for (const std::int64_t count : {24, 26, 28, 35}) {
    CAPTURE(count);
    FewOptions options = pairs(count, End::nearest, 4);
    options.max_products = 4000;  // copies that never converge together would take them all
    const Found found = check_against(a, options);
    CHECK(found.report.found >= 60);
  }
}

TEST_CASE("A count on a threefold value moves") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(16, 16, 16);
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  for (const std::size_t i : {1, 20, 57}) {
    const double value = a.values[i];
    const auto below =
        std::lower_bound(a.values.begin(), a.values.end(), value * (1 - 1e-12)) - a.values.begin();
    const auto upto =
        std::lower_bound(a.values.begin(), a.values.end(), value * (1 + 1e-12)) - a.values.begin();
    const EigenvalueCount count = solver.count(value);
    CHECK(count.below == (count.at > value ? upto : below));
    CHECK((count.moved || upto - below == 1));
  }
}

TEST_CASE("A shift next to a double value") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(20, 20, 0);
  const double value = a.values[1];
  CHECK(value == Approx(a.values[2]));
  for (const double distance : {0.0, 1e-16, 1e-14, 1e-12, 1e-9, 1e-6}) {
    CAPTURE(distance);
    check_against(a, pairs(6, End::nearest, value * (1 + distance)), 1e-12);
  }
}

TEST_CASE("The tie: a shift midway between two values") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(13, 10, 0, 1.0, 1 / std::sqrt(2.0));
  const double middle = (a.values[40] + a.values[41]) / 2;
  const Found found = solve(a, pairs(1, End::nearest, middle));
  CHECK(std::abs(found.w[0] - middle) == Approx(a.values[41] - middle).epsilon(1e-10));
}

TEST_CASE("Nodes without mass have infinite eigenvalues, which are not found") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase chain = support::massless_chain(200);
  check_against(chain, pairs(10));
  check_against(chain, pairs(10, End::nearest, 1.1));
  SparseSolver<double> solver(chain.k.view(), chain.mass());
  CHECK(solver.count(1e9).below == 200);
  CHECK(solver.count(-1).below == 0);
  const PencilCase small = support::massless_chain(6);
  check_against(small, pairs(6));
  CHECK_THAT(refused(small, pairs(7)), ContainsSubstring("only 6 finite eigenvalues"));
}

TEST_CASE("A beam whose rotations have no mass, badly scaled") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::beam(400);
  const Found found = solve(a, pairs(5));
  check_accurate(a, found);
  CHECK(found.report.proven);
  for (std::size_t j = 0; j < 5; ++j)
    CHECK(found.w[j] == Approx(std::pow(static_cast<double>(j + 1) * std::numbers::pi, 4)).epsilon(1e-6));
}

TEST_CASE("Rigid bodies: six zero values for each") {
  SKIP_WITHOUT_LIBRARY();
  const std::int64_t bodies = GENERATE(1, 2);
  const PencilCase a = support::free_bars(10, 2, 2, bodies);
  const std::size_t zeros = 6 * static_cast<std::size_t>(bodies);
  const auto count = static_cast<std::int64_t>(zeros) + 6;
  const Found lowest = solve(a, pairs(count));
  check_accurate(a, lowest);
  CHECK(lowest.report.proven);
  const double flexible = lowest.w[zeros];
  CHECK(flexible > 0);
  for (std::size_t i = 0; i < zeros; ++i) CHECK(std::abs(lowest.w[i]) <= 1e-6 * flexible);
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  CHECK(solver.count(flexible / 2).below == static_cast<std::int64_t>(zeros));
  for (const double shift : {0.0, -1.0, -1e4}) {
    CAPTURE(shift);
    const Found near = solve(a, pairs(count, End::nearest, shift));
    check_accurate(a, near);
    CHECK(near.report.proven);
    for (std::size_t i = 0; i < near.w.size(); ++i)
      CHECK(std::abs(near.w[i] - lowest.w[i]) <= 1e-9 * lowest.w.back());
  }
}

TEST_CASE("The Laplacian of a graph of several parts") {
  SKIP_WITHOUT_LIBRARY();
  support::SparseSum k{90};
  for (std::int64_t i = 0; i < 90; ++i)
    if (i % 30 != 29) k.add(i, i, 1), k.add(i + 1, i + 1, 1), k.add(i, i + 1, -1), k.add(i + 1, i, -1);
  const PencilCase a{support::Csr(k), {}, std::vector<double>(90, 1.0), {}};
  const Found found = solve(a, pairs(6));
  check_accurate(a, found);
  CHECK(found.report.proven);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(found.w[i]) <= 1e-13);
  CHECK(found.w[3] == Approx(2 - 2 * std::cos(std::numbers::pi / 30)));
}

TEST_CASE("Pencils that are no problem are refused by name") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase good = support::box(9, 8, 0);
  PencilCase a = good;
  SECTION("a common null vector") {
    for (support::Csr* matrix : {&a.k, &a.m})
      for (std::int64_t i = 0; i < a.n(); ++i)
        for (std::int64_t p = matrix->offsets[i]; p < matrix->offsets[i + 1]; ++p)
          if (i == 16 || matrix->column[p] == 16) matrix->value[p] = 0;
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("singular for every s"));
    if (library_under_test() != FactorLibrary::pardiso)  // it does not say which pivots it changed
      CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("row 17"));
  }
  SECTION("a negative mass") {
    a.diagonal.assign(static_cast<std::size_t>(a.n()), 1.0);
    a.diagonal[3] = -1;
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("argument m") && ContainsSubstring("(4, 4)"));
  }
  SECTION("an indefinite M") {
    for (std::int64_t i = 0; i < a.n(); ++i)
      for (std::int64_t p = a.m.offsets[i]; p < a.m.offsets[i + 1]; ++p)
        if (a.m.column[p] != i) a.m.value[p] *= 4;
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("argument m") && ContainsSubstring("semidefinite"));
  }
  SECTION("an unsymmetric K") {
    a.k.value[1] *= 1 + 1e-9;
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("argument a") && ContainsSubstring("symmetric"));
  }
  SECTION("an unsymmetric M") {
    a.m.value[1] *= 1 + 1e-9;
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("argument m") && ContainsSubstring("symmetric"));
  }
  SECTION("a NaN") {
    a.m.value[1] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("argument m") && ContainsSubstring("NaN"));
  }
  SECTION("different orders") {
    a.m = support::box(9, 9, 0).m;
    CHECK_THAT(refused(a, pairs(3)), ContainsSubstring("argument m") && ContainsSubstring("order"));
  }
}

TEST_CASE("Rows of fixed nodes that stay in the matrices") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase good = support::box(12, 9, 0, 1.0, 1 / std::sqrt(2.0));
  // One row more, which is not coupled.
  const double mass = GENERATE(0.0, 1e-308, 1.0);
  PencilCase a = good;
  for (support::Csr* matrix : {&a.k, &a.m}) {
    ++matrix->n;
    matrix->column.push_back(static_cast<std::int32_t>(good.n()));
    matrix->value.push_back(matrix == &a.k ? (mass == 1.0 ? 666.0 : 1.0) : mass);
    matrix->offsets.push_back(matrix->offsets.back() + 1);
  }
  if (mass == 1.0) a.values.push_back(666);
  std::sort(a.values.begin(), a.values.end());
  check_against(a, pairs(10, End::nearest, 600));
  check_against(a, pairs(10));
}

TEST_CASE("Scales do not matter") {
  SKIP_WITHOUT_LIBRARY();
  PencilCase a = support::box(12, 9, 0, 1.0, 1 / std::sqrt(2.0));
  const PencilCase one = a;
  const Found before = solve(one, pairs(5));
  const auto [of_k, of_m] = GENERATE(std::pair(0x1p600, 1.0), std::pair(0x1p-600, 1.0),
                                     std::pair(1.0, 0x1p-500), std::pair(2.1e11, 7.85e-9));
  a.k = one.k.scaled(of_k);
  a.m = one.m.scaled(of_m);
  for (double& value : a.values) value = value * of_k / of_m;
  const Found after = check_against(a, pairs(5));
  for (std::size_t i = 0; i < 5; ++i) CHECK(after.w[i] == Approx(before.w[i] * of_k / of_m).epsilon(1e-13));
}

TEST_CASE("Buckling: both signs, and counts between 0 and a point") {
  SKIP_WITHOUT_LIBRARY();
  const std::int64_t n = 60;
  support::SparseSum k{n};
  PencilCase a{{}, {}, std::vector<double>(static_cast<std::size_t>(n)), {}};
  for (std::int64_t i = 0; i < n; ++i) {
    k.add(i, i, 2);
    if (i > 0) k.add(i, i - 1, -1), k.add(i - 1, i, -1);
    a.diagonal[static_cast<std::size_t>(i)] = i < n / 2 ? 1 : -0.5;
  }
  a.k = support::Csr(k);
  // Positive and negative values come from two shifts.
  for (const double shift : {0.02, -0.03}) {
    CAPTURE(shift);
    FewOptions options = pairs(2, End::nearest, shift);
    options.buckling = true;
    const Found found = solve(a, options);
    check_accurate(a, found, true);
    CHECK(found.report.proven);
    SparseSolver<double> solver(a.k.view(), a.mass(), options);
    for (const double w : found.w) {
      CHECK(w * shift > 0);
      CHECK(std::abs(solver.count(1.001 * w).below - solver.count(0.999 * w).below) == 1);
    }
  }
  FewOptions options = pairs(2, End::nearest, 0);
  options.buckling = true;
  CHECK_THAT(refused(a, options), ContainsSubstring("must not be 0"));
}

TEST_CASE("All pairs of an interval") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = GENERATE(support::box(21, 16, 0), support::box(8, 8, 8), support::five_point(14));
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  const auto at = [&](std::size_t i) { return a.values[i]; };
  const std::size_t n = a.values.size();
  std::vector<std::pair<double, double>> ends = {{at(0), at(30)},  // ends on values
                                                 {at(50) * 1.0001, at(120) * 1.0002},
                                                 {0.5 * at(0), 0.9 * at(0)},  // empty
                                                 {0.0, 2 * at(n - 1)}};       // everything
  if (a.n() > 400) ends.pop_back();
  for (const auto& [low, high] : ends) {
    CAPTURE(a.n(), low, high);
    std::vector<double> w, z;
    const IntervalReport report = solver.interval(low, high, 0, w, &z);
    // A multiple value at an end is on one side, up to rounding errors.
    std::vector<double> exact;
    for (const double value : a.values)
      if (value >= low * (1 - 1e-12) && value < high * (1 - 1e-12)) exact.push_back(value);
    REQUIRE(w.size() == exact.size());
    CHECK(report.m == static_cast<std::int64_t>(exact.size()));
    CHECK(report.expected == report.m);
    CHECK(report.low == low);
    CHECK(report.high == high);
    CHECK(report.proven);
    CHECK(report.status == Status::converged);
    for (std::size_t i = 0; i < w.size(); ++i) CHECK(std::abs(w[i] - exact[i]) <= 1e-12 * exact.back());
    CHECK(passed(verify<double>(a.k.view(), a.mass(), report.m, w.data(), z.data(), a.n())));
    if (exact.empty()) {
      CHECK(report.products == 0);
    } else {
      CHECK_THROWS_WITH(solver.interval(low, high, report.m - 1, w, &z), ContainsSubstring("max_pairs"));
    }
  }
}

TEST_CASE("Start vectors cannot spoil a search") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::massless_chain(150);
  const Found plain = solve(a, pairs(6));
  std::vector<double> start(static_cast<std::size_t>(a.n()));
  const int kind = GENERATE(0, 1, 2);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = kind == 0   ? plain.z[i]
               : kind == 1 ? static_cast<double>(i % 2 == 0)
                           : std::sin(3.0 * static_cast<double>(i));
  if (kind == 2)  // M-orthogonal to all wanted
    for (std::int64_t j = 0; j < 6; ++j) {
      const double* const z = plain.z.data() + j * a.n();
      double product = 0;
      for (std::size_t i = 0; i < start.size(); ++i) product += z[i] * a.diagonal[i] * start[i];
      for (std::size_t i = 0; i < start.size(); ++i) start[i] -= product * z[i];
    }
  FewOptions options = pairs(6);
  options.start = start.data();
  options.start_count = 1;
  options.start_ld = a.n();
  check_against(a, options);
}

TEST_CASE("Buckling of a plate: pairs far from the shift converge too") {
  SKIP_WITHOUT_LIBRARY();
  const std::int64_t nx = 13;
  const PencilCase box = support::box(nx, 12, 0);
  PencilCase a{box.k, {}, std::vector<double>(static_cast<std::size_t>(box.n())), {}};
  for (std::int64_t i = 0; i < a.n(); ++i) a.diagonal[static_cast<std::size_t>(i)] = i % nx < 7 ? 1 : -0.5;
  for (const double shift : {0.05, 0.117, -0.1})
    for (const std::int64_t count : {3, 6}) {
      CAPTURE(shift, count);
      FewOptions options = pairs(count, End::nearest, shift);
      options.buckling = true;
      const Found found = solve(a, options);
      check_accurate(a, found, true);
      CHECK(found.report.proven);
    }
}

TEST_CASE(
    "A matrix without structure: pairs on one side of a shift that all but hits a value of the other side") {
  SKIP_WITHOUT_LIBRARY();
  support::SparseSum sum{700};
  std::mt19937_64 random(5);
  for (int e = 0; e < 7000; ++e) {
    const auto i = static_cast<std::int64_t>(random() % 700), j = static_cast<std::int64_t>(random() % 700);
    const double entry = static_cast<double>(random() >> 11) * 0x1p-53;
    sum.add(i, j, entry);
    if (i != j) sum.add(j, i, entry);
  }
  PencilCase a;
  a.k = support::Csr(sum);
  a.diagonal.assign(700, 1.0);
  for (const double shift : {0.0, 0.1, -0.2, 1e4})
    for (const End end : {End::nearest, End::above, End::below})
      for (const std::int64_t count : {6, 40}) {
        if (shift == 1e4 && end == End::above) continue;  // there are none
        CAPTURE(shift, static_cast<int>(end), count);
        const Found found = solve(a, pairs(count, end, shift));
        check_accurate(a, found);
        CHECK(found.report.proven);
        for (const double error : found.report.backward_errors) CHECK(error <= found.report.tolerance);
        CHECK(found.report.backward_errors.size() == found.w.size());
      }
}

TEST_CASE("Buckling with an ill-conditioned stiffness: long vectors pass the verification") {
  SKIP_WITHOUT_LIBRARY();
  constexpr std::int64_t n = 200;
  support::SparseSum stiffness{n}, load{n};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = std::max<std::int64_t>(0, i - 2); j <= std::min(n - 1, i + 2); ++j) {
      const double ends = i == j && (i == 0 || i == n - 1) ? -1 : 0;  // D^2 of D = tridiagonal(-1, 2, -1)
      stiffness.add(i, j, (i == j ? 6 : std::abs(i - j) == 1 ? -4 : 1) + ends);
      if (std::abs(i - j) <= 1) load.add(i, j, i == j ? 2 : -1);
    }
  PencilCase a;
  a.k = support::Csr(stiffness);
  a.m = support::Csr(load);
  FewOptions options = pairs(4, End::nearest, 1e-4);
  options.buckling = true;
  const Found found = solve(a, options);
  check_accurate(a, found, true);
  for (std::size_t i = 0; i < 4; ++i) {
    const double exact =
        4 * std::pow(std::sin(static_cast<double>(i + 1) * std::numbers::pi / (2 * (n + 1))), 2);
    CHECK(std::abs(found.w[i] - exact) <= 1e-8 * exact);
  }
}

TEST_CASE("More pairs below a target than there are: refused at once, with their number") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(12, 11, 0, 1.0, 1 / std::sqrt(2.0));
  const double target = (a.values[2] + a.values[3]) / 2;
  check_against(a, pairs(3, End::below, target));
  CHECK_THAT(refused(a, pairs(5, End::below, target)),
             ContainsSubstring("there are only 3 finite eigenvalues on this side of the target"));
}

TEST_CASE("K is indefinite: the lowest and the highest pairs") {
  SKIP_WITHOUT_LIBRARY();
  PencilCase a = support::box(12, 11, 0);
  for (std::size_t p = 0; p < a.k.value.size(); ++p) a.k.value[p] -= 800 * a.m.value[p];  // the same pattern
  for (double& value : a.values) value -= 800;
  for (const std::int64_t k : {1, 10}) {
    check_against(a, pairs(k));
    check_against(a, pairs(k, End::highest));
  }
}

TEST_CASE("K is a diagonal of both signs, and M a stiffness matrix: the lowest and the highest pairs") {
  SKIP_WITHOUT_LIBRARY();
  const std::int64_t nx = 12, n = nx * 13;
  const PencilCase box = support::box(nx, 13, 0);
  support::SparseSum k{n};
  for (std::int64_t i = 0; i < n; ++i) k.add(i, i, i % nx < nx / 2 ? 1 : -0.5);
  PencilCase a{support::Csr(k), box.k, {}, {}};
  std::vector<double> dense_k(static_cast<std::size_t>(n * n)), dense_m(dense_k.size());
  for (std::int64_t i = 0; i < n; ++i) {
    dense_k[static_cast<std::size_t>(i + n * i)] = a.k.value[static_cast<std::size_t>(i)];
    for (std::int64_t p = a.m.offsets[static_cast<std::size_t>(i)];
         p < a.m.offsets[static_cast<std::size_t>(i) + 1]; ++p)
      dense_m[static_cast<std::size_t>(i + n * a.m.column[static_cast<std::size_t>(p)])] =
          a.m.value[static_cast<std::size_t>(p)];
  }
  a.values.resize(static_cast<std::size_t>(n));
  Options options;
  options.vectors = false;
  Devices devices;
  devices.device = DeviceChoice::cpu;
  REQUIRE(sygvd({.itype = 1}, n, dense_k.data(), n, dense_m.data(), n, a.values.data(), nullptr, n, options,
                devices)
              .status == Status::converged);
  for (const std::int64_t count : {1, 2, 4}) {
    CAPTURE(count);
    check_against(a, pairs(count), 1e-11);
    check_against(a, pairs(count, End::highest), 1e-11);
  }
}

TEST_CASE("Small pencils and the identity") {
  SKIP_WITHOUT_LIBRARY();
  const auto diagonal = [](const std::vector<double>& values) {
    support::SparseSum k{static_cast<std::int64_t>(values.size())};
    for (std::int64_t i = 0; i < k.n; ++i) k.add(i, i, values[static_cast<std::size_t>(i)]);
    return PencilCase{support::Csr(k), {}, std::vector<double>(values.size(), 1.0), values};
  };
  check_against(diagonal({1}), pairs(1));
  check_against(diagonal({1}), pairs(1, End::nearest, 1));
  const PencilCase three = diagonal({1, 2, 3});
  check_against(three, pairs(3));
  check_against(three, pairs(2, End::nearest, 1.9));
  check_against(three, pairs(1, End::nearest, 2));
  check_against(three, pairs(3, End::nearest, 2));
  check_against(three, pairs(1, End::above, 2.5));
  CHECK_THAT(refused(three, pairs(2, End::above, 2.5)), ContainsSubstring("argument count"));
  std::vector<double> far_away{-1e6};
  for (int i = 1; i <= 60; ++i) far_away.push_back(i);
  check_against(diagonal(far_away), pairs(4));
  const PencilCase identity = diagonal(std::vector<double>(50, 1.0));
  check_against(identity, pairs(7));
  check_against(identity, pairs(50));
  check_against(identity, pairs(7, End::nearest, 1));
  check_against(identity, pairs(7, End::nearest, 0.3));
}

TEST_CASE("The same call twice gives the same bits") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(8, 8, 8);
  const Found first = solve(a, pairs(10, End::nearest, 200.3)),
              second = solve(a, pairs(10, End::nearest, 200.3));
  CHECK(first.w == second.w);
  CHECK(first.z == second.z);
}

TEST_CASE("A solver serves several calls, and other values with the same pattern") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(20, 15, 0), other = support::box(20, 15, 0, 2.0, 1.0);
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  CHECK(solver.order() == a.n());
  CHECK(solver.factor_entries() > a.n());
  CHECK(solver.factor_bytes() > 8 * static_cast<std::uint64_t>(solver.factor_entries()));
  std::vector<double> w(4);
  for (const double shift : {0.0, 500.0}) {
    const FewOptions options = pairs(4, End::nearest, shift);
    CHECK(solver.solve(options, w.data(), nullptr, a.n()).proven);
    const std::vector<double> exact = wanted(a.values, options);
    for (std::size_t i = 0; i < 4; ++i) CHECK(w[i] == Approx(exact[i]).epsilon(1e-12));
  }
  solver.set_values(other.k.value.data(), other.m.value.data());
  CHECK(solver.solve(pairs(4), w.data(), nullptr, a.n()).proven);
  for (std::size_t i = 0; i < 4; ++i) CHECK(w[i] == Approx(other.values[i]).epsilon(1e-12));
}

TEST_CASE("Pairs of one matrix near a target are found without a dense matrix") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::five_point(40);
  const FewOptions options = pairs(8, End::nearest, 3.3);
  std::vector<double> w(8), z(static_cast<std::size_t>(8 * a.n()));
  const FewReport report = solve_few(a.k.view(), w.data(), z.data(), a.n(), options);
  CHECK(report.method == FewMethod::shift_invert);
  CHECK(report.proven);
  const std::vector<double> exact = wanted(a.values, options);
  for (std::size_t i = 0; i < 8; ++i) CHECK(w[i] == Approx(exact[i]).epsilon(1e-12));
  CHECK(passed(verify<double>(a.k.view(), 8, w.data(), z.data(), a.n())));
}

TEST_CASE("The inverse as an operator") {
  SKIP_WITHOUT_LIBRARY();
  const std::int64_t n = 120, width = 4;
  // K is tridiagonal: 2 - target on the diagonal, -1 next to it.
  const double target = 1.0;
  int calls = 0;
  const SparseOperator<double> inverse{n, [&](const double* x, double* y) {
                                         ++calls;
                                         for (std::int64_t j = 0; j < width; ++j) {  // without pivots
                                           std::vector<double> d(static_cast<std::size_t>(n)), b(d.size());
                                           for (std::int64_t i = 0; i < n; ++i) {
                                             const double factor = i > 0 ? -1 / d[i - 1] : 0;
                                             d[i] = 2 - target + 0.001 - (i > 0 ? factor * -1 : 0);
                                             b[i] = x[width * i + j] - (i > 0 ? factor * b[i - 1] : 0);
                                           }
                                           for (std::int64_t i = n - 1; i >= 0; --i)
                                             y[width * i + j] =
                                                 (b[i] + (i + 1 < n ? y[width * (i + 1) + j] : 0)) / d[i];
                                         }
                                       }};
  const SparseOperator<double> k{n, [&](const double* x, double* y) {
                                   for (std::int64_t i = 0; i < n; ++i)
                                     for (std::int64_t j = 0; j < width; ++j)
                                       y[width * i + j] = 2.001 * x[width * i + j] -
                                                          (i > 0 ? x[width * (i - 1) + j] : 0) -
                                                          (i + 1 < n ? x[width * (i + 1) + j] : 0);
                                 }};
  std::vector<double> exact, w(5), z(static_cast<std::size_t>(5 * n));
  for (std::int64_t i = 1; i <= n; ++i)
    exact.push_back(2.001 -
                    2 * std::cos(static_cast<double>(i) * std::numbers::pi / static_cast<double>(n + 1)));
  const FewOptions options = pairs(5, End::nearest, target);
  exact = wanted(exact, options);
  for (const bool with_k : {true, false}) {
    const FewReport report = solve_few(with_k ? k : SparseOperator<double>{n, {}}, SparseOperator<double>{},
                                       inverse, w.data(), z.data(), n, options);
    CHECK(report.status == Status::converged);
    CHECK(report.probed);
    CHECK(!report.proven);
    for (std::size_t i = 0; i < 5; ++i) CHECK(w[i] == Approx(exact[i]).epsilon(1e-12));
  }
  CHECK(calls > 0);
}

TEST_CASE("A large matrix is not solved densely in silence") {
  const std::int64_t n = 60000;
  support::Csr a;
  a.n = n;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = std::max<std::int64_t>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      a.column.push_back(static_cast<std::int32_t>(j));
      a.value.push_back(i == j ? 2 : -1);
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.column.size()));
  }
  FewOptions options = pairs(4, End::nearest, 1.3);
  options.library = FactorLibrary::none;
  std::vector<double> w(4);
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH(solve_few(a.view(), w.data(), nullptr, n, options),
                    ContainsSubstring("argument library") && ContainsSubstring("factorisation"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("A missing copy fails the verification by counts, a turned vector the residual") {
  SKIP_WITHOUT_LIBRARY();
  const PencilCase a = support::box(10, 10, 0);
  Found found = solve(a, pairs(6));
  SparseSolver<double> solver(a.k.view(), a.mass(), pairs(1));
  const double behind = (found.w[5] + a.values[6]) / 2;
  CHECK(solver.count(behind).below == 6);
  for (std::int64_t i = 0; i < a.n(); ++i) found.z[i] += 1e-6 * found.z[a.n() + i];
  CHECK_FALSE(passed(verify<double>(a.k.view(), a.mass(), 6, found.w.data(), found.z.data(), a.n())));
}
