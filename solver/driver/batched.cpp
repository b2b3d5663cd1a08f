#include "solver/driver/batched.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "hybrid/first_failure.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/driver/arguments.hpp"

namespace eigen_g {

namespace {

using batched::SmallSolver;

// ---- Arguments

void check_options(std::int64_t n, std::int64_t count, const Options& options, const Devices& devices,
                   Pointers pointers) {
  check_plan({n, options, devices, pointers});
  require(count >= 0, "count", "is " + std::to_string(count) + ", must not be negative");
  require(!options.progress, "progress", "must be empty for a batch");
  require(options.engine == Engine::native, Argument::engine, "must be native for a batch");
  require(options.precision == Precision::native, "precision", "must be native for a batch");
  require(options.path != Path::two_stage, Argument::path, "must be automatic or one_stage for a batch");
  require(options.subset.by != Subset::By::value, "subset.by", "must be all or index for a batch");
  require(devices.gpus <= 1, Argument::gpus,
          "is " + std::to_string(devices.gpus) + ", must be 1 for a batch");
  require(devices.ratio.automatic(), Argument::ratio, "must be automatic for a batch");
  require(devices.multiprocessors == 0, Argument::multiprocessors, "must be 0 for a batch");
}

// Returns the stride. 0 is replaced by the stride of matrices without gaps, ld * cols. The smallest allowed stride is ld * (cols - 1) + rows,
// because a matrix does not use the rest of its last column. Throws InvalidArgument for a smaller stride.
std::int64_t stride_of(std::int64_t given, std::int64_t ld, std::int64_t rows, std::int64_t cols,
                       std::int64_t count, const char* name) {
  const std::int64_t least = cols > 0 ? ld * (cols - 1) + rows : 0;
  require(given == 0 || given >= least, name,
          "is " + std::to_string(given) + ", must be 0 or at least " + std::to_string(least));
  const std::int64_t stride = given == 0 ? ld * cols : given;
  require(stride <= std::numeric_limits<std::int64_t>::max() / 16 / std::max<std::int64_t>(1, count), name,
          "is " + std::to_string(stride) + "; the batch would reach beyond all addresses");
  return stride;
}

template <class T>
void check_matrix(const Batch<T>& batch, const BatchMatrix<T>& x) {
  require_pointer(x.a, x.n > 0, Argument::a);
  require_leading_dimension(x.lda, x.n, Argument::lda);
  require_pointer(x.w, x.n > 0, Argument::w);
  if (batch.generalised) {
    require_pointer(x.b, x.n > 0, Argument::b);
    require_leading_dimension(x.ldb, x.n, Argument::ldb);
    require(!x.z || x.z != x.b, Argument::z, "is b; must be other memory");
  }
  if (batch.options.vectors) {
    require(x.z || x.n == 0, Argument::z, "is null; must be an array, unless only values are requested");
    require_leading_dimension(x.ldz, x.n, Argument::ldz);
    require(x.n == 0 || x.z != x.a || x.ldz == x.lda, Argument::ldz,
            "is " + std::to_string(x.ldz) + ", must be lda = " + std::to_string(x.lda) +
                ", because z is a itself");
  }
  if (!batch.on_host())
    for (const auto& [argument, matrix] :
         std::initializer_list<NamedPointer>{{Argument::a, x.a}, {Argument::b, x.b}, {Argument::z, x.z}})
      require(reinterpret_cast<std::uintptr_t>(matrix) % sizeof(T) == 0, argument,
              "must be aligned to the size of its elements");
  require_in_memory(batch.pointers,
                    {{Argument::a, x.a}, {Argument::b, x.b}, {Argument::w, x.w}, {Argument::z, x.z}});
}

// Address and leading dimension of the matrices B of a strided batch of generalised problems.
template <class T>
struct MatricesB {
  const T* b;
  std::int64_t ldb;
};

// Checks the arguments of a strided batch and returns it.
template <class T>
Batch<T> strided(std::int64_t n, std::int64_t count, Pointers pointers, const T* a, std::int64_t lda,
                 real_t<T>* w, T* z, std::int64_t ldz, std::int32_t* status, CUstream_st* stream,
                 const BatchStrides& given, const Options& options, const Devices& devices,
                 const std::optional<MatricesB<T>>& b = {}) {
  check_options(n, count, options, devices, pointers);
  require_leading_dimension(lda, n, Argument::lda);
  const std::int64_t m = options.subset.max_count(n);
  BatchStrides strides;
  strides.a = stride_of(given.a, lda, n, n, count, "strides.a");
  strides.w = stride_of(given.w, 1, 1, m, count, "strides.w");
  if (options.vectors) {
    require_leading_dimension(ldz, n, Argument::ldz);
    strides.z = stride_of(given.z, ldz, n, m, count, "strides.z");
    require(z != a || n == 0 || strides.z == strides.a || count <= 1, "strides.z",
            "is " + std::to_string(strides.z) + ", must be strides.a = " + std::to_string(strides.a) +
                ", because z is a itself");
  }
  if (b) {
    require_leading_dimension(b->ldb, n, Argument::ldb);
    strides.b = stride_of(given.b, b->ldb, n, n, count, "strides.b");
  }
  Batch<T> batch{count, n, options, devices, pointers, stream, a, lda, w, z, ldz, strides, nullptr, status};
  if (b) {
    batch.generalised = true;
    batch.b = b->b;
    batch.ldb = b->ldb;
  }
  if (count > 0) check_matrix(batch, batch[0]);
  require_in_memory(pointers, {{"status", status}});
  return batch;
}

// Checks the arguments of a ragged batch and returns it.
template <class T>
Batch<T> ragged(const RaggedBatch<T>& given, Pointers pointers, CUstream_st* stream, std::int32_t* status,
                const Options& options, const Devices& devices) {
  check_options(0, given.count, {.uplo = options.uplo}, devices, pointers);
  require_pointer(given.n, given.count > 0, Argument::n);
  require_pointer(given.a, given.count > 0, Argument::a);
  require_pointer(given.w, given.count > 0, Argument::w);
  require_pointer(given.z, given.count > 0 && options.vectors, Argument::z);
  require_on_host({{"status", status}});
  Batch<T> batch{given.count, 0,       options, devices, pointers, stream, nullptr,
                 1,           nullptr, {},      1,       {},       &given, status};
  batch.generalised = given.b != nullptr;
  for (std::int64_t k = 0; k < given.count; ++k) {
    require_size(given.n[k], Argument::n);
    batch.n = std::max(batch.n, given.n[k]);
  }
  check_options(batch.n, given.count, options, devices, pointers);
  for (std::int64_t k = 0; k < given.count; ++k) {
    check_subset(given.n[k], options.subset);
    check_matrix(batch, batch[k]);
  }
  return batch;
}

// ---- CPU

// The two solvers of one thread. SmallSolver solves standard problems of order up to largest_small_order. SolveFrame solves all others.
template <class T>
class Worker {
 public:
  std::int32_t solve(const Batch<T>& batch, std::int64_t k) {
    const BatchMatrix<T> x = batch[k];
    if (x.n == 0) return 0;
    const Selected pairs = batch.pairs(x.n);
    if (x.n <= batched::largest_small_order && !x.b) {
      if (!small_) small_.emplace(std::min(batch.n, batched::largest_small_order));
      return small_->solve({batch.options.uplo, x.n, x.a, x.lda, pairs.first, pairs.count, x.w, x.z, x.ldz});
    }
    if (!frame_ || frame_->plan().n != x.n) frame_.emplace(batch.plan(x.n, DeviceChoice::cpu), nullptr);
    return solve_alone(*frame_, x, [&] { batched::fill_with_nan<T>(x.n, pairs.count, x.w, x.z, x.ldz); });
  }

 private:
  std::optional<SmallSolver<T>> small_;
  std::optional<SolveFrame<T>> frame_;
};

template <class T>
double flops_of(const Batch<T>& batch) {
  double flops = 0;
  for (std::int64_t k = 0; k < batch.count; ++k) {
    const auto n = static_cast<double>(batch.order(k));
    flops += n * n * n;
  }
  return flops;
}

// Returns the bytes of host memory that one Worker needs for the orders of the batch.
template <class T>
std::uint64_t worker_bytes(const Batch<T>& batch) {
  if (batch.n == 0) return 0;
  if (batch.n <= batched::largest_small_order && !batch.generalised) return SmallSolver<T>::bytes(batch.n);
  return plan_bytes<T>(plan_on<T>(batch.plan(batch.n, DeviceChoice::cpu), false)).host +
         (batch.ragged ? SmallSolver<T>::bytes(batched::largest_small_order) : 0);
}

// Returns the order from which on all threads solve one matrix together. Each smaller matrix is solved by one thread.
//   standard problems      `least` if the matrices of order `least` or more are fewer than half of the threads, else `least_of_many`
//   generalised problems   the first order for which OpenBLAS may use several threads
// Measured: data/perf/DECISIONS.md, "Reduction on a team of threads".
template <class T>
std::int64_t least_order_of_team(const Batch<T>& batch) {
  constexpr std::int64_t least = 300, least_of_many = 700;
  if (batch.generalised) {
    std::int64_t n = 1;
    while (n <= batch.n && thread_tuning().of_order(n) == 1) ++n;
    return n;
  }
  std::int64_t large = 0;
  for (std::int64_t k = 0; batch.n >= least && k < batch.count; ++k) large += batch.order(k) >= least ? 1 : 0;
  return 2 * large < loop_threads() ? least : least_of_many;
}
// A batch with fewer flops, counted as n^3 a matrix, runs on one thread, because starting threads would take longer.
constexpr double least_flops_of_threads = 1 << 18;

template <class T>
int worker_count(const Batch<T>& batch) {
  if (batch.n >= least_order_of_team(batch) && !batch.ragged) return 1;
  return static_cast<int>(std::min<std::int64_t>(loop_threads(), std::max<std::int64_t>(1, batch.count)));
}

// Solves the matrices with the status not_solved. The matrices of a ragged batch are solved in descending order of size, so that the
// matrices that end last are small.
template <class T>
void solve_on_cpu(const Batch<T>& batch, BatchReport& report) {
  std::vector<std::int64_t> order;
  if (batch.ragged) {
    order.resize(static_cast<std::size_t>(batch.count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t i, std::int64_t j) { return batch.order(i) > batch.order(j); });
  }
  const auto matrix = [&](std::int64_t i) { return order.empty() ? i : order[static_cast<std::size_t>(i)]; };

  const auto solve = [&](Worker<T>& worker, std::int64_t k) {
    if (batch.status[k] == not_solved) batch.status[k] = worker.solve(batch, k);
  };

  const std::int64_t least = least_order_of_team(batch);
  std::int64_t begin = 0;
  for (Worker<T> worker; begin < batch.count && batch.order(matrix(begin)) >= least; ++begin)
    solve(worker, matrix(begin));

  FirstFailure failure;
  const int threads = threads_if(flops_of(batch) >= least_flops_of_threads);
  for_ranges(batch.count - begin, threads, [&](std::int64_t first, std::int64_t last) {
    Worker<T> worker;
    for (std::int64_t i = begin + first; i < begin + last; ++i)
      failure.guard([&] { solve(worker, matrix(i)); });
  });
  failure.rethrow();
  report.bytes.host = static_cast<std::uint64_t>(worker_count(batch)) * worker_bytes(batch);
}

// ---- CPU or GPU

// If n is too small for eigen_g() to take a GPU, a batch on host pointers takes it only if all matrices together have this number of rows.
constexpr std::int64_t least_rows_on_gpu = 4096;

template <class T>
bool use_gpu_for(const Batch<T>& batch) {
  if (use_gpu(batch.devices.device, batch.n)) return true;
  if (batch.devices.device == DeviceChoice::cpu || gpu_count() == 0) return false;
  std::int64_t rows = 0;
  for (std::int64_t k = 0; k < batch.count && rows < least_rows_on_gpu; ++k) rows += batch.order(k);
  return rows >= least_rows_on_gpu;
}

// Calls work(report), which solves the batch and returns the failures. Completes the report and returns it.
template <class T, class Work>
BatchReport report_of(const Batch<T>& batch, bool on_gpu, Work&& work) {
  return timed(on_gpu, batch.devices.threads, [&] {
    BatchReport report;
    report.count = batch.count;
    report.m = batch.n > 0 ? batch.options.subset.max_count(batch.n) : 0;
    if (batch.count == 0) return report;
    const BatchFailures failures = work(report);
    report.failed = failures.count;
    report.first_failed = failures.first;
    return report;
  });
}

template <class T>
BatchReport solve_on_host_pointers(Batch<T> batch) {
  std::vector<std::int32_t> own(batch.status ? 0 : static_cast<std::size_t>(batch.count));
  if (!batch.status) batch.status = own.data();
  std::fill_n(batch.status, batch.count, not_solved);
  const auto report_by = [&](bool on_gpu, auto&& solve) {
    return report_of(batch, on_gpu, [&](BatchReport& report) {
      solve(batch, report);
      BatchFailures failures;
      for (std::int64_t k = 0; k < batch.count; ++k)
        if (batch.status[k] != 0) failures.note(k);
      return failures;
    });
  };
  if (batch.count > 0 && batch.n > 0 && use_gpu_for(batch)) try {
      return report_by(true, host_batch_on_gpu<T>);
    } catch (const OutOfMemory& error) {
      if (!error.on_device() || batch.devices.device == DeviceChoice::gpu) throw;
    }
  return report_by(false, solve_on_cpu<T>);
}

template <class T>
BatchReport solve_on_device_pointers(const Batch<T>& batch) {
  return report_of(batch, true, [&](BatchReport& report) {
    const auto solver = batch_on_gpu<T>(batch.n, batch.count, batch.options, batch.devices, batch.generalised,
                                        resources_of_this_thread());
    report.bytes = solver->workspace();
    return solver->solve(batch);
  });
}

}  // namespace

template <class T>
BatchReport eigen_g_batched(std::int64_t n, std::int64_t count, const T* a, std::int64_t lda,
                            same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz, std::int32_t* status,
                            const BatchStrides& strides, const Options& options, const Devices& devices) {
  return solve_on_host_pointers(
      strided<T>(n, count, Pointers::host, a, lda, w, z, ldz, status, nullptr, strides, options, devices));
}

template <class T>
BatchReport eigen_g_batched(std::int64_t n, std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                            same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z, std::int64_t ldz,
                            DevicePointer<std::int32_t> status, CUstream_st* stream,
                            const BatchStrides& strides, const Options& options, const Devices& devices) {
  return solve_on_device_pointers(strided<T>(n, count, Pointers::device, a.get(), lda, w.get(), z.get(), ldz,
                                             status.get(), stream, strides, options, devices));
}

template <class T>
BatchReport sygvd_batched(std::int64_t n, std::int64_t count, const T* a, std::int64_t lda,
                          const same_t<T>* b, std::int64_t ldb, same_t<real_t<T>>* w, same_t<T>* z,
                          std::int64_t ldz, std::int32_t* status, const BatchStrides& strides,
                          const Options& options, const Devices& devices) {
  return solve_on_host_pointers(strided<T>(n, count, Pointers::host, a, lda, w, z, ldz, status, nullptr,
                                           strides, options, devices, MatricesB<T>{b, ldb}));
}

template <class T>
BatchReport sygvd_batched(std::int64_t n, std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                          same_t<DevicePointer<T>> b, std::int64_t ldb, same_t<DevicePointer<real_t<T>>> w,
                          same_t<DevicePointer<T>> z, std::int64_t ldz, DevicePointer<std::int32_t> status,
                          CUstream_st* stream, const BatchStrides& strides, const Options& options,
                          const Devices& devices) {
  return solve_on_device_pointers(strided<T>(n, count, Pointers::device, a.get(), lda, w.get(), z.get(), ldz,
                                             status.get(), stream, strides, options, devices,
                                             MatricesB<T>{b.get(), ldb}));
}

template <class T>
BatchReport eigen_g_ragged(const RaggedBatch<T>& given, std::int32_t* status, const Options& options,
                           const Devices& devices) {
  return eigen_g_ragged(given, Pointers::host, nullptr, status, options, devices);
}

template <class T>
BatchReport eigen_g_ragged(const RaggedBatch<T>& given, Pointers pointers, CUstream_st* stream,
                           std::int32_t* status, const Options& options, const Devices& devices) {
  const Batch<T> batch = ragged(given, pointers, stream, status, options, devices);
  if (batch.on_host()) return solve_on_host_pointers(batch);
  return report_of(batch, true, [&](BatchReport& report) { return ragged_on_gpu(batch, report); });
}

template <class T>
WorkspaceBytes batched_workspace_bytes(std::int64_t n, std::int64_t count, const Options& options,
                                       bool on_gpu, Pointers pointers, bool generalised) {
  check_options(n, count, options, {}, pointers);
  if (n == 0 || count == 0) return {};
  if (on_gpu) require_gpu();
  if (on_gpu && pointers == Pointers::device)
    return batch_on_gpu<T>(n, count, options, {}, generalised, resources_of_this_thread())->workspace();
  if (on_gpu) return host_batch_bytes_on_gpu<T>(n, count, options, generalised);
  Batch<T> batch;
  batch.count = count;
  batch.n = n;
  batch.options = options;
  batch.generalised = generalised;
  return {static_cast<std::uint64_t>(worker_count(batch)) * worker_bytes(batch), 0};
}

template <class T>
struct PlannedBatchedSolver<T>::Impl {
  std::int64_t n, most;
  Options options;
  Devices devices;
  std::unique_ptr<BatchOnGpu<T>> on_gpu;

  Batch<T> batch(std::int64_t count, DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                 DevicePointer<T> z, std::int64_t ldz, DevicePointer<std::int32_t> status,
                 CUstream_st* stream, const BatchStrides& strides,
                 const std::optional<MatricesB<T>>& b = {}) const {
    require(count <= most, "count",
            "is " + std::to_string(count) + ", the solver is planned for at most " + std::to_string(most));
    return strided<T>(n, count, Pointers::device, a.get(), lda, w.get(), z.get(), ldz, status.get(), stream,
                      strides, options, devices, b);
  }
  BatchReport solve(const Batch<T>& batch) const {
    return report_of(batch, true, [&](BatchReport& report) {
      report.bytes = on_gpu->workspace();
      return on_gpu->solve(batch);
    });
  }
  void enqueue(const Batch<T>& batch) const {
    const ThreadLimit limit(devices.threads);
    if (batch.count > 0) on_gpu->enqueue(batch);
  }
};

template <class T>
PlannedBatchedSolver<T>::PlannedBatchedSolver(Context& context, std::int64_t n, std::int64_t most,
                                              const Options& options, bool generalised)
    : impl_(new Impl{n, most, options, context.devices(), nullptr}) {
  check_options(n, most, options, context.devices(), Pointers::device);
  require_gpu();
  impl_->on_gpu = batch_on_gpu<T>(n, most, options, context.devices(), generalised, context.resources());
}
template <class T>
PlannedBatchedSolver<T>::~PlannedBatchedSolver() = default;
template <class T>
PlannedBatchedSolver<T>::PlannedBatchedSolver(PlannedBatchedSolver&&) noexcept = default;
template <class T>
PlannedBatchedSolver<T>& PlannedBatchedSolver<T>::operator=(PlannedBatchedSolver&&) noexcept = default;

template <class T>
WorkspaceBytes PlannedBatchedSolver<T>::workspace() const {
  return impl_->on_gpu->workspace();
}
template <class T>
void PlannedBatchedSolver<T>::set_workspace(const Workspace& given) {
  const std::uint64_t needed = given.device ? workspace().device : 0;
  require(given.device_bytes >= needed, Argument::workspace,
          "has " + std::to_string(given.device_bytes) + " bytes, " + std::to_string(needed) + " are needed");
  impl_->on_gpu->set_workspace(given);
}

template <class T>
BatchedSolver<T>::BatchedSolver(Context& context, std::int64_t n, std::int64_t most, const Options& options)
    : PlannedBatchedSolver<T>(context, n, most, options, false) {}
template <class T>
BatchReport BatchedSolver<T>::solve(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                                    DevicePointer<real_t<T>> w, DevicePointer<T> z, std::int64_t ldz,
                                    DevicePointer<std::int32_t> status, CUstream_st* stream,
                                    const BatchStrides& strides) {
  return impl_->solve(impl_->batch(count, a, lda, w, z, ldz, status, stream, strides));
}
template <class T>
void BatchedSolver<T>::enqueue(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                               DevicePointer<real_t<T>> w, DevicePointer<T> z, std::int64_t ldz,
                               DevicePointer<std::int32_t> status, CUstream_st* stream,
                               const BatchStrides& strides) {
  impl_->enqueue(impl_->batch(count, a, lda, w, z, ldz, status, stream, strides));
}

template <class T>
GeneralisedBatchedSolver<T>::GeneralisedBatchedSolver(Context& context, std::int64_t n, std::int64_t most,
                                                      const Options& options)
    : PlannedBatchedSolver<T>(context, n, most, options, true) {}
template <class T>
BatchReport GeneralisedBatchedSolver<T>::solve(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                                               DevicePointer<T> b, std::int64_t ldb,
                                               DevicePointer<real_t<T>> w, DevicePointer<T> z,
                                               std::int64_t ldz, DevicePointer<std::int32_t> status,
                                               CUstream_st* stream, const BatchStrides& strides) {
  return impl_->solve(
      impl_->batch(count, a, lda, w, z, ldz, status, stream, strides, MatricesB<T>{b.get(), ldb}));
}
template <class T>
void GeneralisedBatchedSolver<T>::enqueue(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                                          DevicePointer<T> b, std::int64_t ldb, DevicePointer<real_t<T>> w,
                                          DevicePointer<T> z, std::int64_t ldz,
                                          DevicePointer<std::int32_t> status, CUstream_st* stream,
                                          const BatchStrides& strides) {
  impl_->enqueue(impl_->batch(count, a, lda, w, z, ldz, status, stream, strides, MatricesB<T>{b.get(), ldb}));
}

EIGEN_G_INSTANTIATE(all_types, batched_workspace_bytes);
EIGEN_G_INSTANTIATE_CLASS(all_types, PlannedBatchedSolver, BatchedSolver, GeneralisedBatchedSolver);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, eigen_g_batched,
                             BatchReport(std::int64_t, std::int64_t, const T*, std::int64_t, real_t<T>*, T*,
                                         std::int64_t, std::int32_t*, const BatchStrides&, const Options&,
                                         const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, eigen_g_batched,
                             BatchReport(std::int64_t, std::int64_t, DevicePointer<T>, std::int64_t,
                                         DevicePointer<real_t<T>>, DevicePointer<T>, std::int64_t,
                                         DevicePointer<std::int32_t>, CUstream_st*, const BatchStrides&,
                                         const Options&, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, sygvd_batched,
                             BatchReport(std::int64_t, std::int64_t, const T*, std::int64_t, const T*,
                                         std::int64_t, real_t<T>*, T*, std::int64_t, std::int32_t*,
                                         const BatchStrides&, const Options&, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, sygvd_batched,
                             BatchReport(std::int64_t, std::int64_t, DevicePointer<T>, std::int64_t,
                                         DevicePointer<T>, std::int64_t, DevicePointer<real_t<T>>,
                                         DevicePointer<T>, std::int64_t, DevicePointer<std::int32_t>,
                                         CUstream_st*, const BatchStrides&, const Options&, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, eigen_g_ragged,
                             BatchReport(const RaggedBatch<T>&, std::int32_t*, const Options&,
                                         const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, eigen_g_ragged,
                             BatchReport(const RaggedBatch<T>&, Pointers, CUstream_st*, std::int32_t*,
                                         const Options&, const Devices&));

}  // namespace eigen_g
