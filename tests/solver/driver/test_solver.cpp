// Tests of a solver that is planned once: it repeats the results of the one-call form. Also calls that must not compile.
#include "solver/api/solver.hpp"

#include <utility>
#include <vector>

#include "solver/api/eigen_g.h"
#include "solver/api/eigen_g.hpp"
#include "tests/support/solving.hpp"

using eigen_g::Argument;
using eigen_g::Context;
using eigen_g::InvalidArgument;
using eigen_g::Pointers;
using eigen_g::Solver;
using support::OnCpu;
using support::OnGpu;
using support::random_matrix;
using support::Stored;

namespace {

// A call with a plain double* takes no stream, and a call with device pointers requires one. So no call can choose the wrong
// memory.
template <class... Arguments>
concept solves = requires(Arguments... arguments) {
  eigen_g::eigen_g(arguments...);
};
using Size = std::int64_t;
using Device = eigen_g::DevicePointer<double>;
using Stream = CUstream_st*;
static_assert(solves<Size, double*, Size, double*, double*, Size>);
static_assert(solves<Size, const double*, Size, double*, double*, Size, eigen_g::Options>);
static_assert(solves<Size, Device, Size, Device, Device, Size, Stream>);
static_assert(solves<Size, Device, Size, Device, Device, Size, Stream, eigen_g::Options, eigen_g::Devices>);
static_assert(!solves<Size, double*, Size, double*, double*, Size, Stream>);
static_assert(!solves<Size, double*, Size, double*, double*, Size, Stream, eigen_g::Options>);
static_assert(!solves<Size, Device, Size, Device, Device, Size>);
static_assert(!solves<Size, Device, Size, Device, Device, Size, eigen_g::Options>);
static_assert(!solves<Size, Device, Size, double*, Device, Size, Stream>);
static_assert(!solves<Size, double*, Size, Device, double*, Size>);

Context context_of(eigen_g::DeviceChoice place) {
  eigen_g::Devices devices;
  devices.device = place;
  return Context(devices);
}

template <class Call>
Argument refused(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.argument();
  }
  return Argument::other;
}

}  // namespace

TEST_CASE("with a plain pointer, {} as the last argument means options, and the matrix stays as it is") {
  const Stored s = random_matrix(90);
  std::vector<double> a = s.a, w(90), z(90 * 90);
  double* const plain = a.data();
  const eigen_g::Report report = eigen_g::eigen_g(90, plain, s.lda, w.data(), z.data(), 90, {});
  CHECK(support::same_bits(a, s.a));
  support::check_pairs(s, {w, z, 90, report});
}

TEMPLATE_TEST_CASE("a solver gives the bits of the one-call form, each time", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  Context context = context_of(TestType::device);
  for (const std::int64_t n : {1, 2, 65, 300})
    for (const bool vectors : {true, false}) {
      CAPTURE(n, vectors);
      eigen_g::Options options;
      options.vectors = vectors;
      Solver<double> solver(context, n, options);
      CHECK(solver.on_gpu() == (TestType::device == eigen_g::DeviceChoice::gpu));
      for (const std::uint64_t seed : {1, 2, 3}) {
        const Stored s = random_matrix(n, eigen_g::Uplo::lower, 1, seed);
        const support::Solved once = support::solve_guarded(s, support::options(TestType::device, vectors));
        support::Solved solved{std::vector<double>(static_cast<std::size_t>(n)),
                               std::vector<double>(static_cast<std::size_t>(vectors ? n * n : 0)),
                               n,
                               {}};
        solved.report = solver.solve(s.a.data(), s.lda, solved.w.data(), solved.z.data(), n);
        CHECK(support::same_bits(solved.w, once.w));
        if (vectors)
          CHECK(support::same_bits(solved.z, once.z.size() == solved.z.size() ? once.z : solved.z));
        if (vectors) support::check_pairs(s, solved);
        CHECK(solved.report.bytes.host <= solver.workspace().host);
        CHECK(solved.report.bytes.device <= solver.workspace().device);
      }
    }
}

TEMPLATE_TEST_CASE("a solver goes on after a matrix that it refused, and after being moved", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  Context context = context_of(TestType::device);
  Solver<double> first(context, 80);
  Stored s = random_matrix(80);
  std::vector<double> w(80), z(6400);
  const std::vector<double> good = s.a;
  s.at(60, 20) = support::nan;
  CHECK_THROWS_AS(first.solve(s.a.data(), 80, w.data(), z.data(), 80), eigen_g::NonFiniteEntry);
  s.a = good;
  Solver<double> second = std::move(first);
  const eigen_g::Report report = second.solve(s.a.data(), 80, w.data(), z.data(), 80);
  support::check_pairs(s, {w, z, 80, report});
}

TEST_CASE("a solver of nothing, and what no solver takes") {
  Context context = context_of(eigen_g::DeviceChoice::cpu);
  Solver<double> nothing(context, 0);
  CHECK(nothing.workspace().host == 0);
  CHECK(nothing.solve(nullptr, 1, nullptr, nullptr, 1).status == eigen_g::Status::converged);

  CHECK(refused([&] { Solver<double>(context, -1); }) == Argument::n);
  eigen_g::Options options;
  options.subset = eigen_g::Subset::by_index(0, 3);
  CHECK(refused([&] { Solver<double>(context, 5, options); }) == Argument::subset_first);
  options = {};
  options.uplo = static_cast<eigen_g::Uplo>(77);
  CHECK(refused([&] { Solver<double>(context, 5, options); }) == Argument::uplo);
  CHECK(refused([&] { Solver<double>(context, 5, {}, Pointers::device); }) == Argument::device);
  Solver<double> solver(context, 5);
  const double a[25] = {};
  double w[5], z[25];
  CHECK(refused([&] { (void)solver.solve(a, 4, w, z, 5); }) == Argument::lda);
  CHECK(refused([&] { (void)solver.solve(a, 5, w, z, 4); }) == Argument::ldz);
  CHECK(refused([&] { (void)solver.solve(a, 5, nullptr, z, 5); }) == Argument::w);
  CHECK(refused([&] {
          (void)solver.solve(eigen_g::device(z), 5, eigen_g::device(w), eigen_g::device(z), 5, nullptr);
        }) == Argument::a);
  CHECK(solver.workspace().host >= 25 * sizeof(double));
  CHECK(solver.workspace().device == 0);
}

TEST_CASE("C: options, one solve, and a solver object") {
  const Stored s = random_matrix(30, eigen_g::Uplo::upper, 2);
  std::vector<double> a = s.a, w(30), z(900), w_again(30), z_again(900);
  eigen_g_options options;
  eigen_g_default_options(&options);
  CHECK(options.size == sizeof options);
  options.uplo = 'U';
  options.device = 'C';
  eigen_g_result result{};
  REQUIRE(eigen_g_dsolve(30, a.data(), s.lda, w.data(), z.data(), 30, 0, nullptr, &options, &result) == 0);
  CHECK(result.m == 30);
  CHECK(result.first_index == 1);
  CHECK(support::same_bits(a, s.a));
  support::check_pairs(s, {w, z, 30, {}});

  eigen_g_solver* solver = nullptr;
  REQUIRE(eigen_g_dsolver_create(&solver, 30, 0, &options, nullptr) == 0);
  std::uint64_t host = 0, device = 1;
  CHECK(eigen_g_dsolver_workspace(solver, &host, &device) == 0);
  CHECK(host >= 900 * sizeof(double));
  CHECK(device == 0);
  for (int round = 0; round < 2; ++round) {
    std::fill(z_again.begin(), z_again.end(), support::nan);
    REQUIRE(eigen_g_dsolver_solve(solver, a.data(), s.lda, w_again.data(), z_again.data(), 30, nullptr,
                                  &result) == 0);
    CHECK(support::same_bits(w, w_again));
    CHECK(support::same_bits(z, z_again));
  }
  CHECK(eigen_g_dsolver_solve(solver, a.data(), 29, w.data(), z.data(), 30, nullptr, nullptr) == -3);
  eigen_g_dsolver_destroy(solver);
  eigen_g_dsolver_destroy(nullptr);

  options.range = 'I';
  options.il = 3, options.iu = 7;
  REQUIRE(eigen_g_dsolve(30, a.data(), s.lda, w_again.data(), z_again.data(), 30, 0, nullptr, &options,
                         &result) == 0);
  CHECK(result.m == 5);
  CHECK(result.first_index == 3);
  CHECK(std::equal(w.begin() + 2, w.begin() + 7, w_again.begin()));

  const auto with = [&](auto&& change) {
    eigen_g_options changed;
    eigen_g_default_options(&changed);
    change(changed);
    return eigen_g_dsolve(30, a.data(), s.lda, w.data(), z.data(), 30, 0, nullptr, &changed, nullptr);
  };
  CHECK(with([](eigen_g_options& o) { o.size = 0; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.size += 8; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.engine = "fast"; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.path = "three"; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.ratio = "x"; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.gpus = -1; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.jobz = 'X'; }) == -9);
  CHECK(with([](eigen_g_options& o) { o.range = 'I', o.il = 0; }) == -9);
  CHECK(eigen_g_dsolve(-1, a.data(), s.lda, w.data(), z.data(), 30, 0, nullptr, nullptr, nullptr) == -1);
  CHECK(eigen_g_dsolve(30, a.data(), 3, w.data(), z.data(), 30, 0, nullptr, nullptr, nullptr) == -3);
}
