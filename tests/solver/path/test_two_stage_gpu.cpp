// Tests of the two-stage path on a GPU: verified eigenpairs, values with and without vectors, subsets.
#include "solver/api/eigen_g.hpp"

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/solver.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "tests/support/complex_matrix.hpp"
#include "tests/support/float_matrix.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::OptionsAndDevices;
using support::random_matrix;
using support::Solved;
using support::Stored;

namespace {

OptionsAndDevices in_two_stages(bool vectors = true) {
  OptionsAndDevices o = support::options(DeviceChoice::gpu, vectors);
  o.path = Path::two_stage;
  return o;
}

void check(const Stored& s, const std::string& family = "random", std::int64_t padding = 0,
           bool same_values = true) {
  CAPTURE(s.n, support::name(s.uplo), family);
  const Solved pairs = support::solve_guarded(s, in_two_stages(), padding);
  const Solved values = support::solve_guarded(s, in_two_stages(false), padding);
  CHECK(pairs.report.path == Path::two_stage);
  if (same_values)
    CHECK(support::same_bits(values.w, pairs.w));
  else
    CHECK(support::eigenvalue_ratio(values.w, pairs.w) <= support::limits::values_only);
  support::check_pairs(s, pairs, family);
}

}  // namespace

TEST_CASE("two-stage path on a GPU: every small order", "[gpu]") {
  NEEDS_GPU();
  for (std::int64_t n = 1; n <= 200; n += n < 140 ? 1 : 7) check(random_matrix(n));
}

TEST_CASE("two-stage path on a GPU: around the edges of the band's blocks", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {255, 256, 257, 319, 320, 321, 511, 513, 1023, 1087, 1090})
    check(random_matrix(n, n % 2 == 0 ? Uplo::lower : Uplo::upper), "random", n % 3);
}

TEST_CASE("two-stage path on a GPU: every kind of matrix", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {130, 517})
    for (const char* kind : support::reduction::families) {
      support::reduction::Matrix a = support::reduction::family(kind, n);
      CAPTURE(kind, n);
      const Stored s = support::stored(a, n);
      const Solved pairs = support::solve_guarded(s, in_two_stages());
      CHECK(support::same_bits(support::solve_guarded(s, in_two_stages(false)).w, pairs.w));
      REQUIRE(pairs.report.status == Status::converged);
      const Verification v = verify(s.uplo, n, s.a.data(), s.lda, n, pairs.w.data(), pairs.z.data(),
                                    pairs.ldz, DeviceChoice::cpu);
      CHECK(v.finite);
      CHECK(passed(v));
    }
}

// A matrix that is a band already is chased without a reduction to a band; with vectors only if the band is narrow. If solves
// with and without vectors both do so, the values have the same bits.
TEST_CASE("two-stage path on a GPU: bands of every width", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 700;
  const GivenBands widest = two_stage_tuning().max_given_band;
  for (const std::int64_t width : {0, 1, 2, 31, 32, 33, 48, 49, 64, 65, 96, 97, 128, 129}) {
    CAPTURE(width);
    Stored s = random_matrix(n, width % 2 == 0 ? Uplo::lower : Uplo::upper, width % 3);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        if (s.used(i, j) && std::abs(i - j) > width) s.at(i, j) = 0;
    check(s, "random", width % 2, width <= widest.with_vectors || width > widest.of_values);
    const Solved pairs = support::solve_guarded(s, in_two_stages()),
                 values = support::solve_guarded(s, in_two_stages(false));
    CHECK((pairs.report.seconds_of(Stage::full_to_band) > 0) == (width > widest.with_vectors));
    CHECK((pairs.report.seconds_of(Stage::back_transform_band) > 0) == (width > widest.with_vectors));
    CHECK((values.report.seconds_of(Stage::full_to_band) > 0) == (width > widest.of_values));
    CHECK(pairs.report.bytes.device <= workspace_bytes(n, {.path = Path::two_stage}, true).device);
    CHECK(support::same_bits(pairs.z, support::solve_guarded(s, in_two_stages()).z));
  }
}

// One solver solves a full matrix after a banded one. It must not keep any state of the banded one.
TEST_CASE("two-stage path on a GPU: one solver, bands and full matrices in turns", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 300;
  const Stored full = random_matrix(n);
  Stored band = full;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j + 3; i < n; ++i) band.at(i, j) = 0;
  Context context(in_two_stages());
  Solver<double> solver(context, n, in_two_stages());
  const Stored& banded = band;
  for (const Stored* s : {&full, &banded, &full, &banded}) {
    Solved by_turns{std::vector<double>(n), std::vector<double>(n * n), n, {}};
    by_turns.report = solver.solve(s->a.data(), s->lda, by_turns.w.data(), by_turns.z.data(), n);
    const Solved alone = support::solve_guarded(*s, in_two_stages());
    CHECK(support::same_bits(by_turns.w, alone.w));
    CHECK(support::same_bits(by_turns.z, alone.z));
  }
}

// The requested engine runs the large products. The values have the bits of a solve without vectors.
TEST_CASE("two-stage path on a GPU: forced engines", "[gpu][large]") {
  NEEDS_GPU();
  std::vector<Engine> forced{Engine::df, Engine::ozaki, Engine::ozaki_fast};
  if (engine_built(Engine::emulated)) forced.push_back(Engine::emulated);
  if (engine_runs(Engine::ozaki_fp8)) forced.push_back(Engine::ozaki_fp8);
  for (const std::int64_t n : {600, 917, 1300})
    for (const Engine engine : forced) {
      CAPTURE(n, name(engine));
      const Stored s = random_matrix(n, n % 2 == 0 ? Uplo::lower : Uplo::upper, 1);
      OptionsAndDevices o = in_two_stages();
      o.engine = engine;
      const Solved pairs = support::solve_guarded(s, o);
      REQUIRE(pairs.report.status == Status::converged);
      for (const StageWork& work : pairs.report.stages)
        if (work.stage == Stage::full_to_band || work.stage == Stage::back_transform_chase) {
          CAPTURE(name(work.stage));
          CHECK(work.flops[engine] > work.flops[Engine::native]);
        }
      const Verification v = verify(s.uplo, n, s.a.data(), s.lda, n, pairs.w.data(), pairs.z.data(),
                                    pairs.ldz, DeviceChoice::cpu);
      CHECK(passed(v));
      o.vectors = false;
      CHECK(support::same_bits(support::solve_guarded(s, o).w, pairs.w));
    }
}

TEST_CASE("two-stage path on a GPU: LAPACK's types", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 300;
  for (int type = 1; type <= support::lapack_types; ++type) {
    CAPTURE(type);
    const Stored s = support::stored(support::lapack_matrix(type, n, 3), n);
    const Solved pairs = support::solve_guarded(s, in_two_stages());
    REQUIRE(pairs.report.status == Status::converged);
    CHECK(passed(verify(s.uplo, n, s.a.data(), s.lda, n, pairs.w.data(), pairs.z.data(), pairs.ldz,
                        DeviceChoice::cpu)));
  }
}

TEST_CASE("two-stage path on a GPU: subsets, bits, stages, bytes", "[gpu][large]") {
  NEEDS_GPU();
  const std::int64_t n = 700;
  const Stored s = random_matrix(n);
  const Solved all = support::solve_guarded(s, in_two_stages());
  CHECK(support::same_bits(all.z, support::solve_guarded(s, in_two_stages()).z));
  for (const Stage stage :
       {Stage::full_to_band, Stage::chase, Stage::back_transform_chase, Stage::back_transform_band})
    CHECK(all.report.seconds_of(stage) > 0);
  CHECK(all.report.seconds_of(Stage::tridiagonalize) == 0);
  CHECK(all.report.bytes.device <= workspace_bytes(n, {.path = Path::two_stage}, true).device);

  OptionsAndDevices o = in_two_stages();
  o.subset = Subset::by_index(31, 80);
  const Solution<double> part = solve(n, s.a.data(), s.lda, o, o);
  REQUIRE(part.report.m == 50);
  CHECK(std::equal(part.values.begin(), part.values.end(), all.w.begin() + 30));
  const Verification v =
      verify(s.uplo, n, s.a.data(), s.lda, 50, part.values.data(), part.vectors.data(), n, DeviceChoice::cpu);
  CHECK(v.lapack_orthogonality < support::limits::reduction * 50);
  CHECK(v.residual_frobenius < 1e-10);
}

TEST_CASE("two-stage path in float on a GPU: small orders, edges, families", "[gpu][large]") {
  NEEDS_GPU();
  const auto in_float = [](const Stored& s, std::int64_t padding = 0) {
    CAPTURE(s.n, support::name(s.uplo));
    const support::FloatMatrix m = support::in_float(s);
    const support::FloatPairs pairs = support::solve_in_float(m, in_two_stages(), padding),
                              values = support::solve_in_float(m, in_two_stages(false), padding);
    REQUIRE(pairs.report.status == Status::converged);
    CHECK(pairs.report.path == Path::two_stage);
    CHECK(support::float_distance(values.w, pairs.w) <= support::limits::values_only);
    const Verification v =
        verify(m.uplo, m.n, m.a.data(), m.lda, m.n, pairs.w.data(), pairs.z.data(), pairs.ldz);
    CHECK(passed(v));
    CHECK((m.n < 64 || v.lapack_orthogonality <= 1));
    CHECK(support::solve_in_float(m, in_two_stages(), padding).z == pairs.z);
  };
  for (std::int64_t n = 1; n <= 200; n += n < 10 ? 1 : 13) in_float(random_matrix(n));
  for (const std::int64_t n : {255, 256, 257, 321, 513, 1087, 3001})
    in_float(random_matrix(n, n % 2 == 0 ? Uplo::lower : Uplo::upper), n % 3);
  for (const char* kind : support::reduction::families) {
    CAPTURE(kind);
    in_float(support::stored(support::reduction::family(kind, 517), 517));
  }
}

TEMPLATE_TEST_CASE("two-stage path on a GPU, Hermitian matrices: small orders, edges, families, subsets",
                   "[gpu][large]", std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const auto check_solve = [](const support::HermitianMatrix<T>& m, double limit, std::int64_t padding = 0) {
    CAPTURE(m.n, support::name(m.uplo), padding);
    const auto pairs = support::check_hermitian(m, in_two_stages(), limit, padding);
    CHECK(pairs.report.path == Path::two_stage);
    if (std::is_same_v<T, std::complex<double>>)
      CHECK(support::solve_guarded(m, in_two_stages(false)).w == pairs.w);
    CHECK(support::solve_guarded(m, in_two_stages(), padding).z == pairs.z);
    CHECK(pairs.report.bytes.device <= workspace_bytes<T>(m.n, {.path = Path::two_stage}, true).device);
  };
  const double small = support::limits::lapack_ratio,
               large = 2;  // twice that of the one-stage path, as in the test of the families
  for (std::int64_t n = 1; n <= 200; n += n < 70 ? 1 : 13)
    check_solve(support::random_hermitian<T>(n, n % 2 == 0 ? Uplo::lower : Uplo::upper),
                n < 100 ? small : large);
  for (const std::int64_t n : {255, 256, 257, 321, 513, 1087, 1300, 3001})
    check_solve(support::random_hermitian<T>(n, n % 2 == 0 ? Uplo::lower : Uplo::upper, n % 3), large, n % 3);
  for (const char* kind : support::reduction::families) {
    CAPTURE(kind);
    check_solve(support::phased<T>(support::stored(support::reduction::family(kind, 517), 517)), small);
  }
  const support::HermitianMatrix<T> m = support::random_hermitian<T>(700);
  const auto all = support::solve_guarded(m, in_two_stages());
  OptionsAndDevices o = in_two_stages();
  o.subset = Subset::by_index(31, 80);
  const auto some = support::solve_guarded(m, o);
  REQUIRE(some.report.m == 50);
  CHECK(std::equal(some.w.begin(), some.w.begin() + 50, all.w.begin() + 30));
  CHECK(passed(
      verify(m.uplo, m.n, m.a.data(), m.lda, 50, some.w.data(), some.z.data(), some.ldz, DeviceChoice::cpu)));
}

TEST_CASE("Hermitian matrices by the engines of residues, on both paths", "[gpu]") {
  NEEDS_GPU();
  const auto m = support::random_hermitian<std::complex<double>>(901);
  for (const Engine engine : {Engine::ozaki, Engine::ozaki_fast})
    for (const Path path : {Path::one_stage, Path::two_stage}) {
      CAPTURE(name(engine), name(path));
      OptionsAndDevices o = in_two_stages();
      o.path = path;
      o.engine = engine;
      const auto pairs = support::check_hermitian(m, o, 2);
      CHECK(support::flops(pairs.report)[engine] > 0);
      CHECK(support::solve_guarded(m, o).z == pairs.z);
    }
}
