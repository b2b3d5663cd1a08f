#include "solver/api/eigen_g.hpp"

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "hybrid/machine/cpu.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

using eigen_g::DeviceChoice;
using eigen_g::Stage;
using eigen_g::Subset;
using eigen_g::Uplo;
using support::OnCpu;
using support::OnGpu;
using support::options;
using support::random_matrix;
using support::Solved;
using support::Stored;

namespace {

// The argument that the error of eigen_g() names.
template <class Call>
std::string argument_refused(Call&& call) {
  try {
    call();
  } catch (const eigen_g::InvalidArgument& error) {
    return name(error.argument());
  }
  return "none";
}

constexpr std::array<Stage, 8> all_stages{
    Stage::load,           Stage::check,   Stage::scale, Stage::tridiagonalize, Stage::divide_and_conquer,
    Stage::back_transform, Stage::unscale, Stage::store};

}  // namespace

TEMPLATE_TEST_CASE("every size around block edges, either triangle, any leading dimension", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {0, 1, 2, 3, 5, 20, 63, 64, 65, 127, 128, 129, 255, 256, 257, 513})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {0, 3}) {
        CAPTURE(n, support::name(uplo), padding);
        support::check_solver(random_matrix(n, uplo, padding), TestType::device, 2 * padding);
      }
}

TEMPLATE_TEST_CASE("the residual of a random matrix is small and not nothing", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const Stored s = random_matrix(300);
  const Solved solved = support::solve_guarded(s, options(TestType::device));
  const eigen_g::Verification v = support::check_pairs(s, solved);
  CHECK(v.lapack_residual > 0);
  CHECK(v.lapack_orthogonality > 0);
  CHECK(v.residual_frobenius / (300 * support::limits::ulp * v.norm_frobenius) <=
        support::limits::frobenius_ratio);
  CHECK(v.reconstruction / support::limits::ulp <= support::limits::frobenius_ratio);
  CHECK(v.orthogonality / support::limits::ulp <= support::limits::frobenius_ratio);
}

TEMPLATE_TEST_CASE("values only of badly scaled matrices, whole and in part", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  // T is A itself. The square of an entry is subnormal.
  const std::vector<std::vector<double>> matrices{
      {-5e-164, 50, 0, 50, 0, 8e-161, 0, 8e-161, 0},
      {0, 1e-80, 0, 1e-80, 1, 0.509, 0, 0.509, 0},
  };
  const double root = std::sqrt(0.25 + 0.509 * 0.509);
  const std::vector<std::vector<double>> truth{{-50, 0, 50}, {0.5 - root, 0, 0.5 + root}};
  for (std::size_t k = 0; k < 2; ++k)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(k, support::name(uplo));
      const auto values_of = [&](const eigen_g::Subset& subset) {
        std::vector<double> a = matrices[k], w(3, support::nan);
        support::OptionsAndDevices o = options(TestType::device);
        o.vectors = false;
        o.uplo = uplo;
        o.subset = subset;
        const eigen_g::Report report = eigen_g::eigen_g(3, a.data(), 3, w.data(), nullptr, 3, o, o);
        w.resize(static_cast<std::size_t>(report.m));
        return w;
      };
      const auto check = [&](const std::vector<double>& w, std::size_t first, std::size_t count) {
        REQUIRE(w.size() == count);
        for (std::size_t i = 0; i < count; ++i)
          CHECK(std::abs(w[i] - truth[k][first + i]) <= 16 * support::limits::ulp * truth[k][2]);
      };
      check(values_of(eigen_g::Subset{}), 0, 3);
      check(values_of(eigen_g::Subset::by_index(3, 3)), 2, 1);
      check(values_of(eigen_g::Subset::by_value(0.8 * truth[k][2], 1.2 * truth[k][2])), 2, 1);
    }
}

TEMPLATE_TEST_CASE("both triangles name the same matrix", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  const std::vector<double> lower = support::check_solver(random_matrix(150, Uplo::lower), TestType::device);
  const std::vector<double> upper = support::check_solver(random_matrix(150, Uplo::upper), TestType::device);
  CHECK(support::eigenvalue_ratio(lower, upper) <= support::limits::eigenvalue);
}

TEMPLATE_TEST_CASE("vectors over the matrix itself", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {1, 2, 65, 257})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(n, support::name(uplo));
      const Stored s = random_matrix(n, uplo, 4);
      support::OptionsAndDevices o = options(TestType::device);
      o.uplo = uplo;
      Solved solved;
      solved.w.resize(static_cast<std::size_t>(n));
      solved.z = s.a;
      solved.ldz = s.lda;
      solved.report =
          eigen_g::eigen_g(n, solved.z.data(), s.lda, solved.w.data(), solved.z.data(), solved.ldz, o, o);
      support::check_pairs(s, solved);
    }
}

TEMPLATE_TEST_CASE("two runs give the same bits", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {64, 300, 700}) {
    CAPTURE(n);
    const Stored s = random_matrix(n);
    const Solved first = support::solve_guarded(s, options(TestType::device));
    const Solved second = support::solve_guarded(s, options(TestType::device));
    CHECK(support::same_bits(first.w, second.w));
    CHECK(support::same_bits(first.z, second.z));
  }
}

TEMPLATE_TEST_CASE("a NaN or an infinity in the named triangle is refused by its place", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  struct Entry {
    std::int64_t row, col;
  };
  for (const std::int64_t n : {3, 60, 300})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const double bad : {support::nan, support::infinity, -support::infinity})
        for (const Entry lower_place :
             {Entry{0, 0}, Entry{n - 1, 0}, Entry{n - 1, n - 2}, Entry{n - 1, n - 1}}) {
          const Entry place = uplo == Uplo::lower ? lower_place : Entry{lower_place.col, lower_place.row};
          CAPTURE(n, support::name(uplo), bad, place.row, place.col);
          Stored s = random_matrix(n, uplo, 1);
          s.at(place.row, place.col) = bad;
          std::int64_t row = -1, col = -1;
          try {
            support::solve_guarded(s, options(TestType::device));
          } catch (const eigen_g::NonFiniteEntry& error) {
            row = error.row();
            col = error.col();
          }
          CHECK(row == place.row);
          CHECK(col == place.col);
        }
}

TEMPLATE_TEST_CASE("infinities in the other triangle are nobody's business", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);  // the other tests have NaN there
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Stored s = random_matrix(130, uplo, 2);
    for (std::int64_t j = 0; j < s.n; ++j)
      for (std::int64_t i = 0; i < s.n; ++i)
        if (!s.used(i, j)) s.at(i, j) = (i + j) % 2 ? support::infinity : -1e308;
    support::check_solver(s, TestType::device);
  }
}

TEST_CASE("bad arguments are refused by name, before any work") {
  const Stored s = random_matrix(4);
  const double* a = s.a.data();
  std::vector<double> values(4), vectors(16);
  double *w = values.data(), *z = vectors.data();
  const auto refused = [](std::int64_t n, const double* x, std::int64_t lda, double* v, double* y,
                          std::int64_t ldz, bool want = true) {
    return argument_refused([&] {
      (void)eigen_g::eigen_g(n, x, lda, v, y, ldz, {.vectors = want}, {.device = DeviceChoice::cpu});
    });
  };
  CHECK(refused(4, a, 4, w, z, 4) == "none");
  CHECK(refused(-1, a, 4, w, z, 4) == "n");
  CHECK(refused(4, nullptr, 4, w, z, 4) == "a");
  CHECK(refused(4, a, 3, w, z, 4) == "lda");
  CHECK(refused(0, a, 0, w, z, 1) == "lda");
  CHECK(refused(4, a, 4, nullptr, z, 4) == "w");
  CHECK(refused(4, a, 4, w, nullptr, 4) == "z");
  CHECK(refused(4, a, 4, w, z, 3) == "ldz");
  CHECK(refused(4, a, 4, w, nullptr, 0, false) == "none");  // values only: z and ldz do not matter
  CHECK(refused(0, nullptr, 1, nullptr, nullptr, 1) == "none");
}

TEST_CASE("sizes that wrap are refused before any work, on every side") {
  double x = 1;
  for (const DeviceChoice place : {DeviceChoice::automatic, DeviceChoice::cpu})
    for (const int bits : {29, 31, 32, 33, 40, 62}) {
      CAPTURE(bits);
      const std::int64_t n = std::int64_t{1} << bits;
      CHECK(argument_refused([&] { (void)eigen_g::eigen_g(n, &x, n, &x, &x, n, {}, {.device = place}); }) ==
            "n");
      CHECK(argument_refused([&] { (void)eigen_g::solve(n, &x, n, {}, {.device = place}); }) == "n");
      CHECK(argument_refused([&] { (void)eigen_g::workspace_bytes(n, {}, false); }) == "n");
    }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(argument_refused([&] { (void)eigen_g::eigen_g(most, &x, most, &x, &x, most); }) == "n");
  CHECK(argument_refused([&] { (void)eigen_g::eigen_g(2, &x, most, &x, &x, 2); }) == "lda");
  CHECK(argument_refused([&] { (void)eigen_g::eigen_g(2, &x, 2, &x, &x, most); }) == "ldz");
  CHECK(argument_refused([&] { (void)eigen_g::workspace_bytes(-5, {}, false); }) == "n");
}

TEST_CASE("solve() of a matrix beyond all memory is OutOfMemory before any allocation") {
  double x = 1;
  constexpr std::int64_t n = std::int64_t{1} << 20;
  try {
    (void)eigen_g::solve(n, &x, n);
    FAIL("it was solved");
  } catch (const eigen_g::OutOfMemory& error) {
    CHECK_FALSE(error.on_device());
    CHECK(error.needed() >= std::uint64_t{8} << 40);
    CHECK(error.available() < error.needed());
  }
}

TEST_CASE(
    "orders beyond the divide and conquer's counters are refused on the CPU by the limit, smaller ones are "
    "not") {
  for (const bool vectors : {true, false}) {
    try {
      (void)eigen_g::workspace_bytes(2097152, {.vectors = vectors}, false);
      FAIL("not refused");
    } catch (const eigen_g::InvalidArgument& error) {
      CHECK(error.argument() == eigen_g::Argument::n);
      CHECK_THAT(error.reason(), ContainsSubstring("at most 2097151"));
    }
    CHECK(eigen_g::workspace_bytes(2097151, {.vectors = vectors}, false).host > 0);
  }
}

TEST_CASE(
    "a number of threads that makes no sense is refused; one beyond the processors is taken as they are") {
  const Stored s = random_matrix(40);
  for (const int threads : {-1, 65537, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    CHECK(argument_refused([&] {
            (void)eigen_g::solve(s.n, s.a.data(), s.lda, {},
                                 {.device = DeviceChoice::cpu, .threads = threads});
          }) == "threads");
  for (const int threads : {1, 64, 65536})
    CHECK_NOTHROW(
        eigen_g::solve(s.n, s.a.data(), s.lda, {}, {.device = DeviceChoice::cpu, .threads = threads}));
}

TEST_CASE("an invalid engine or device, and a GPU that does not exist, are refused") {
  double x = 1;
  const auto refused = [&](const eigen_g::Options& o, const eigen_g::Devices& d) {
    return argument_refused([&] { (void)eigen_g::solve(1, &x, 1, o, d); });
  };
  CHECK(refused({.uplo = static_cast<Uplo>(77)}, {}) == "uplo");
  CHECK(refused({.engine = static_cast<eigen_g::Engine>(77)}, {}) == "engine");
  CHECK(refused({}, {.device = static_cast<DeviceChoice>(77)}) == "device");
  CHECK(refused({}, {.gpus = 65}) == "gpus");
}

TEST_CASE("solve() refuses what eigen_g() refuses") {
  const Stored s = random_matrix(4);
  CHECK(argument_refused([&] { (void)eigen_g::solve(-1, s.a.data(), 4); }) == "n");
  CHECK(argument_refused([&] { (void)eigen_g::solve<double>(4, nullptr, 4); }) == "a");
  CHECK(argument_refused([&] { (void)eigen_g::solve(4, s.a.data(), 3); }) == "lda");
}

TEST_CASE("solve() brings its own memory") {
  for (const std::int64_t n : {0, 1, 50}) {
    const Stored s = random_matrix(n, Uplo::lower, 2);
    const eigen_g::Solution<double> with =
        eigen_g::solve(n, s.a.data(), s.lda, {}, {.device = DeviceChoice::cpu});
    const eigen_g::Solution<double> without =
        eigen_g::solve(n, s.a.data(), s.lda, {.vectors = false}, {.device = DeviceChoice::cpu});
    support::check_pairs(s, {with.values, with.vectors, std::max<std::int64_t>(1, n), with.report});
    CHECK(without.vectors.empty());
    support::check_values(s, without.values);
  }
}

TEST_CASE("a GPU asked for where there is none is a DeviceError") {
  if (support::have_gpu()) SKIP_TEST("there is a GPU");
  const Stored s = random_matrix(5);
  CHECK_THROWS_AS(eigen_g::solve(5, s.a.data(), 5, {}, {.device = DeviceChoice::gpu}), eigen_g::DeviceError);
  const eigen_g::Solution<double> solution = eigen_g::solve(5, s.a.data(), 5);  // automatic takes the CPU
  support::check_pairs(s, {solution.values, solution.vectors, 5, solution.report});
}

TEST_CASE("start_gpu() changes nothing, whether there is a GPU or not") {
  const Stored s = random_matrix(60);
  const eigen_g::Solution<double> before = eigen_g::solve(60, s.a.data(), s.lda);
  CHECK_NOTHROW(eigen_g::start_gpu());
  const eigen_g::Solution<double> after = eigen_g::solve(60, s.a.data(), s.lda);
  CHECK(after.values == before.values);
  CHECK(after.vectors == before.vectors);
}

TEMPLATE_TEST_CASE("the report says what was done", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const bool vectors : {true, false}) {
    const eigen_g::Report report =
        support::solve_guarded(random_matrix(400), options(TestType::device, vectors)).report;
    double sum = 0;
    for (const eigen_g::StageWork& work : report.stages) {
      CHECK(work.seconds >= 0);
      sum += work.seconds;
    }
    CHECK(report.stages.size() == (vectors ? 8 : 7));  // load and store are two entries
    CHECK(report.seconds_of(Stage::back_transform) > (vectors ? 0 : -1));
    CHECK(report.seconds_of(Stage::tridiagonalize) > 0);
    CHECK(report.seconds_of(Stage::divide_and_conquer) > 0);
    CHECK(sum > 0);
    CHECK(sum <= report.seconds);
    CHECK(report.status == eigen_g::Status::converged);
    CHECK(report.info == 0);
    REQUIRE_FALSE(report.devices.empty());
    CHECK_FALSE(report.devices.front().name.empty());
    CHECK(report.devices.front().share == 1);
    CHECK((report.devices.front().gpu >= 0) == (TestType::device == DeviceChoice::gpu));
    CHECK(report.path == eigen_g::Path::one_stage);
    for (const eigen_g::StageWork& work : report.stages)
      for (const eigen_g::Engine engine : {eigen_g::Engine::df, eigen_g::Engine::emulated})
        CHECK(work.flops[engine] == 0);
    CHECK(report.bytes.host > 0);
    CHECK((report.bytes.device > 0) == (TestType::device == DeviceChoice::gpu));
  }
}

TEST_CASE("the names of the stages are all different") {
  std::vector<std::string> names;
  for (const Stage stage : all_stages) names.emplace_back(eigen_g::name(stage));
  std::sort(names.begin(), names.end());
  CHECK_FALSE(names.front().empty());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEMPLATE_TEST_CASE("progress: each stage begins at 0, never falls, ends at 1", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  struct Told {
    Stage stage;
    double fraction;
  };
  std::vector<Told> told;
  bool own_thread = true;
  support::OptionsAndDevices o = options(TestType::device);
  o.progress = [&, caller = std::this_thread::get_id()](Stage stage, double fraction) {
    told.push_back({stage, fraction});
    own_thread = own_thread && std::this_thread::get_id() == caller;
  };
  support::solve_guarded(random_matrix(300), o);
  CHECK(own_thread);
  REQUIRE(told.size() >= 2 * all_stages.size());
  std::set<Stage> seen;
  for (std::size_t k = 0; k < told.size(); ++k) {
    seen.insert(told[k].stage);
    CHECK(told[k].fraction >= 0);
    CHECK(told[k].fraction <= 1);
    const bool first = k == 0 || told[k - 1].stage != told[k].stage;
    if (first) {
      CHECK(told[k].fraction == 0);
      if (k > 0) CHECK(told[k - 1].fraction == 1);
    } else {
      CHECK(told[k].fraction >= told[k - 1].fraction);
    }
  }
  CHECK(told.back().fraction == 1);
  CHECK(seen == std::set<Stage>(all_stages.begin(), all_stages.end()));
}

TEST_CASE("progress on the CPU has fractions within the stages of order n^3, also for values and a subset") {
  for (const bool vectors : {true, false})
    for (const eigen_g::Subset& subset : {eigen_g::Subset{}, eigen_g::Subset::by_index(1, 10)}) {
      std::map<Stage, int> within;
      support::OptionsAndDevices o = options(DeviceChoice::cpu);
      o.vectors = vectors;
      o.subset = subset;
      o.progress = [&](Stage stage, double fraction) { within[stage] += fraction > 0 && fraction < 1; };
      support::solve_guarded(random_matrix(700), o);
      CAPTURE(vectors, subset.by == eigen_g::Subset::By::all);
      CHECK(within[Stage::tridiagonalize] >= 3);
      CHECK(within[Stage::divide_and_conquer] >= 3);
      if (vectors && subset.by == eigen_g::Subset::By::all) CHECK(within[Stage::back_transform] >= 3);
    }
}

TEMPLATE_TEST_CASE("an exception from progress abandons the solve and reaches the caller", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  struct Enough : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  const Stored s = random_matrix(200);
  for (const Stage stop : all_stages)
    for (const double at_least : {0.0, 1.0}) {
      CAPTURE(eigen_g::name(stop), at_least);
      support::OptionsAndDevices o = options(TestType::device);
      o.progress = [&](Stage stage, double fraction) {
        if (stage == stop && fraction >= at_least) throw Enough("enough");
      };
      CHECK_THROWS_AS(support::solve_guarded(s, o), Enough);
    }
  support::check_solver(s, TestType::device);  // the failed call leaves no state
}

TEST_CASE("a thread limit holds for the call alone") {
  const int before = eigen_g::blas_threads();
  support::OptionsAndDevices o = options(DeviceChoice::cpu);
  o.threads = 1;
  int during = 0;
  o.progress = [&](Stage, double) { during = eigen_g::blas_threads(); };
  const Stored s = random_matrix(100);
  support::check_pairs(s, support::solve_guarded(s, o));
  CHECK(during == 1);
  CHECK(eigen_g::blas_threads() == before);
}

TEST_CASE("the workspace grows with the order, and vectors cost more than values") {
  const auto host = [](std::int64_t n, bool vectors) {
    return eigen_g::workspace_bytes(n, {.vectors = vectors}, false).host;
  };
  CHECK(host(1000, true) > host(100, true));
  CHECK(host(1000, true) >= host(1000, false));
  CHECK(eigen_g::workspace_bytes(1000, {}, false).device == 0);
  const Stored s = random_matrix(300);
  for (const bool vectors : {true, false})
    CHECK(support::solve_guarded(s, options(DeviceChoice::cpu, vectors)).report.bytes.host <=
          host(300, vectors));
}
