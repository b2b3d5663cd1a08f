// The whole divide and conquer, its acts run on the CPU, against LAPACK's dstedc and against itself.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;
namespace limits = support::limits;

namespace {

void check_on_cpu(const Tridiagonal& t, double limit) {
  const support::OnCpuResult pairs = support::dc_on_cpu(t.d, t.e),
                             values = support::dc_on_cpu(t.d, t.e, false);
  REQUIRE(pairs.failed == 0);
  CHECK(pairs.most_steps <= 40);
  support::check_decomposition(t, pairs.w, pairs.z, t.n(), limit);
  CHECK(support::value_distance(t, pairs.w, support::dstedc_values(t)) <= limits::eigenvalue);
  CHECK(support::value_distance(t, values.w, pairs.w) <= limits::values_only);
}

}  // namespace

TEST_CASE("The vectors of a random T are more orthogonal than LAPACK's") {
  const Tridiagonal t = support::reduced_random(777);
  std::vector<double> d = t.d, e = t.e, z(777 * 777);
  e.push_back(0);
  REQUIRE(divide_and_conquer(777, d.data(), e.data(), {z.data(), 777, 777, 777}).status == Status::converged);
  const double ours = support::orthogonality(777, support::dc_on_cpu(t.d, t.e).z);
  CAPTURE(ours, support::orthogonality(777, z));
  CHECK(ours <= limits::tridiagonal_orthogonality);
  CHECK(ours < support::orthogonality(777, z));
}

TEST_CASE("The acts together on the CPU: random T of every size to 140, then around the tree's edges") {
  for (std::int64_t n = 1; n <= 140; ++n) {
    CAPTURE(n);
    check_on_cpu(support::random_tridiagonal(n, static_cast<std::uint64_t>(n)), support::random_limit(n));
  }
  for (const std::int64_t n : {255, 256, 257, 500, 513, 777}) {
    CAPTURE(n);
    check_on_cpu(support::reduced_random(n), support::random_limit(n));
  }
}

TEST_CASE("The acts together on the CPU: every kind of T") {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {40, 105, 399}) {
      CAPTURE(kind, n);
      check_on_cpu(support::tridiagonal(kind, n), limits::tridiagonal);
    }
}

TEST_CASE("The acts together on the CPU: published tridiagonal matrices") {
  const auto paths = support::published_tridiagonals();
  if (paths.empty()) SKIP_TEST("no folder of real matrices");
  for (const std::string& path : paths) {
    const Tridiagonal t = support::read_tridiagonal(path);
    if (t.n() > 1000) continue;
    CAPTURE(path);
    check_on_cpu(t, limits::tridiagonal);
  }
}

TEST_CASE("A panel of U's columns at a time gives what all at once give") {
  const Tridiagonal t = support::reduced_random(200);
  const auto whole = support::dc_on_cpu(t.d, t.e, true, 200), parts = support::dc_on_cpu(t.d, t.e, true, 7);
  CHECK(support::value_distance(t, parts.w, whole.w) <=
        limits::values_only);  // BLAS may add up narrow products otherwise
  support::check_decomposition(t, parts.w, parts.z, 200);
}

TEST_CASE("A NaN or an infinity in T is an outcome with its row") {
  Tridiagonal t = support::random_tridiagonal(60);
  t.d[41] = support::nan;
  CHECK(support::dc_on_cpu(t.d, t.e).failed == 42);
}

TEST_CASE("LAPACK's divide and conquer passes the same checks") {
  for (const std::string& kind : support::tridiagonal_kinds) {
    CAPTURE(kind);
    const Tridiagonal t = support::tridiagonal(kind, 105);
    std::vector<double> d = t.d, e = t.e, z(105 * 105);
    e.push_back(0);
    const Outcome outcome = divide_and_conquer(105, d.data(), e.data(), {z.data(), 105, 105, 105});
    CHECK(outcome.status == Status::converged);
    support::check_decomposition(t, d, z, 105);
  }
}
