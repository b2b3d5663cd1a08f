// Batch: the checked arguments of a call of solver/api/batched.hpp. BatchOnGpu and the functions below it solve batches on a GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "solver/api/batched.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g {

class Resources;

// Matrix k of a batch. w and z are for the selected pairs; z is null for values only.
template <class T>
struct BatchMatrix {
  std::int64_t n;
  const T* a;
  std::int64_t lda;
  real_t<T>* w;
  T* z;
  std::int64_t ldz;
};

// A strided or a ragged batch. The arrays are in host or in device memory, by `pointers`.
template <class T>
struct Batch {
  std::int64_t count = 0, n = 0;  // ragged: the largest order
  Options options;
  Devices devices;
  Pointers pointers = Pointers::host;
  CUstream_st* stream = nullptr;
  // Strided. The strides are never 0: a packed array has its own.
  const T* a = nullptr;
  std::int64_t lda = 1;
  real_t<T>* w = nullptr;
  T* z = nullptr;
  std::int64_t ldz = 1;
  BatchStrides strides;
  const RaggedBatch<T>* ragged = nullptr;
  std::int32_t* status = nullptr;  // host memory; strided on device pointers: device memory

  bool upper() const { return options.uplo == Uplo::upper; }
  bool on_host() const { return pointers == Pointers::host; }
  std::int64_t order(std::int64_t k) const { return ragged ? ragged->n[k] : n; }
  // The pairs of a matrix of order m, from 0.
  Selected pairs(std::int64_t m) const {
    if (options.subset.by == Subset::By::all) return {0, m};
    return {options.subset.first - 1, options.subset.last - options.subset.first + 1};
  }
  BatchMatrix<T> operator[](std::int64_t k) const {
    if (!ragged)
      return {n,  a + k * strides.a, lda, w + k * strides.w, options.vectors ? z + k * strides.z : nullptr,
              ldz};
    const std::int64_t m = ragged->n[k], least = m > 1 ? m : 1;
    return {m,
            ragged->a[k],
            ragged->lda ? ragged->lda[k] : least,
            ragged->w[k],
            options.vectors ? ragged->z[k] : nullptr,
            ragged->ldz ? ragged->ldz[k] : least};
  }
};

// The status of a matrix that was solved alone.
inline std::int32_t status_of(const Report& report) {
  if (report.status == Status::converged) return 0;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(report.info, 1, std::numeric_limits<std::int32_t>::max()));
}

// The status of a matrix that is not solved yet, within a call on host pointers. Only such matrices are solved.
inline constexpr std::int32_t not_solved = std::numeric_limits<std::int32_t>::min();

// The matrices whose status is not 0.
struct BatchFailures {
  std::int64_t count = 0, first = -1;
  void note(std::int64_t k) {
    if (count++ == 0 || k < first) first = k;
  }
};

// Solves of strided batches of up to `most` matrices of order n on device pointers, planned once.
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
                                            const Devices& devices, Resources* resources);

// Solves of one call on the calling thread's resources. They set report.bytes. host_batch_on_gpu() sets the status of every solved matrix,
// also if it throws OutOfMemory.
template <class T>
BatchFailures ragged_on_gpu(const Batch<T>& batch, BatchReport& report);
template <class T>
void host_batch_on_gpu(const Batch<T>& batch, BatchReport& report);
template <class T>
WorkspaceBytes host_batch_bytes_on_gpu(std::int64_t n, std::int64_t count, const Options& options);

}  // namespace eigen_g
