// solve_few(), predict_few(): check the arguments, choose the method, and run the dense solver or Lanczos.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/sparse.hpp"
#include "solver/devices/calibration.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/few_options.hpp"
#include "solver/sparse/few_prediction.hpp"
#include "solver/sparse/few_problem.hpp"
#include "solver/sparse/lanczos.hpp"
#include "solver/sparse/real_form.hpp"
#include "solver/sparse/verify_few.hpp"

namespace eigen_g {

const char* name(FewMethod method) {
  constexpr const char* names[] = {"auto", "dense", "lanczos", "shift-invert"};
  return names[static_cast<int>(method)];
}

namespace {

constexpr double least_tolerance = 1e-14;

}  // namespace

double few_tolerance(std::int64_t n) {
  return std::max(least_tolerance,
                  5 * std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon());
}

void check_few(std::int64_t n, const FewOptions& options, std::int64_t ldz) {
  const auto require_that = [](bool good, const char* parameter, const std::string& reason) {
    if (!good) throw InvalidArgument(parameter, reason);
  };
  require_size(n, Argument::n);
  require_that(options.count >= 1 && options.count <= std::max<std::int64_t>(n, 1), "count",
               "is " + std::to_string(options.count) + ", must be from 1 to n = " + std::to_string(n));
  require_that(options.tolerance == 0 || (options.tolerance >= least_tolerance && options.tolerance <= 1),
               "tolerance", "must be 0 or from 1e-14 to 1");
  require_that(options.max_products > 0, "max_products", "must be positive");
  require_that(std::isfinite(options.target), "near", "must be finite");
  require_that(options.start_count >= 0 && (options.start || options.start_count == 0), "start",
               "must not be null if start_count is positive; start_count must be at least 0");
  require_that(!options.start || options.start_ld >= std::max<std::int64_t>(n, 1), "start_ld",
               "must be at least max(1, n)");
  require_leading_dimension(ldz, n, Argument::ldz);
}

namespace {

bool has_target(End end) {
  return end != End::lowest && end != End::highest;
}

// Index of the first of the `count` wanted values among all values, which ascend. Throws InvalidArgument (count) if a side of the target has
// too few.
std::int64_t first_wanted(const std::vector<double>& values, const FewOptions& options) {
  const std::int64_t n = static_cast<std::int64_t>(values.size());
  if (options.end == End::lowest) return 0;
  if (options.end == End::highest) return n - options.count;
  std::int64_t first = 0;
  if (options.end == End::nearest) {
    while (first + options.count < n &&
           options.target - values[first] > values[first + options.count] - options.target)
      ++first;
    return first;
  }
  const std::int64_t below = std::lower_bound(values.begin(), values.end(), options.target) - values.begin();
  first = below - (options.end == End::below  ? options.count
                   : options.end == End::both ? options.count / 2
                                              : 0);
  if (first < 0 || first + options.count > n)
    throw InvalidArgument("count", "is " + std::to_string(options.count) +
                                       ", but a side of the target has too few eigenvalues");
  return first;
}

// Returns max |a_ij|.
double require_symmetric(const double* a, std::int64_t n) {
  double largest = 0, difference = 0;
  bool finite = true;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      finite = finite && std::isfinite(a[i + j * n]) && std::isfinite(a[j + i * n]);
      largest = std::max({largest, std::abs(a[i + j * n]), std::abs(a[j + i * n])});
      difference = std::max(difference, std::abs(a[i + j * n] - a[j + i * n]));
    }
  if (!finite)
    throw InvalidArgument(Argument::a, "has a product with a finite vector that is NaN or infinite");
  if (difference > 1e-12 * largest) throw InvalidArgument(Argument::a, "is not symmetric");
  return largest;
}

// A lower bound of |A|, which is a few percent too small at most in practice: twelve steps of the power method with four random vectors.
template <class T>
double norm_from_below(Executor<T>& on, T* x, T* y, T* small) {
  constexpr int entries = block_width * block_width, steps = 12;
  std::array<T, entries> gram;
  double norm = 0;
  on.randomise((1u << block_width) - 1, 1, x);
  for (int step = 0; step <= steps; ++step) {
    on.gram(1, x, x, small);
    on.get(small, entries, gram.data());
    std::array<T, entries> inverse{};
    for (int j = 0; j < block_width; ++j) {
      const double length = std::sqrt(gram[5 * j]);
      if (step > 0) norm = std::max(norm, length);
      if (length > 0) inverse[5 * j] = static_cast<T>(1 / length);
    }
    on.put(inverse.data(), entries, small);
    on.times(x, small);
    on.multiply(T(1), x, T(0), T(0), y);
    std::swap(x, y);
  }
  return norm;
}

template <class T>
void solve_dense(const FewProblem<T>& problem, const FewOptions& options, const Devices& devices, T* w, T* z,
                 std::int64_t ldz, FewReport& report) {
  const std::int64_t n = problem.n, count = options.count;
  const std::uint64_t bytes = 2 * sizeof(T) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n);
  if (const std::uint64_t available = host_memory_available(); available > 0 && bytes > available) {
    if (!has_target(options.end)) throw OutOfMemory(OutOfMemory::Where::host, "the host", bytes, available);
    throw InvalidArgument("end", "is near a value, which only the dense solver can do; it needs " +
                                     std::to_string(bytes) + " bytes for n = " + std::to_string(n) + "; " +
                                     std::to_string(available) + " are available");
  }
  if (options.before_dense) options.before_dense();
  const std::unique_ptr<Executor<T>> on = problem.executor(1);
  const HostArray<T> a = host_array<T>(n * n);
  if (problem.densify)
    problem.densify(a.get());
  else
    densify_by_products(*on, a.get());
  const double factor = scaling_of(require_symmetric(a.get(), n));
  on->scale(static_cast<T>(factor));
  Options dense;
  if (options.end == End::lowest) dense.subset = Subset::by_index(1, count);
  if (options.end == End::highest) dense.subset = Subset::by_index(n - count + 1, n);
  const Solution<T> solution = solve(n, a.get(), n, dense, devices);
  const std::int64_t first = has_target(options.end) ? first_wanted(solution.values, options) : 0;
  report.method = FewMethod::dense;
  report.status = solution.report.status;
  report.on_gpu = !solution.report.devices.empty() && solution.report.devices.front().gpu >= 0;
  std::copy_n(solution.values.data() + first, count, w);
  T *const block = on->take_blocks(1), *const work = on->take_blocks(1), *const small = on->take(32);
  report.norm = norm_from_below(*on, block, work, small) / factor;
  for (const T value : solution.values) report.norm = std::max<double>(report.norm, std::abs(value));
  // Measures the residuals, four columns at a time, in the same way as Lanczos.
  const HostArray<T> host = host_array<T>(n * block_width);
  for (std::int64_t j = 0; j < count; j += block_width) {
    const std::int64_t columns = std::min<std::int64_t>(block_width, count - j);
    std::fill_n(host.get(), n * block_width, T(0));
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t i = 0; i < n; ++i)
        host[block_width * i + c] = solution.vectors[i + (first + j + c) * n];
    on->put(host.get(), n * block_width, block);
    const FewMeasures<T> measures = measure(*on, 1.0, 1, block, work, small);
    for (std::int64_t c = 0; c < columns; ++c) report.residuals.push_back(measures.residuals[c] / factor);
    for (std::int64_t c = 0; z && c < columns; ++c) on->column(block, c, z + (j + c) * ldz);
  }
  for (const double residual : report.residuals)
    if (!(residual <= options.tolerance * report.norm)) report.status = Status::not_converged;
  report.bytes.host = bytes + solution.report.bytes.host;
  report.bytes.device = solution.report.bytes.device;
}

// A power of two that brings the largest entry of a start vector near 1. Throws InvalidArgument (start).
template <class T>
T start_factor(const T* x, std::int64_t n) {
  T largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) throw InvalidArgument("start", "has a NaN or an infinity, must be finite");
    largest = std::max(largest, std::abs(x[i]));
  }
  return largest > 0 ? std::ldexp(T(1), std::min(-std::ilogb(largest), 1000)) : T(1);
}

// Copies the start vectors from the host into blocks of the executor.
template <class T>
T* start_blocks_of(const FewOptions& options, std::int64_t blocks, Executor<T>& on) {
  if (blocks == 0) return nullptr;
  const std::int64_t n = on.order(), values = n * block_width;
  T* const start = on.take_blocks(blocks);
  const HostArray<T> host = host_array<T>(values);
  for (std::int64_t p = 0; p < blocks; ++p) {
    std::fill_n(host.get(), values, T(0));
    for (std::int64_t c = 0; c < std::min<std::int64_t>(block_width, options.start_count - p * block_width);
         ++c) {
      const T* const x = options.start + (p * block_width + c) * options.start_ld;
      const T factor = start_factor(x, n);
      for (std::int64_t i = 0; i < n; ++i) host[block_width * i + c] = factor * x[i];
    }
    on.put(host.get(), values, start + p * values);
  }
  return start;
}

template <class T>
void solve_lanczos(const FewProblem<T>& problem, const FewOptions& options, T* w, T* z, std::int64_t ldz,
                   FewReport& report) {
  const std::unique_ptr<Executor<T>> on = problem.executor(lanczos_sizes(options.count).basis);
  LanczosOptions lanczos_options;
  lanczos_options.wanted = options.count;
  lanczos_options.highest = options.end == End::highest;
  lanczos_options.tolerance = options.tolerance;
  lanczos_options.max_products = options.max_products;
  lanczos_options.scale = problem.scale;
  lanczos_options.progress = options.progress;
  const std::int64_t start_blocks = (options.start_count + block_width - 1) / block_width;
  const T* const start = start_blocks_of(options, start_blocks, *on);
  const LanczosResult<T> result = lanczos(*on, lanczos_options, start, start_blocks);
  report.method = FewMethod::lanczos;
  report.on_gpu = problem.on_gpu;
  report.status = result.converged ? Status::converged : Status::not_converged;
  const double factor = result.scale;
  for (const double residual : result.residuals) report.residuals.push_back(residual / factor);
  report.norm = result.bounds.norm / factor;
  report.orthogonality = result.orthogonality;
  report.products = result.products;
  report.restarts = result.restarts;
  report.predicted_products = result.predicted_products;
  report.filter_cut = result.filter.sign * result.filter.cut() / factor;
  report.filter_upper = result.filter.sign * result.filter.upper() / factor;
  report.filter_degree = result.filter.degree;
  report.probed = result.probe.passed;
  report.probe_found = result.probe.found;
  std::transform(result.values.begin(), result.values.end(), w, [&](double value) { return value / factor; });
  for (std::size_t c = 0; z && c < result.columns.size(); ++c)
    on->column(result.vectors, result.columns[c], z + static_cast<std::int64_t>(c) * ldz);
  (problem.on_gpu ? report.bytes.device : report.bytes.host) = on->bytes();
}

template <class T>
FewReport solve_problem(const FewProblem<T>& problem, T* w, T* z, std::int64_t ldz, FewOptions options,
                        const Devices& devices) {
  const auto start = std::chrono::steady_clock::now();
  FewReport report;
  const FewPrediction plan = few_prediction(problem.n, problem.nnz, options, problem.on_gpu, 1);
  if (options.tolerance == 0) options.tolerance = few_tolerance(problem.n);
  if (plan.method == FewMethod::dense) {
    solve_dense(problem, options, devices, w, z, ldz, report);
  } else {
    options.max_products = plan.max_products;
    solve_lanczos(problem, options, w, z, ldz, report);
    if (report.status != Status::converged && plan.dense_follows)
      solve_dense(problem, options, devices, w, z, ldz, report = {});
  }
  report.tolerance = options.tolerance;
  report.m = options.count;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

// Checks the arguments. Returns true if n = 0, so that there is nothing to do.
bool checked_empty(std::int64_t n, const void* w, std::int64_t ldz, const FewOptions& options) {
  check_few(n, options, ldz);
  require_pointer(w, n > 0, Argument::w);
  return n == 0;
}

// True if Lanczos works on a GPU. A small matrix for the dense method is formed on the CPU, and the dense solver chooses the GPU itself.
bool on_gpu(std::int64_t n, const FewOptions& options, const Devices& devices) {
  return use_gpu(devices.device, n) &&
         (options.method == FewMethod::lanczos || n > few_rates(true, 1).dense_at_once);
}

// The current GPU and `further` ones. The slowest exchange among the measured ones decides, because all GPUs wait for it.
GpuCount team_of(const std::vector<int>& further, const Calibration* calibration) {
  GpuCount team;
  team.gpus = 1 + static_cast<int>(further.size());
  if (!calibration) return team;
  double bandwidth = 0, latency = 0;
  for (const DeviceRates& rates : calibration->devices) {
    if (std::find(further.begin(), further.end(), rates.device.index) == further.end() ||
        rates.halo_bytes_per_second <= 0)
      continue;
    bandwidth =
        bandwidth == 0 ? rates.halo_bytes_per_second : std::min(bandwidth, rates.halo_bytes_per_second);
    latency = std::max(latency, rates.halo_latency);
  }
  if (bandwidth > 0) team.halo_bytes_per_second = bandwidth, team.halo_latency = latency;
  return team;
}

template <class T>
FewReport solve_on_gpu([[maybe_unused]] const auto& a, [[maybe_unused]] T* w,
                       [[maybe_unused]] DevicePointer<T> z, [[maybe_unused]] std::int64_t ldz,
                       [[maybe_unused]] CUstream_st* stream, [[maybe_unused]] const FewOptions& options) {
  if (checked_empty(a.n, w, ldz, options)) return {};
  require_gpu();
  require_on_host({{Argument::w, w}});
  require_on_gpu({{Argument::z, z.get()}});
#ifdef EIGEN_G_HAVE_CUDA
  return solve_problem(few_problem(a, stream), w, z.get(), ldz, options, {});
#else
  return {};
#endif
}

}  // namespace

FewPrediction predict_few(std::int64_t n, std::int64_t nnz, const FewOptions& options,
                          const Devices& devices) {
  check_few(n, options, n);
  check_devices(devices);
  const ThreadLimit limit(devices.threads);
  const bool gpu = on_gpu(n, options, devices);
  const GpuCount team =
      gpu && nnz >= 0 ? team_of(helper_gpus(devices.gpus), devices.calibration.get()) : GpuCount{};
  return few_prediction(n, nnz, options, gpu, loop_threads(), team);
}

// The same call for the real form of A.
template <class T>
FewReport few_of_real_form(const auto& a, real_t<T>* w, T* z, std::int64_t ldz, const FewOptions& options,
                           const Devices& devices) {
  FewOptions checked = options;  // the length of start vectors is that of the real form
  checked.start_ld /= rows_of_one<T>;
  if (checked_empty(a.n, w, ldz, checked)) return {};
  require_on_host({{Argument::w, w}, {Argument::z, z}});
  return solve_by_real_form<T>(a.n, options, {}, w, z, ldz,
                               [&](const FewOptions& real, double* values, double* vectors, std::int64_t ld) {
                                 if constexpr (std::is_same_v<decltype(a), const CsrMatrix<T>&>) {
                                   const RealMatrix of_a = real_form(a, "a");
                                   return solve_few(of_a.rows(), values, vectors, ld, real, devices);
                                 } else {
                                   return solve_few(real_form(a), values, vectors, ld, real, devices);
                                 }
                               });
}

template <class T>
FewReport solve_few(const CsrMatrix<T>& a, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                    const FewOptions& options, const Devices& devices) {
  if constexpr (!std::is_same_v<T, double>) {
    return few_of_real_form<T>(a, w, z, ldz, options, devices);
  } else {
    if (checked_empty(a.n, w, ldz, options)) return {};
    check_devices(devices);
    require_on_host({{Argument::w, w}, {Argument::z, z}, {Argument::a, a.values}});
    const ThreadLimit limit(devices.threads);
    const auto start = std::chrono::steady_clock::now();
    const bool gpu = on_gpu(a.n, options, devices);
    if (a.row_offsets &&
        few_prediction(a.n, a.row_offsets[a.n] - a.row_offsets[0], options, gpu, loop_threads()).method ==
            FewMethod::shift_invert)
      return SparseSolver<T>(a, {}, options, devices).solve(options, w, z, ldz);
    std::vector<int> gpus;
    if (gpu) {
      gpus = helper_gpus(devices.gpus);
      gpus.insert(gpus.begin(), current_gpu());
    }
    FewReport report = solve_problem(few_problem(a, gpus), w, z, ldz, options, devices);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }
}
template <class T>
FewReport solve_few(const SparseOperator<T>& a, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                    const FewOptions& options, const Devices& devices) {
  if constexpr (!std::is_same_v<T, double>) {
    return few_of_real_form<T>(a, w, z, ldz, options, devices);
  } else {
    if (checked_empty(a.n, w, ldz, options)) return {};
    check_devices(devices);
    require_on_host({{Argument::w, w}, {Argument::z, z}});
    const ThreadLimit limit(devices.threads);
    return solve_problem(few_problem(a), w, z, ldz, options, devices);
  }
}

FewReport solve_few(const SparseGrid& a, double* w, double* z, std::int64_t ldz, const FewOptions& options,
                    const Devices& devices) {
  check_grid(a);
  const std::int64_t n = a.nx * a.ny * a.nz;
  if (checked_empty(n, w, ldz, options)) return {};
  check_devices(devices);
  require_on_host({{Argument::w, w}, {Argument::z, z}});
  const ThreadLimit limit(devices.threads);
  const bool gpu = on_gpu(n, options, devices);
  return solve_problem(few_problem(a, gpu), w, z, ldz, options, devices);
}

template <class T>
FewReport solve_few(const DeviceCsrMatrix<T>& a, same_t<real_t<T>>* w, same_t<DevicePointer<T>> z,
                    std::int64_t ldz, CUstream_st* stream, const FewOptions& options) {
  return solve_on_gpu<T>(a, w, z, ldz, stream, options);
}
template <class T>
FewReport solve_few(const DeviceSparseOperator<T>& a, same_t<real_t<T>>* w, same_t<DevicePointer<T>> z,
                    std::int64_t ldz, CUstream_st* stream, const FewOptions& options) {
  return solve_on_gpu<T>(a, w, z, ldz, stream, options);
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, solve_few,
                             FewReport(const CsrMatrix<T>&, real_t<T>*, T*, std::int64_t, const FewOptions&,
                                       const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const SparseOperator<T>&, T*, T*, std::int64_t, const FewOptions&,
                                       const Devices&));
template FewReport solve_few(const SparseOperator<std::complex<double>>&, double*, std::complex<double>*,
                             std::int64_t, const FewOptions&, const Devices&);
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const DeviceCsrMatrix<T>&, T*, DevicePointer<T>, std::int64_t,
                                       CUstream_st*, const FewOptions&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const DeviceSparseOperator<T>&, T*, DevicePointer<T>, std::int64_t,
                                       CUstream_st*, const FewOptions&));

}  // namespace eigen_g
