// Whole solves on the CPU by the two-stage path, compared with the one-stage path.
#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>
#include <vector>

#include "solver/api/eigen_g.hpp"
#include "solver/api/generalised.hpp"
#include "solver/path/choice.hpp"
#include "solver/path/two_stage.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/reduction.hpp"

using namespace eigen_g;

namespace {

// A real matrix in T, divided by its largest entry if that is beyond the numbers of float. Complex: D A D^H with phases D, which has the same
// values.
template <class T>
std::vector<T> in_type(std::vector<double> a, std::int64_t n) {
  std::vector<T> of_t(a.size());
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  if (largest > 1e30 || (largest > 0 && largest < 1e-30))
    for (double& x : a) x /= largest;
  const auto phase = [](std::int64_t i) { return std::polar(1.0, 0.7 * static_cast<double>(i * i % 97)); };
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i + j * n);
      if constexpr (is_complex<T>)
        of_t[k] = T(a[k] * phase(i) * std::conj(phase(j)));
      else
        of_t[k] = static_cast<T>(a[k]);
    }
  return of_t;
}

template <class T>
struct Pairs {
  Report report;
  std::vector<real_t<T>> w;
  std::vector<T> z;
};

struct Request {
  Path path = Path::two_stage;
  Uplo uplo = Uplo::lower;
  Subset subset = {};
  bool vectors = true;
  int threads = 0;
};

// The other triangle holds NaN, and so do w and z at first.
template <class T>
Pairs<T> solve(const std::vector<T>& a, std::int64_t n, const Request& request) {
  using R = real_t<T>;
  std::vector<T> triangle = a;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (request.uplo == Uplo::lower ? i < j : i > j)
        triangle[static_cast<std::size_t>(i + j * n)] = std::numeric_limits<R>::quiet_NaN();
  Pairs<T> pairs;
  pairs.w.assign(static_cast<std::size_t>(n), std::numeric_limits<R>::quiet_NaN());
  if (request.vectors) pairs.z.assign(a.size(), std::numeric_limits<R>::quiet_NaN());
  Options options;
  options.path = request.path;
  options.uplo = request.uplo;
  options.subset = request.subset;
  options.vectors = request.vectors;
  Devices devices;
  devices.device = DeviceChoice::cpu;
  devices.threads = request.threads;
  pairs.report = ::eigen_g::eigen_g<T>(n, triangle.data(), std::max<std::int64_t>(1, n), pairs.w.data(),
                                       request.vectors ? pairs.z.data() : nullptr,
                                       std::max<std::int64_t>(1, n), options, devices);
  pairs.w.resize(static_cast<std::size_t>(pairs.report.m));
  pairs.z.resize(static_cast<std::size_t>(request.vectors ? pairs.report.m * n : 0));
  CHECK(pairs.report.status == Status::converged);
  if (n > 0) CHECK(pairs.report.path == request.path);
  return pairs;
}

template <class T>
Verification verified(const std::vector<T>& a, std::int64_t n, const Pairs<T>& pairs) {
  const std::int64_t ld = std::max<std::int64_t>(1, n);
  const Verification v = verify(Uplo::lower, n, a.data(), ld, pairs.report.m, pairs.w.data(), pairs.z.data(),
                                ld, DeviceChoice::cpu);
  CHECK(v.finite);
  CHECK(passed(v));
  return v;
}

// The largest difference of two lists of values, in n ulp (of few values: 10 ulp) of the largest value.
template <class R>
double distance(const std::vector<R>& x, const std::vector<R>& y) {
  REQUIRE(x.size() == y.size());
  double most = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    scale = std::max(scale, std::abs(static_cast<double>(y[i])));
  }
  if (most == 0) return 0;
  return most / (scale * static_cast<double>(std::numeric_limits<R>::epsilon()) *
                 static_cast<double>(std::max<std::size_t>(10, x.size())));
}

// Orders around multiples of the band's width.
std::vector<std::int64_t> orders() {
  const std::int64_t b = two_stage_tuning().bandwidth_on_cpu;
  return {0, 1, 2, 3, 7, b - 1, b, b + 1, b + 2, 2 * b - 1, 2 * b + 1, 3 * b - 1, 3 * b + 1, 4 * b + 7, 300};
}

}  // namespace

#define TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("two-stage path on the CPU: families and orders, as accurate as the one-stage path", "",
                   TYPES) {
  for (const char* family : support::reduction::families) {
    double residual[2] = {0.5, 0.5}, orthogonality[2] = {0.5, 0.5};  // the least values that count
    for (const std::int64_t n : orders())
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        CAPTURE(family, n, static_cast<char>(uplo));
        const std::vector<TestType> a = in_type<TestType>(support::reduction::family(family, n), n);
        std::vector<real_t<TestType>> values;
        for (const Path path : {Path::one_stage, Path::two_stage}) {
          const Pairs<TestType> pairs = solve(a, n, {path, uplo});
          const Verification v = verified(a, n, pairs);
          const auto k = static_cast<std::size_t>(path == Path::two_stage);
          if (n > 10) {  // the ratios of fewer rows are single rounding errors
            residual[k] = std::max(residual[k], v.lapack_residual);
            orthogonality[k] = std::max(orthogonality[k], v.lapack_orthogonality);
          }
          if (path == Path::one_stage)
            values = pairs.w;
          else
            CHECK(distance(pairs.w, values) <= 1);
        }
      }
    CAPTURE(family, residual[0], residual[1], orthogonality[0], orthogonality[1]);
    CHECK(residual[1] <= 2 * residual[0]);
    CHECK(orthogonality[1] <= 2 * orthogonality[0]);
  }
}

TEMPLATE_TEST_CASE("two-stage path on the CPU: LAPACK's types", "", TYPES) {
  for (int type = 1; type <= support::lapack_types; ++type)
    for (const std::int64_t n : {20, 65, 130}) {
      CAPTURE(type, n);
      const std::vector<TestType> a = in_type<TestType>(support::lapack_matrix(type, n, 3), n);
      verified(a, n, solve(a, n, {}));
    }
}

TEMPLATE_TEST_CASE("two-stage path on the CPU: values alone, some pairs and all pairs have the same bits", "",
                   TYPES) {
  for (const std::int64_t n : {60, 301, 700})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(n, static_cast<char>(uplo));
      const std::vector<TestType> a = in_type<TestType>(support::reduction::family("random", n), n);
      const Pairs<TestType> all = solve(a, n, {Path::two_stage, uplo});
      CHECK(solve(a, n, {Path::two_stage, uplo, {}, false}).w == all.w);
      for (const auto& [first, last] :
           {std::pair{1, 5}, {7, 7}, {static_cast<int>(n) - 3, static_cast<int>(n)}}) {
        const Pairs<TestType> some = solve(a, n, {Path::two_stage, uplo, Subset::by_index(first, last)});
        CHECK(some.w == std::vector<real_t<TestType>>(all.w.begin() + first - 1, all.w.begin() + last));
        verified(a, n, some);
      }
    }
}

TEMPLATE_TEST_CASE("two-stage path on the CPU: the bits do not depend on the threads", "", TYPES) {
  const std::int64_t n = 1100;
  const std::vector<TestType> a = in_type<TestType>(support::reduction::family("random", n), n);
  const Pairs<TestType> alone = solve(a, n, {.threads = 1});
  const Verification v = verified(a, n, alone);
  CHECK(v.lapack_residual < 1);
  CHECK(v.lapack_orthogonality < 1);
  for (const int threads : {2, 3}) {
    const Pairs<TestType> pairs = solve(a, n, {.threads = threads});
    CHECK(pairs.w == alone.w);
    CHECK(pairs.z == alone.z);
  }
}

TEST_CASE("two-stage path on the CPU: badly scaled matrices") {
  for (const double factor : {1e-300, 1e-160, 1e160, 1e300}) {
    const std::int64_t n = 130;
    CAPTURE(factor);
    std::vector<double> a = support::reduction::family("random", n);
    for (double& x : a) x *= factor;
    verified(a, n, solve(a, n, {}));
  }
}

TEST_CASE("two-stage path on the CPU: progress reaches 1 in each stage, and its exception ends the solve") {
  const std::int64_t n = 600;
  const std::vector<double> a = support::reduction::family("random", n);
  std::vector<double> w(static_cast<std::size_t>(n)), z(a.size());
  Options options;
  options.path = Path::two_stage;
  Devices devices;
  devices.device = DeviceChoice::cpu;
  const Stage stages[] = {Stage::full_to_band, Stage::chase, Stage::back_transform_chase,
                          Stage::back_transform_band};
  int within[4] = {}, ends[4] = {};
  options.progress = [&](Stage stage, double fraction) {
    for (int k = 0; k < 4; ++k)
      if (stage == stages[k]) {
        within[k] += fraction > 0 && fraction < 1;
        ends[k] += fraction == 1;
      }
  };
  (void)::eigen_g::eigen_g<double>(n, a.data(), n, w.data(), z.data(), n, options, devices);
  for (int k = 0; k < 4; ++k) {
    CAPTURE(name(stages[k]));
    CHECK(within[k] > 0);
    CHECK(ends[k] > 0);
  }
  for (const Stage stage : stages)
    for (const double least : {0.0, 0.01}) {
      CAPTURE(name(stage), least);
      options.progress = [&](Stage at, double fraction) {
        if (at == stage && fraction >= least) throw std::domain_error("enough");
      };
      CHECK_THROWS_AS(
          (void)::eigen_g::eigen_g<double>(n, a.data(), n, w.data(), z.data(), n, options, devices),
          std::domain_error);
    }
  options.progress = {};
  const Report report = ::eigen_g::eigen_g<double>(n, a.data(), n, w.data(), z.data(), n, options, devices);
  CHECK(passed(verify(Uplo::lower, n, a.data(), n, n, w.data(), z.data(), n, DeviceChoice::cpu)));
  CHECK(report.path == Path::two_stage);
}

TEST_CASE("path on the CPU: by the order alone, unless it is asked for") {
  const OrdersOnCpu& from = two_stage_tuning().orders_on_cpu;
  CHECK(path_on_cpu<double>(Path::automatic, from.of_real - 1) == Path::one_stage);
  CHECK(path_on_cpu<float>(Path::automatic, from.of_real) == Path::two_stage);
  CHECK(path_on_cpu<std::complex<float>>(Path::automatic, from.of_complex - 1) == Path::one_stage);
  CHECK(path_on_cpu<std::complex<double>>(Path::automatic, from.of_complex) == Path::two_stage);
  CHECK(path_on_cpu<double>(Path::automatic, 100000) == Path::two_stage);
  CHECK(path_on_cpu<double>(Path::two_stage, 3) == Path::two_stage);
  CHECK(path_on_cpu<double>(Path::one_stage, 100000) == Path::one_stage);
}
