// All eigenpairs of many small matrices in one call:
//
//   A_k = Z_k diag(w_k) Z_k^H,   k = 0, ..., count - 1
//
// Each matrix has the results that it has alone: on one device its bits depend neither on the other matrices nor on its place in the batch.
// A NaN, an infinity or a failure in one matrix harms that matrix only, and its status says so.
//
// On a GPU matrices of order up to 512 are solved by kernels for batches, or of order up to 128 before compute capability 9.0. Larger ones,
// and matrices on a GPU whose shared memory is too small, are solved one after the other by the solver of eigen_g.hpp. On the CPU each
// thread solves matrices of its own; matrices of order 300 or more are solved one after the other, each with all threads.
//
//   std::vector<double> a(count * n * n), w(count * n), z(count * n * n);
//   const auto report = eigen_g::eigen_g_batched(n, count, a.data(), n, w.data(), z.data(), n);
//   if (report.failed > 0) ...   // report.first_failed is the first of them
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// Distances between the arrays of consecutive matrices, in values. 0: the arrays follow each other without a gap, a stride of lda n,
// m and ldz m, where m is the number of pairs of a matrix.
struct BatchStrides {
  std::int64_t a = 0, w = 0, z = 0;
};

struct BatchReport {
  std::int64_t count = 0;          // matrices
  std::int64_t failed = 0;         // matrices whose status is not 0
  std::int64_t first_failed = -1;  // index of the first of them
  std::int64_t m = 0;              // pairs of each matrix; of a ragged batch, of its largest matrix
  double seconds = 0;              // time of the whole call
  std::vector<DeviceWork> devices;
  WorkspaceBytes bytes;  // memory of the call in addition to the arrays of the caller
};

// Strided batch on host pointers.
//   n, count   order of each matrix and number of matrices, >= 0
//   a          count matrices, each n x n with lda >= max(1, n); host memory, in, not changed. Only the triangle options.uplo is read
//   w          count arrays of m values, host memory, out, ascending
//   z          count matrices n x m with ldz >= max(1, n), host memory, out. z may be a itself, with equal leading dimensions and strides.
//              Null if options.vectors is false
//   status     count numbers, host memory, out; may be null. 0: solved; -1: a NaN or an infinity in the triangle, values and vectors are
//              NaN; > 0: not converged, as Report::info
// Options: uplo, vectors, and subset by index. Another value than the default in the other options throws InvalidArgument, but
// Path::automatic and Path::one_stage are the same here. Devices: device and threads; the other members must have their defaults.
// DeviceChoice::automatic: a GPU if there is one and n is large enough for eigen_g(), or if the matrices have 4096 rows or more
// together. If the GPU has too little memory, the batch is solved on the CPU.
// Blocks until done. Throws InvalidArgument, OutOfMemory, DeviceError.
// Cost: 4/3 n^3 + 2 n^3 flops and at most 4/3 n^3 for divide and conquer, for each matrix; a, w and z pass through memory once.
template <class T>
[[nodiscard]] BatchReport eigen_g_batched(std::int64_t n, std::int64_t count, const T* a, std::int64_t lda,
                                          same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                                          std::int32_t* status = nullptr, const BatchStrides& strides = {},
                                          const Options& options = {}, const Devices& devices = {});

// Strided batch on device pointers, on the GPU that holds them. a is not changed, unless z is a.
//   status   count numbers, device memory, out; may be null
//   stream   the solve starts after all work that is in the stream, and is complete when the call returns; null: default stream
// Blocks once, at the end, if n <= 512.
template <class T>
[[nodiscard]] BatchReport eigen_g_batched(std::int64_t n, std::int64_t count, DevicePointer<T> a,
                                          std::int64_t lda, same_t<DevicePointer<real_t<T>>> w,
                                          same_t<DevicePointer<T>> z, std::int64_t ldz,
                                          DevicePointer<std::int32_t> status, CUstream_st* stream,
                                          const BatchStrides& strides = {}, const Options& options = {},
                                          const Devices& devices = {});

// Ragged batch: matrices of different orders, or in different places. All arrays of this struct are in host memory and have `count`
// entries; a[k], w[k] and z[k] are pointers to host memory or to device memory, by the call.
template <class T>
struct RaggedBatch {
  std::int64_t count = 0;
  const std::int64_t* n = nullptr;
  const T* const* a = nullptr;
  const std::int64_t* lda = nullptr;  // null: n[k]
  real_t<T>* const* w = nullptr;
  T* const* z = nullptr;              // null if options.vectors is false
  const std::int64_t* ldz = nullptr;  // null: n[k]
};
// As eigen_g_batched(). A subset by index must exist in each matrix.
//   status   count numbers, host memory, out; may be null
template <class T>
[[nodiscard]] BatchReport eigen_g_ragged(const RaggedBatch<T>& batch, std::int32_t* status = nullptr,
                                         const Options& options = {}, const Devices& devices = {});
template <class T>
[[nodiscard]] BatchReport eigen_g_ragged(const RaggedBatch<T>& batch, Pointers pointers, CUstream_st* stream,
                                         std::int32_t* status = nullptr, const Options& options = {},
                                         const Devices& devices = {});

// Upper bound of the memory that eigen_g_batched() uses in addition to its arrays.
template <class T = double>
[[nodiscard]] WorkspaceBytes batched_workspace_bytes(std::int64_t n, std::int64_t count,
                                                     const Options& options, bool on_gpu,
                                                     Pointers pointers = Pointers::host);

// A solver for strided batches of up to `most` matrices of order n on device pointers, planned once. Move-only.
template <class T>
class BatchedSolver {
 public:
  // Plans, and allocates nothing on the GPU. Throws InvalidArgument, and DeviceError if there is no GPU.
  BatchedSolver(Context& context, std::int64_t n, std::int64_t most, const Options& options = {});
  ~BatchedSolver();
  BatchedSolver(BatchedSolver&&) noexcept;
  BatchedSolver& operator=(BatchedSolver&&) noexcept;

  WorkspaceBytes workspace() const;  // a solve's memory in addition to a, w and z
  // As Solver::set_workspace().
  void set_workspace(const Workspace& workspace);

  // As eigen_g_batched() on device pointers. From the second solve on nothing is allocated.
  [[nodiscard]] BatchReport solve(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                                  DevicePointer<real_t<T>> w, DevicePointer<T> z, std::int64_t ldz,
                                  DevicePointer<std::int32_t> status, CUstream_st* stream,
                                  const BatchStrides& strides = {});
  // Queues the same work and returns without waiting, if n <= 512; the matrices' status is the only report. From the second call on the
  // work can be captured in a CUDA graph. Each call runs after the one before, on any stream. A graph has no such order: the solver and
  // its workspace must not be in use elsewhere while the graph runs. For larger n as solve().
  void enqueue(std::int64_t count, DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
               DevicePointer<T> z, std::int64_t ldz, DevicePointer<std::int32_t> status, CUstream_st* stream,
               const BatchStrides& strides = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace eigen_g
