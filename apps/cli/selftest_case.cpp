#include "apps/cli/selftest_case.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <type_traits>

#include "apps/io/scalar_type.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/api/batched.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_batched.hpp"

namespace eigen_g::apps {

namespace {

template <class R>
double distance(const std::vector<R>& w, std::int64_t m, const std::vector<double>& truth,
                std::int64_t first) {
  double worst = 0, largest = std::numeric_limits<R>::min();
  for (const double value : truth) largest = std::max(largest, std::fabs(value));
  for (std::int64_t k = 0; k < m; ++k) {
    const double off = std::fabs(static_cast<double>(w[static_cast<std::size_t>(k)]) -
                                 truth[static_cast<std::size_t>(first + k)]);
    if (std::isnan(off) || off > worst) worst = off;
  }
  return worst / largest / (static_cast<double>(truth.size()) * std::numeric_limits<R>::epsilon());
}

// LAPACK computes the values by another algorithm if there are vectors.
template <class T>
std::optional<std::vector<double>> values_on_cpu(const SelftestMatrix<T>& matrix, std::int64_t n,
                                                 bool vectors, int threads) {
  Options options;
  options.vectors = vectors;
  const Solution<T> found =
      solve(n, matrix.a.data(), n, options, {.device = DeviceChoice::cpu, .threads = threads});
  if (found.report.status != Status::converged) return std::nullopt;
  return std::vector<double>(found.values.begin(), found.values.end());
}

}  // namespace

template <class T>
std::vector<SelftestVariant> selftest_variants(std::int64_t n, bool on_gpu) {
  const Subset third = Subset::by_index((n + 2) / 3, (2 * n + 2) / 3),
               positive = Subset::by_value(0, std::numeric_limits<double>::infinity());
  std::vector<SelftestVariant> list{
      {.name = "lower"},
      {.name = "upper, padded", .options = {.uplo = Uplo::upper}, .padding = 3},
      {.name = "values", .options = {.vectors = false}},
      {.name = "a third by index", .options = {.subset = third}},
      {.name = "above 0, upper", .options = {.uplo = Uplo::upper, .subset = positive}},
      {.name = "z is a", .in_place = true}};
  list.push_back({.name = "one-stage path", .options = {.path = Path::one_stage}});
  list.push_back({.name = "two-stage path", .options = {.path = Path::two_stage}});
  list.push_back({.name = "two-stage path, third",
                  .options = {.uplo = Uplo::upper, .subset = third, .path = Path::two_stage},
                  .padding = 1});
  list.push_back({.name = "two-stage path, values", .options = {.vectors = false, .path = Path::two_stage}});
  if (!on_gpu) return list;
  if constexpr (!is_complex<T>) list.push_back({.name = "GPU:CPU 3:1", .ratio = {{3, 1}}});
  if constexpr (std::is_same_v<T, double>) {
    list.push_back({.name = "mixed precision", .options = {.precision = Precision::mixed}});
    for (const Engine engine : engines())
      if (engine != Engine::native && engine_runs(engine))
        list.push_back({.name = std::string("engine ") + name(engine), .options = {.engine = engine}});
  }
  return list;
}

template <class T>
SelftestCase solved(const std::string& family, const SelftestMatrix<T>& matrix, std::int64_t n,
                    const SelftestVariant& variant, Devices devices, bool on_gpu) {
  using R = real_t<T>;
  constexpr R nothing = std::numeric_limits<R>::quiet_NaN();
  SelftestCase c{static_cast<char>(io::scalar_type<T>), family, variant.name, n};
  const Options& options = variant.options;
  devices.ratio = variant.ratio;
  const std::int64_t ld = std::max<std::int64_t>(1, n) + variant.padding, most = options.subset.max_count(n);
  std::vector<T> a(static_cast<std::size_t>(ld * n), T(nothing));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (options.uplo == Uplo::lower ? i >= j : i <= j) {
        T& x = a[static_cast<std::size_t>(i + j * ld)] = matrix.a[static_cast<std::size_t>(i + j * n)];
        if constexpr (is_complex<T>)
          if (i == j) x.imag(nothing);
      }
  std::vector<R> w(static_cast<std::size_t>(most));
  std::vector<T> z;
  if (variant.in_place) z = a;
  if (options.vectors && !variant.in_place) z.resize(static_cast<std::size_t>(ld * most));
  const Report report = eigen_g(n, variant.in_place ? z.data() : a.data(), ld, w.data(),
                                options.vectors ? z.data() : nullptr, ld, options, devices);
  c.m = report.m;
  c.passed = report.status == Status::converged;
  if (c.passed && options.vectors) {
    const Verification v = verify(options.uplo, n, a.data(), ld, report.m, w.data(), z.data(), ld,
                                  devices.device, devices.threads);
    c.residual = v.lapack_residual;
    c.orthogonality = v.lapack_orthogonality;
    c.passed = passed(v);
  }
  if (!c.passed || n == 0) return c;
  std::optional<std::vector<double>> truth = matrix.exact;
  if (!truth && (on_gpu || !options.vectors)) {
    truth = values_on_cpu(matrix, n, !on_gpu, devices.threads);
    c.passed = truth.has_value();
  }
  if (!truth) return c;
  c.values = distance(w, report.m, *truth, report.first_index - 1);
  c.passed = c.values <= selftest_values_limit;
  return c;
}

template <class T>
SelftestCase solved_batch(std::int64_t n, const Devices& devices, bool on_gpu) {
  using R = real_t<T>;
  SelftestCase c{static_cast<char>(io::scalar_type<T>), "all families", "batch", n, n};
  const auto square = static_cast<std::size_t>(n * n);
  std::vector<SelftestMatrix<T>> matrices;
  std::vector<T> a;
  for (const SelftestFamily<T>& family : selftest_families<T>())
    if (auto matrix = family.make(n)) {
      a.insert(a.end(), matrix->a.begin(), matrix->a.end());
      matrices.push_back(*std::move(matrix));
    }
  const auto count = static_cast<std::int64_t>(matrices.size());
  for (std::size_t e = 0; e < a.size(); ++e)
    if (e % square % static_cast<std::size_t>(n) < e % square / static_cast<std::size_t>(n))
      a[e] = T(std::numeric_limits<R>::quiet_NaN());
  std::vector<R> w(a.size() / static_cast<std::size_t>(n));
  std::vector<T> z(a.size());
  const BatchReport report =
      eigen_g_batched(n, count, a.data(), n, w.data(), z.data(), n, nullptr, {}, {}, devices);
  const BatchVerification v = verify_batched(Uplo::lower, n, count, a.data(), n, n, w.data(), z.data(), n, {},
                                             devices.device, devices.threads);
  c.residual = v.lapack_residual;
  c.orthogonality = v.lapack_orthogonality;
  c.passed = report.failed == 0 && passed(v);
  auto values = w.begin();
  for (const SelftestMatrix<T>& matrix : matrices) {
    std::optional<std::vector<double>> truth = matrix.exact;
    if (!truth && on_gpu) truth = values_on_cpu(matrix, n, false, devices.threads);
    if (truth) c.values = std::max(c.values, distance(std::vector<R>(values, values + n), n, *truth, 0));
    values += n;
  }
  c.passed = c.passed && c.values <= selftest_values_limit;
  return c;
}

EIGEN_G_INSTANTIATE(all_types, selftest_variants, solved, solved_batch);

}  // namespace eigen_g::apps
