// Tests of the whole divide and conquer by its host executor, which runs the GPU driver's levels and phases. It is compared with
// LAPACK's dstedc, with bisection and with itself.
#include "solver/tridiagonal/dc_host.hpp"

#include <cstring>

#include "apps/generate/sturm.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::OnCpuResult;
using support::Tridiagonal;
namespace limits = support::limits;

namespace {

bool same_bits(const double* x, const double* y, std::size_t count) {
  return count == 0 || std::memcmp(x, y, count * sizeof(double)) == 0;
}

void check_on_cpu(const Tridiagonal& t, const std::string& kind) {
  const OnCpuResult pairs = support::dc_on_cpu(t.d, t.e), values = support::dc_on_cpu(t.d, t.e, false);
  REQUIRE(pairs.outcome.status == Status::converged);
  REQUIRE(values.outcome.status == Status::converged);
  support::check_decomposition(t, pairs.w, pairs.z, t.n(), "T: " + kind, support::Machine::cpu);
  CHECK(support::value_distance(t, pairs.w, support::dstedc_values(t)) <= limits::eigenvalue);
  if (t.n() <= 100 || t.n() % 13 == 0)
    CHECK(support::value_ulps(t, pairs.w, generate::sturm_eigenvalues(t.d, t.e)) <= limits::host_values);
  CHECK(same_bits(values.w.data(), pairs.w.data(), pairs.w.size()));
}

}  // namespace

TEST_CASE("the host executor: random T of every size to 300, then around the tree's edges") {
  for (std::int64_t n = 1; n <= 300; ++n) {
    CAPTURE(n);
    check_on_cpu(support::random_tridiagonal(n, static_cast<std::uint64_t>(n)), "random");
  }
  for (const std::int64_t n : {255, 256, 257, 500, 513, 777}) {
    CAPTURE(n);
    check_on_cpu(support::reduced_random(n), "reduced random");
  }
}

TEST_CASE("the host executor: every kind of T") {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {2, 9, 40, 105, 300, 399}) {
      if (kind == "subnormal" && n < 40) continue;  // the rounding of a value exceeds n ulp
      CAPTURE(kind, n);
      check_on_cpu(support::tridiagonal(kind, n), kind);
    }
}

TEST_CASE("the host executor: published tridiagonal matrices") {
  const auto paths = support::published_tridiagonals();
  if (paths.empty()) SKIP_TEST("no folder of real matrices");
  for (const std::string& path : paths) {
    const Tridiagonal t = support::read_tridiagonal(path);
    if (t.n() > 1000) continue;
    CAPTURE(path);
    check_on_cpu(t, path.substr(path.rfind('/') + 1));
  }
}

TEST_CASE("the host executor: the vectors of a random T are more orthogonal than LAPACK's") {
  const Tridiagonal t = support::reduced_random(777);
  std::vector<double> d = t.d, e = t.e, z(777 * 777);
  e.push_back(0);
  REQUIRE(LAPACKE_dstedc(LAPACK_COL_MAJOR, 'I', 777, d.data(), e.data(), z.data(), 777) == 0);
  const double ours = support::orthogonality(777, support::dc_on_cpu(t.d, t.e).z);
  CAPTURE(ours, support::orthogonality(777, z));
  CHECK(ours <= limits::tridiagonal_orthogonality);
  CHECK(ours < support::orthogonality(777, z));
}

TEST_CASE("the host executor: no root takes many steps") {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {40, 105, 399}) {
      CAPTURE(kind, n);
      const Tridiagonal t = support::tridiagonal(kind, n);
      CHECK(support::max_secular_steps(t.d, t.e) <= 40);
    }
}

TEST_CASE("the host executor: U in several panels gives the result of one panel") {
  const Tridiagonal t = support::reduced_random(200);
  const OnCpuResult whole = support::dc_on_cpu(t.d, t.e, true, {}, 200),
                    parts = support::dc_on_cpu(t.d, t.e, true, {}, 7);
  CHECK(same_bits(parts.w.data(), whole.w.data(), whole.w.size()));
  support::check_decomposition(t, parts.w, parts.z, 200, "T: reduced random", support::Machine::cpu);
}

TEST_CASE("the host executor: a subset is cut out of the whole solution") {
  for (const char* kind : {"reduced random", "glued 1e-8", "clustered", "zero"})
    for (const std::int64_t n : {5, 8, 9, 60, 300}) {
      CAPTURE(kind, n);
      const Tridiagonal t = support::tridiagonal(kind, n);
      const OnCpuResult all = support::dc_on_cpu(t.d, t.e);
      const std::int64_t first = n / 4, count = n / 2;
      const auto check = [&](const Subset& subset, bool vectors, std::int64_t from, std::int64_t found) {
        const OnCpuResult some = support::dc_on_cpu(t.d, t.e, vectors, {subset, 0});
        REQUIRE(some.outcome.status == Status::converged);
        CHECK(some.outcome.found.first == from);
        REQUIRE(some.outcome.found.count == found);
        if (vectors) CHECK(same_bits(some.w.data(), all.w.data() + from, some.w.size()));
        double worst = 0;  // products of other widths may have another order of summation
        for (std::size_t i = 0; i < some.z.size(); ++i)
          worst = std::max(worst, std::fabs(some.z[i] - all.z[static_cast<std::size_t>(from * n) + i]));
        CHECK(worst <= static_cast<double>(n) * limits::ulp);
      };
      for (const bool vectors : {true, false})
        check(Subset::by_index(first + 1, first + count), vectors, first, count);
      check(Subset::by_index(1, 0), true, 0, 0);
      const double below = all.w[static_cast<std::size_t>(first)], upto = all.w.back();
      if (!(below < upto)) continue;
      const auto from = std::upper_bound(all.w.begin(), all.w.end(), below) - all.w.begin();
      check(Subset::by_value(below, upto), true, from, n - from);
    }
}

TEST_CASE("the host executor: a range of rows is cut out of the whole solution") {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {9, 17, 40, 105, 300}) {
      if (kind == "subnormal") continue;
      const Tridiagonal t = support::tridiagonal(kind, n);
      const OnCpuResult all = support::dc_on_cpu(t.d, t.e);
      const auto check = [&](std::int64_t first, std::int64_t count) {
        CAPTURE(kind, n, first, count);
        std::vector<double> w = t.d, z(static_cast<std::size_t>(count * n), support::nan);
        REQUIRE(dc::divide_and_conquer_on_host(n, w.data(), t.e.data(), {z.data(), count, n, count},
                                               {{}, 0, first}, 100)
                    .status == Status::converged);
        CHECK(same_bits(w.data(), all.w.data(), all.w.size()));
        double worst = 0;  // products of other heights may have another order of summation
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < count; ++i) {
            const double difference = z[static_cast<std::size_t>(i + j * count)] -
                                      all.z[static_cast<std::size_t>(first + i + j * n)];
            worst = std::isnan(difference) ? support::infinity : std::max(worst, std::fabs(difference));
          }
        CHECK(worst <= static_cast<double>(n) * limits::ulp);
      };
      check(0, n / 2);
      check(n / 2, n - n / 2);
      check(n / 3, n / 3);
      check(n / 5, 1);
      check(n - 1, 1);
    }
}

TEST_CASE("the host executor: a NaN or an infinity in T is an outcome with its row") {
  Tridiagonal t = support::random_tridiagonal(60);
  t.d[41] = support::nan;
  const DivideAndConquerResult outcome = support::dc_on_cpu(t.d, t.e).outcome;
  CHECK(outcome.status == Status::not_converged);
  CHECK(outcome.info == 42);
}

TEST_CASE("the host executor: nothing to do is done") {
  CHECK(dc::divide_and_conquer_on_host<double>(0, nullptr, nullptr, {}).status == Status::converged);
}
