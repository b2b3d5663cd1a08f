// Batch: the checked arguments of a call of solver/api/batched.hpp. solve_alone() solves one matrix of a batch. BatchOnGpu and the functions
// below it solve batches on a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "solver/api/batched.hpp"
#include "solver/batched/small_on_cpu.hpp"
#include "solver/driver/frame.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g {

class Resources;

// One matrix of a batch, or one pair of matrices A and B, with its results. w and z have the selected pairs. z is null for values only.
template <class T>
struct BatchMatrix {
  std::int64_t n;
  const T* a;
  std::int64_t lda;
  real_t<T>* w;
  T* z;
  std::int64_t ldz;
  const T* b;  // null: a standard problem
  std::int64_t ldb;
};

// A strided or a ragged batch. `pointers` says if the arrays are in host or in device memory.
template <class T>
struct Batch {
  std::int64_t count = 0, n = 0;  // number and order of the matrices; ragged: the largest order
  Options options;
  Devices devices;
  Pointers pointers = Pointers::host;
  CUstream_st* stream = nullptr;
  // For a strided batch. Strides that the caller gave as 0 are replaced by the distances of arrays without gaps.
  const T* a = nullptr;
  std::int64_t lda = 1;
  real_t<T>* w = nullptr;
  T* z = nullptr;
  std::int64_t ldz = 1;
  BatchStrides strides;
  const RaggedBatch<T>* ragged = nullptr;  // the caller's batch; null: a strided batch
  std::int32_t* status =
      nullptr;  // in device memory for a strided batch on device pointers, otherwise in host memory
  bool generalised = false;
  const T* b = nullptr;  // for a strided batch of generalised problems
  std::int64_t ldb = 1;

  bool upper() const { return options.uplo == Uplo::upper; }
  bool on_host() const { return pointers == Pointers::host; }
  std::int64_t order(std::int64_t k) const { return ragged ? ragged->n[k] : n; }
  // Returns the selected pairs of a matrix of order m, counted from 0.
  Selected pairs(std::int64_t m) const {
    if (options.subset.by == Subset::By::all) return {0, m};
    return {options.subset.first - 1, options.subset.last - options.subset.first + 1};
  }
  BatchMatrix<T> operator[](std::int64_t k) const {
    if (!ragged)
      return {n,
              a + k * strides.a,
              lda,
              w + k * strides.w,
              options.vectors ? z + k * strides.z : nullptr,
              ldz,
              generalised ? b + k * strides.b : nullptr,
              ldb};
    const std::int64_t m = ragged->n[k], least = m > 1 ? m : 1;
    return {m,
            ragged->a[k],
            ragged->lda ? ragged->lda[k] : least,
            ragged->w[k],
            options.vectors ? ragged->z[k] : nullptr,
            ragged->ldz ? ragged->ldz[k] : least,
            generalised ? ragged->b[k] : nullptr,
            ragged->ldb ? ragged->ldb[k] : least};
  }
  // Returns the plan of a solve of one matrix of order m.
  Plan plan(std::int64_t m, DeviceChoice device) const {
    Plan one{m, options, devices, pointers};
    one.devices.device = device;
    one.devices.gpus = 1;
    if (generalised) one.generalised.emplace();
    return one;
  }
};

// Converts the report of SolveFrame to the status of a problem in a batch.
inline std::int32_t status_of(const Report& report) {
  if (report.status == Status::converged) return 0;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(report.info, 1, std::numeric_limits<std::int32_t>::max()));
}

// Solves problem x with `frame` and returns its status. On device pointers x.a and x.b are destroyed. Calls no_results() if an entry is not
// finite, B is not positive definite or eigenvalues overflow, because the problem then has no results. If `bytes` is not null, *bytes becomes
// the memory of the solve.
template <class T, class NoResults>
std::int32_t solve_alone(SolveFrame<T>& frame, const BatchMatrix<T>& x, const NoResults& no_results,
                         CUstream_st* stream = nullptr, WorkspaceBytes* bytes = nullptr) {
  std::int32_t status = batched::not_finite;
  std::int64_t bad_minor = 0;
  try {
    const GeneralisedReport report =
        frame.solve(frame.plan().pointers, x.a, x.lda, const_cast<T*>(x.b), x.ldb, x.w, x.z, x.ldz, stream);
    bad_minor = report.bad_minor;
    status = status_of(report);
    if (x.b && bad_minor == 0) status = std::min(status, static_cast<std::int32_t>(x.n));
    if (bytes) *bytes = report.bytes;
  } catch (const NonFiniteEntry&) {
  } catch (const InvalidArgument& error) {
    if (!x.b || error.argument() != Argument::b) throw;
  }
  if (status < 0 || bad_minor > 0) no_results();
  return status;
}

// A call on host pointers begins by giving this status to every matrix. solve_on_cpu() solves only the matrices that still have it.
inline constexpr std::int32_t not_solved = std::numeric_limits<std::int32_t>::min();

// Number of the matrices whose status is not 0, and the smallest of their indices; -1: there is no such matrix.
struct BatchFailures {
  std::int64_t count = 0, first = -1;
  void note(std::int64_t k) {
    if (count++ == 0 || k < first) first = k;
  }
};

// Solves strided batches of up to `most` matrices of order n on device pointers. Planned once.
template <class T>
class BatchOnGpu {
 public:
  virtual ~BatchOnGpu() = default;
  virtual WorkspaceBytes workspace() const = 0;
  virtual void set_workspace(const Workspace& workspace) = 0;
  // Queues the solves, and waits only if the kernels for batches cannot solve them.
  virtual void enqueue(const Batch<T>& batch) = 0;
  virtual BatchFailures solve(const Batch<T>& batch) = 0;
};
template <class T>
std::unique_ptr<BatchOnGpu<T>> batch_on_gpu(std::int64_t n, std::int64_t most, const Options& options,
                                            const Devices& devices, bool generalised, Resources* resources);

// The next two functions solve the batch of one call with the calling thread's Resources, and set report.bytes. ragged_on_gpu() is for device
// pointers, host_batch_on_gpu() for host pointers. If host_batch_on_gpu() throws OutOfMemory, the matrices that it has solved have their
// status already. host_batch_bytes_on_gpu() returns a bound of the memory of a strided batch on host pointers.
template <class T>
BatchFailures ragged_on_gpu(const Batch<T>& batch, BatchReport& report);
template <class T>
void host_batch_on_gpu(const Batch<T>& batch, BatchReport& report);
template <class T>
WorkspaceBytes host_batch_bytes_on_gpu(std::int64_t n, std::int64_t count, const Options& options,
                                       bool generalised);

}  // namespace eigen_g
