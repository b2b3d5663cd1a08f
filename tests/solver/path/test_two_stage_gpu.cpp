// Solves by the two-stage path on a GPU: verified eigenpairs, values with vectors and without, subsets.
#include "solver/api/eigen_g.hpp"

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/solver.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::Asked;
using support::random_matrix;
using support::Solved;
using support::Stored;

namespace {

Asked in_two_stages(bool vectors = true) {
  Asked o = support::options(Place::gpu, vectors);
  o.path = Path::two_stage;
  return o;
}

void check(const Stored& s, const std::string& family = "random", std::int64_t padding = 0) {
  CAPTURE(s.n, support::name(s.uplo), family);
  const Solved pairs = support::solve_guarded(s, in_two_stages(), padding);
  const Solved values = support::solve_guarded(s, in_two_stages(false), padding);
  CHECK(pairs.report.path == Path::two_stage);
  CHECK(support::eigenvalue_ratio(values.w, pairs.w) <= support::limits::values_only);
  support::check_pairs(s, pairs, family);
}

}  // namespace

TEST_CASE("two stages on a GPU: every small order", "[gpu]") {
  NEEDS_GPU();
  for (std::int64_t n = 1; n <= 200; n += n < 140 ? 1 : 7) check(random_matrix(n));
}

TEST_CASE("two stages on a GPU: around the edges of the band's blocks", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {255, 256, 257, 319, 320, 321, 511, 513, 1023, 1087, 1090})
    check(random_matrix(n, n % 2 == 0 ? Uplo::lower : Uplo::upper), "random", n % 3);
}

TEST_CASE("two stages on a GPU: every kind of matrix", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {130, 517})
    for (const char* kind : support::reduction::families) {
      support::reduction::Matrix a = support::reduction::family(kind, n);
      CAPTURE(kind, n);
      const Stored s = support::stored(a, n);
      const Solved pairs = support::solve_guarded(s, in_two_stages());
      CHECK(support::eigenvalue_ratio(support::solve_guarded(s, in_two_stages(false)).w, pairs.w) <=
            support::limits::values_only);
      REQUIRE(pairs.report.status == Status::converged);
      const Verification v =
          verify(s.uplo, n, s.a.data(), s.lda, n, pairs.w.data(), pairs.z.data(), pairs.ldz, Place::cpu);
      CHECK(v.finite);
      CHECK(passed(v));
    }
}

TEST_CASE("two stages on a GPU: LAPACK's types", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 300;
  for (int type = 1; type <= support::lapack_types; ++type) {
    CAPTURE(type);
    const Stored s = support::stored(support::lapack_matrix(type, n, 3), n);
    const Solved pairs = support::solve_guarded(s, in_two_stages());
    REQUIRE(pairs.report.status == Status::converged);
    CHECK(passed(
        verify(s.uplo, n, s.a.data(), s.lda, n, pairs.w.data(), pairs.z.data(), pairs.ldz, Place::cpu)));
  }
}

TEST_CASE("two stages on a GPU: subsets, bits, stages, bytes", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 700;
  const Stored s = random_matrix(n);
  const Solved all = support::solve_guarded(s, in_two_stages());
  CHECK(support::same_bits(all.z, support::solve_guarded(s, in_two_stages()).z));
  for (const Stage stage : {Stage::full_to_band, Stage::chase, Stage::chase_back, Stage::band_back})
    CHECK(all.report.seconds_of(stage) > 0);
  CHECK(all.report.seconds_of(Stage::tridiagonalize) == 0);
  CHECK(all.report.bytes.device <= workspace_bytes(n, {.path = Path::two_stage}, true).device);

  Asked o = in_two_stages();
  o.subset = Subset::numbers(31, 80);
  const Solution<double> part = solve(n, s.a.data(), s.lda, o, o);
  REQUIRE(part.report.m == 50);
  CHECK(std::equal(part.values.begin(), part.values.end(), all.w.begin() + 30));
  const Verification v =
      verify(s.uplo, n, s.a.data(), s.lda, 50, part.values.data(), part.vectors.data(), n, Place::cpu);
  CHECK(v.lapack_orthogonality < support::limits::reduction * 50);
  CHECK(v.residual_frobenius < 1e-10);
}

TEST_CASE("two stages without a GPU are refused by name") {
  double a = 1, w = 0;
  Asked o = support::options(Place::cpu, false);
  o.path = Path::two_stage;
  try {
    (void)eigen_g::eigen_g<double>(1, &a, 1, &w, nullptr, 1, o, o);
    FAIL_CHECK("was accepted");
  } catch (const InvalidArgument& error) {
    CHECK(error.argument() == Argument::path);
  }
}
