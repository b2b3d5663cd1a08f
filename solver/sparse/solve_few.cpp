#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/sparse.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/cpu_executor.hpp"
#include "solver/sparse/few_problem.hpp"
#include "solver/sparse/lanczos.hpp"
#include "solver/sparse/verify_few.hpp"

namespace eigen_g {

const char* name(FewMethod method) {
  constexpr const char* names[] = {"auto", "dense", "lanczos"};
  return names[static_cast<int>(method)];
}

namespace {

// Orders up to which the dense solver is taken at once, and up to which it takes what Lanczos does not resolve.
constexpr std::int64_t dense_at_once_on_cpu = 1000, dense_at_once_on_gpu = 4000, dense_at_last = 20000;

void check(std::int64_t n, const FewOptions& options, std::int64_t ldz) {
  const auto require_that = [](bool good, const char* parameter, const std::string& reason) {
    if (!good) throw InvalidArgument(parameter, reason);
  };
  require_size(n, Argument::n);
  require_that(options.count >= 1 && options.count <= std::max<std::int64_t>(n, 1), "count",
               "is " + std::to_string(options.count) + ", must be from 1 to n = " + std::to_string(n));
  require_that(options.tolerance >= 1e-14 && options.tolerance < 1, "tolerance", "must be from 1e-14 to 1");
  require_that(options.max_products > 0, "max_products", "must be positive");
  require_that(std::isfinite(options.near), "near", "is not finite");
  require_that(options.start_count >= 0 && (options.start || options.start_count == 0), "start", "is null");
  require_that(!options.start || options.start_ld >= std::max<std::int64_t>(n, 1), "start_ld",
               "is less than n");
  require_leading_dimension(ldz, n, Argument::ldz);
}

FewMethod choose_method(std::int64_t n, const FewOptions& options, bool gpu) {
  if (options.method != FewMethod::lanczos && options.end == End::near) return FewMethod::dense;
  if (options.end == End::near)
    throw InvalidArgument("method",
                          "is lanczos, which finds the ends of a spectrum, not what is near a value");
  const bool too_small = n < lanczos_least_order(options.count);
  if (options.method != FewMethod::automatic) return too_small ? FewMethod::dense : options.method;
  return too_small || n <= (gpu ? dense_at_once_on_gpu : dense_at_once_on_cpu) ? FewMethod::dense
                                                                               : FewMethod::lanczos;
}

// The `count` of the ascending values that are wanted: the first of them.
std::int64_t first_wanted(const std::vector<double>& values, const FewOptions& options) {
  const std::int64_t n = static_cast<std::int64_t>(values.size());
  if (options.end == End::lowest) return 0;
  if (options.end == End::highest) return n - options.count;
  std::int64_t first = 0;
  while (first + options.count < n &&
         options.near - values[first] > values[first + options.count] - options.near)
    ++first;
  return first;
}

void require_symmetric(const double* a, std::int64_t n) {
  double largest = 0, difference = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      largest = std::max({largest, std::abs(a[i + j * n]), std::abs(a[j + i * n])});
      difference = std::max(difference, std::abs(a[i + j * n] - a[j + i * n]));
    }
  if (difference > 1e-12 * largest) throw InvalidArgument(Argument::a, "is not symmetric");
}

template <class T>
void solve_dense(const FewProblem<T>& problem, const FewOptions& options, const Devices& devices, T* w, T* z,
                 std::int64_t ldz, FewReport& report) {
  const std::int64_t n = problem.n, count = options.count;
  const std::uint64_t bytes = 2 * sizeof(T) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n);
  if (const std::uint64_t available = host_memory_available(); available > 0 && bytes > available) {
    if (options.end != End::near) throw OutOfMemory(OutOfMemory::Where::host, "the host", bytes, available);
    throw InvalidArgument(
        "end", "is near a value: pairs inside a spectrum are found by the dense solver, which needs " +
                   std::to_string(bytes) + " bytes for n = " + std::to_string(n) + "; " +
                   std::to_string(available) + " are available");
  }
  const HostArray<T> a = host_array<T>(n * n);
  problem.densify(a.get());
  require_symmetric(a.get(), n);
  Options dense;
  if (options.end == End::lowest) dense.subset = Subset::numbers(1, count);
  if (options.end == End::highest) dense.subset = Subset::numbers(n - count + 1, n);
  const Solution<T> solution = solve(n, a.get(), n, dense, devices);
  const std::int64_t first = options.end == End::near ? first_wanted(solution.values, options) : 0;
  report.method = FewMethod::dense;
  report.status = solution.report.status;
  report.bytes.host = bytes + solution.report.bytes.host;
  report.bytes.device = solution.report.bytes.device;
  report.on_gpu = !solution.report.devices.empty() && solution.report.devices.front().gpu >= 0;
  std::copy_n(solution.values.data() + first, count, w);
  report.norm = 0;
  for (const T value : solution.values) report.norm = std::max<double>(report.norm, std::abs(value));
  // The residuals, four columns at a time, as Lanczos measures its own.
  CpuExecutor<T> on(n, problem.product);
  T *const panel = on.take(n * panel_width), *const work = on.take(n * panel_width),
           *const small = on.take(32);
  for (std::int64_t j = 0; j < count; j += panel_width) {
    const std::int64_t columns = std::min<std::int64_t>(panel_width, count - j);
    std::fill_n(panel, n * panel_width, T(0));
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t i = 0; i < n; ++i)
        panel[panel_width * i + c] = solution.vectors[i + (first + j + c) * n];
    const FewMeasures<T> measures = measure(on, 1.0, 1, panel, work, small);
    report.residuals.insert(report.residuals.end(), measures.residuals.begin(),
                            measures.residuals.begin() + columns);
    if (!z) continue;
    for (std::int64_t c = 0; c < columns; ++c)
      std::copy_n(solution.vectors.data() + (first + j + c) * n, n, z + (j + c) * ldz);
  }
}

template <class T>
void solve_lanczos(const FewProblem<T>& problem, const FewOptions& options, T* w, T* z, std::int64_t ldz,
                   FewReport& report) {
  const std::int64_t n = problem.n;
  CpuExecutor<T> on(n, problem.product);
  LanczosOptions lanczos_options;
  lanczos_options.wanted = options.count;
  lanczos_options.highest = options.end == End::highest;
  lanczos_options.tolerance = options.tolerance;
  lanczos_options.max_products = options.max_products;
  lanczos_options.scale = problem.scale;
  lanczos_options.progress = options.progress;
  const std::int64_t start_panels = (options.start_count + panel_width - 1) / panel_width;
  T* const start = start_panels > 0 ? on.take(start_panels * panel_width * n) : nullptr;
  for (std::int64_t c = 0; c < start_panels * panel_width; ++c)
    for (std::int64_t i = 0; i < n; ++i)
      start[(c / panel_width * n + i) * panel_width + c % panel_width] =
          c < options.start_count ? options.start[i + c * options.start_ld] : T(0);
  const LanczosResult<T> result = lanczos(on, lanczos_options, start, start_panels);
  report.method = FewMethod::lanczos;
  report.status = result.converged ? Status::converged : Status::not_converged;
  report.residuals = result.residuals;
  report.norm = result.bounds.norm;
  report.orthogonality = result.orthogonality;
  report.products = result.products;
  report.restarts = result.restarts;
  report.predicted_products = result.predicted_products;
  const double ends[] = {result.filter.sign * result.filter.cut(),
                         result.filter.sign * result.filter.upper()};
  report.filter_cut = ends[0];
  report.filter_upper = ends[1];
  report.filter_degree = result.filter.degree;
  report.probed = result.probe.passed;
  report.probe_found = result.probe.found;
  report.bytes.host = on.bytes();
  std::copy(result.values.begin(), result.values.end(), w);
  if (!z) return;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    const T* const from = result.vectors + result.columns[c] / panel_width * panel_width * n;
    for (std::int64_t i = 0; i < n; ++i)
      z[i + static_cast<std::int64_t>(c) * ldz] = from[panel_width * i + result.columns[c] % panel_width];
  }
}

template <class T, class Matrix>
FewReport solve_any(const Matrix& a, T* w, T* z, std::int64_t ldz, const FewOptions& options,
                    const Devices& devices) {
  const auto start = std::chrono::steady_clock::now();
  check(a.n, options, ldz);
  check_devices(devices);
  const ThreadLimit limit(devices.threads);
  FewReport report;
  if (a.n == 0) return report;
  require_pointer(w, true, Argument::w);
  require_on_host({{Argument::w, w}, {Argument::z, z}});
  const FewProblem<T> problem = few_problem(a);
  if (choose_method(a.n, options, false) == FewMethod::dense) {
    solve_dense(problem, options, devices, w, z, ldz, report);
  } else {
    solve_lanczos(problem, options, w, z, ldz, report);
    if (report.status != Status::converged && options.method == FewMethod::automatic && a.n <= dense_at_last)
      solve_dense(problem, options, devices, w, z, ldz, report = {});
  }
  report.m = options.count;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

template <class T>
FewReport solve_few(const SparseRows<T>& a, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                    const FewOptions& options, const Devices& devices) {
  return solve_any<T>(a, w, z, ldz, options, devices);
}
template <class T>
FewReport solve_few(const SparseProduct<T>& a, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                    const FewOptions& options, const Devices& devices) {
  return solve_any<T>(a, w, z, ldz, options, devices);
}

template FewReport solve_few(const SparseRows<double>&, double*, double*, std::int64_t, const FewOptions&,
                             const Devices&);
template FewReport solve_few(const SparseProduct<double>&, double*, double*, std::int64_t, const FewOptions&,
                             const Devices&);

}  // namespace eigen_g
