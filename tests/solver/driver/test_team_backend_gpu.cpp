// Solves whose stages all run on several GPUs of one host. With EIGEN_G_SHOWN_GPUS one GPU is shown as several.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::OptionsAndDevices;
using support::random_matrix;
using support::Stored;

namespace {

OptionsAndDevices on_gpus(int gpus) {
  OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.path = Path::two_stage;
  o.gpus = gpus;
  return o;
}

template <class T>
std::vector<T> in_type(std::int64_t n) {
  const Stored s = random_matrix(n), imaginary = random_matrix(n, Uplo::lower, 0, 5);
  std::vector<T> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i + j * n);
      if constexpr (is_complex<T>)
        a[k] = {static_cast<real_t<T>>(s.a[k]), i == j ? 0 : static_cast<real_t<T>>(imaginary.a[k])};
      else
        a[k] = static_cast<T>(s.a[k]);
    }
  return a;
}

}  // namespace

#define NEEDS_GPUS(count) \
  NEEDS_GPU();            \
  if (gpu_count() < (count)) SKIP_TEST("this machine has too few GPUs")

TEST_CASE("team of GPUs: pairs, values, the same bits again, any order and triangle", "[gpu]") {
  const int gpus = GENERATE(2, 3, 4);
  NEEDS_GPUS(gpus);
  const std::int64_t n = GENERATE(1, 2, 5, 64, 65, 66, 67, 129, 130, 300, 513, 701, 1100, 1859);
  const bool upper = n % 2 == 1;
  CAPTURE(gpus, n);
  const Stored s = random_matrix(n, upper ? Uplo::upper : Uplo::lower, n % 5);
  const support::Solved alone = support::solve_guarded(s, on_gpus(1), n % 3),
                        solved = support::solve_guarded(s, on_gpus(gpus), n % 3);
  CHECK(solved.report.path == Path::two_stage);
  CHECK(solved.report.devices.size() == static_cast<std::size_t>(gpus));
  CHECK(support::eigenvalue_ratio(solved.w, alone.w) <= support::limits::values_only);
  support::check_pairs(s, solved);
  const support::Solved again = support::solve_guarded(s, on_gpus(gpus), n % 3);
  CHECK(support::same_bits(again.w, solved.w));
  CHECK(support::same_bits(again.z, solved.z));
  OptionsAndDevices values = on_gpus(gpus);
  values.vectors = false;
  CHECK(support::same_bits(support::solve_guarded(s, values).w, solved.w));
}

TEST_CASE("team of GPUs: a matrix of several strips of full width", "[gpu]") {
  const int gpus = GENERATE(2, 3);
  NEEDS_GPUS(gpus);
  const std::int64_t n = 4500;
  CAPTURE(gpus);
  const Stored s = random_matrix(n);
  support::check_pairs(s, support::solve_guarded(s, on_gpus(gpus)));
}

TEST_CASE("team of GPUs: families of matrices", "[gpu]") {
  NEEDS_GPUS(2);
  for (const char* kind : {"zero", "arithmetic", "clustered", "geometric"}) {
    CAPTURE(kind);
    generate::Spec spec;
    spec.kind = kind;
    spec.n = 1025;
    const Stored s = support::stored(spec);
    support::check_pairs(s, support::solve_guarded(s, on_gpus(2)), kind);
  }
}

TEST_CASE("team of GPUs: equal entries, rank one, a band", "[gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = GENERATE(777, 1300);
  const int kind = GENERATE(0, 1, 2);
  CAPTURE(n, kind);
  Stored s = random_matrix(n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      double& entry = s.a[static_cast<std::size_t>(i + j * s.lda)];
      if (kind == 0) entry = 1;
      if (kind == 1) entry = static_cast<double>((i % 7 - 3) * (j % 7 - 3));
      if (kind == 2 && std::abs(i - j) > 20) entry = 0;
    }
  const support::Solved solved = support::solve_guarded(s, on_gpus(2));
  REQUIRE(solved.report.status == Status::converged);
  support::check_values(s, solved.w);
  const Verification v = verify(s.uplo, n, s.a.data(), s.lda, n, solved.w.data(), solved.z.data(), solved.ldz,
                                DeviceChoice::cpu);
  const support::Solved alone = support::solve_guarded(s, on_gpus(1));
  const Verification one =
      verify(s.uplo, n, s.a.data(), s.lda, n, alone.w.data(), alone.z.data(), alone.ldz, DeviceChoice::cpu);
  CAPTURE(v.lapack_residual, v.lapack_orthogonality, one.lapack_residual, one.lapack_orthogonality);
  CHECK(passed(v));
  CHECK(v.lapack_orthogonality < 1);
  CHECK(v.lapack_residual < 1);
}

TEST_CASE("team of GPUs: subsets", "[gpu]") {
  const int gpus = GENERATE(2, 4);
  NEEDS_GPUS(gpus);
  const bool by_value = GENERATE(false, true);
  const std::int64_t n = 900, first = 200, count = GENERATE(1, 333);
  CAPTURE(gpus, by_value, count);
  const Stored s = random_matrix(n);
  OptionsAndDevices o = on_gpus(gpus);
  const support::Solved whole = support::solve_guarded(s, o);
  const auto value = [&](std::int64_t k) { return whole.w[static_cast<std::size_t>(k)]; };
  o.subset = by_value ? Subset::by_value((value(first - 1) + value(first)) / 2,
                                         (value(first + count - 1) + value(first + count)) / 2)
                      : Subset::by_index(first + 1, first + count);
  const std::int64_t most = o.subset.max_count(n);
  std::vector<double> w(static_cast<std::size_t>(most)), z(static_cast<std::size_t>(n * most), -7.25e77);
  const Report report = ::eigen_g::eigen_g(n, s.a.data(), s.lda, w.data(), z.data(), n, o, o);
  REQUIRE(report.m == count);
  CHECK(report.first_index == first + 1);
  CHECK(report.devices.size() == static_cast<std::size_t>(gpus));
  CHECK(std::equal(w.begin(), w.begin() + count, whole.w.begin() + first));
  double worst = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    double with = 0;
    for (std::int64_t i = 0; i < n; ++i)
      with += z[static_cast<std::size_t>(i + k * n)] *
              whole.z[static_cast<std::size_t>(i + (first + k) * whole.ldz)];
    worst = std::max(worst, std::fabs(std::fabs(with) - 1));
  }
  CHECK(worst < 1e-11);
}

TEMPLATE_TEST_CASE("team of GPUs: all types, host and device pointers", "[gpu]", double, float,
                   std::complex<double>, std::complex<float>) {
  using T = TestType;
  using R = real_t<T>;
  const int gpus = GENERATE(2, 3);
  NEEDS_GPUS(gpus);
  const std::int64_t n = GENERATE(150, 333, 1027);
  CAPTURE(gpus, n);
  const std::vector<T> a = in_type<T>(n);
  const auto count = static_cast<std::size_t>(n * n);
  std::vector<R> alone(static_cast<std::size_t>(n)), w(alone.size());
  std::vector<T> z(count);
  (void)::eigen_g::eigen_g(n, a.data(), n, alone.data(), z.data(), n, on_gpus(1), on_gpus(1));
  const Verification one =
      verify(Uplo::lower, n, a.data(), n, n, alone.data(), z.data(), n, DeviceChoice::cpu);
  const auto check = [&] {
    double largest = 0, worst = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      largest = std::max(largest, std::fabs(static_cast<double>(alone[k])));
      worst = std::max(worst, std::fabs(static_cast<double>(w[k]) - static_cast<double>(alone[k])));
    }
    const double unit = static_cast<double>(std::numeric_limits<R>::epsilon()) * static_cast<double>(n);
    CHECK(worst / (unit * largest) < 1);
    const Verification v = verify(Uplo::lower, n, a.data(), n, n, w.data(), z.data(), n, DeviceChoice::cpu);
    // One GPU multiplies the same matrices by the same kernels, in other pieces.
    CAPTURE(v.lapack_residual, v.lapack_orthogonality, one.lapack_residual, one.lapack_orthogonality);
    CHECK(passed(v));
    CHECK(v.lapack_residual < std::max(1.0, 1.25 * one.lapack_residual));
    CHECK(v.lapack_orthogonality < std::max(1.0, 1.25 * one.lapack_orthogonality));
  };
  std::fill(z.begin(), z.end(), T(static_cast<R>(-7.25e7)));
  const Report report =
      ::eigen_g::eigen_g(n, a.data(), n, w.data(), z.data(), n, on_gpus(gpus), on_gpus(gpus));
  CHECK(report.devices.size() == static_cast<std::size_t>(gpus));
  check();

  const std::vector<T> on_host = z;
  const Queue queue;
  const DeviceBuffer<T> a_dev(n * n), z_dev(n * n);
  const DeviceBuffer<R> w_dev(n);
  support::upload(a_dev.data(), a.data(), a_dev.bytes());
  (void)::eigen_g::eigen_g(n, device(a_dev.data()), n, device(w_dev.data()), device(z_dev.data()), n,
                           queue.stream(), on_gpus(gpus), on_gpus(gpus));
  EIGEN_G_CUDA(cudaMemcpy(w.data(), w_dev.data(), w_dev.bytes(), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(z.data(), z_dev.data(), z_dev.bytes(), cudaMemcpyDeviceToHost));
  CHECK(z == on_host);
  check();
}

TEST_CASE("team of GPUs: scaled matrices, and entries that are not finite", "[gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = 400;
  const bool upper = GENERATE(false, true);
  Stored s = random_matrix(n, upper ? Uplo::upper : Uplo::lower);
  for (double& entry : s.a) entry *= 0x1p-700;
  support::check_pairs(s, support::solve_guarded(s, on_gpus(2)));
  const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
    return s.a[static_cast<std::size_t>((upper ? j : i) + (upper ? i : j) * s.lda)];
  };
  at(390, 300) = std::numeric_limits<double>::infinity();
  at(250, 100) = std::numeric_limits<double>::quiet_NaN();
  try {
    (void)support::solve_guarded(s, on_gpus(2));
    FAIL("no exception");
  } catch (const NonFiniteEntry& error) {
    CHECK(error.row() == (upper ? 100 : 250));
    CHECK(error.col() == (upper ? 250 : 100));
  }
  for (double& entry : s.a) entry = 0;
  support::check_values(s, support::solve_guarded(s, on_gpus(2)).w);
}

TEST_CASE("team of GPUs: a solver solves again, and reports its devices", "[gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = 1200;
  Context context(on_gpus(2));
  Solver<double> solver(context, n, on_gpus(2));
  const Stored s = random_matrix(n);
  std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n)), first;
  for (int round = 0; round < 3; ++round) {
    const Report report = solver.solve(s.a.data(), n, w.data(), z.data(), n);
    REQUIRE(report.devices.size() == 2);
    for (const DeviceWork& work : report.devices) {
      CHECK(work.share == Approx(0.5));
      CHECK(work.seconds > 0);
      CHECK(work.seconds <= report.seconds);
    }
    CHECK(report.devices[0].gpu != report.devices[1].gpu);
    CHECK(report.seconds_of(Stage::full_to_band) > 0);
    CHECK(report.bytes.device > sizeof(double) * static_cast<std::uint64_t>(2 * n * n));
    if (round == 0) first = z;
    CHECK(support::same_bits(first, z));
  }
}

// Not run unless it is named: a minute of solves, which all must end.
TEST_CASE("team of GPUs: a soak of 200 solves gives the same bits", "[.][soak][gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = 5000;
  Context context(on_gpus(2));
  Solver<double> solver(context, n, on_gpus(2));
  const Stored s = random_matrix(n);
  std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n)), first;
  for (int round = 0; round < 200; ++round) {
    (void)solver.solve(s.a.data(), n, w.data(), z.data(), n);
    if (round == 0) first = z;
    REQUIRE(support::same_bits(first, z));
  }
}

TEST_CASE("team of GPUs: an exception of the caller's progress ends the solve, and the next one works",
          "[gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = 1200;
  const Stored s = random_matrix(n);
  OptionsAndDevices o = on_gpus(2);
  const support::Solved whole = support::solve_guarded(s, o);
  int calls = 0;
  OptionsAndDevices counted = o;
  counted.progress = [&](Stage, double) { ++calls; };
  CHECK(support::same_bits(support::solve_guarded(s, counted).z, whole.z));
  REQUIRE(calls > 10);
  for (int number = 1; number <= calls; number += 3) {
    CAPTURE(number);
    OptionsAndDevices stopped = o;
    int left = number;
    stopped.progress = [&](Stage, double) {
      if (--left == 0) throw std::runtime_error("stop");
    };
    CHECK_THROWS_WITH(support::solve_guarded(s, stopped), "stop");
    CHECK(support::same_bits(support::solve_guarded(s, o).z, whole.z));
  }
}
