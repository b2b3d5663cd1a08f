// All eigenpairs of many small matrices, or of many generalised problems, in one call:
//
//   A_k = Z_k diag(w_k) Z_k^H,   k = 0, ..., count - 1        eigen_g_batched()
//   A_k Z_k = B_k Z_k diag(w_k)                               sygvd_batched()
//
// Each matrix has the results that a batch of this matrix alone has on the same device. Its bits depend neither on the other matrices nor on
// its index in the batch. The results of eigen_g() may differ from them by rounding errors.
// A NaN, an infinity or a failure in one matrix harms that matrix only, and its status says so.
//
// The kernels for batches solve many matrices at the same time on a GPU, up to a largest order:
//
//                          compute capability 9.0 or later   earlier
//   standard problems      512                               128
//   generalised problems   128                               128
//
// The solver of eigen_g.hpp solves larger problems, several at the same time. If the GPU's shared memory is too small for the kernels, it solves
// all problems:
//
//   standard problems on device pointers that fit on the chip of a part of the GPU    four or two, each on its part
//   other problems of order up to 6000                                                four, on streams
//   larger problems                                                                   one after the other
//
// A part is a quarter or a half of the GPU's multiprocessors. A quarter of an H200 has room for a double matrix of order 1024.
// A matrix that is alone in its batch is also solved on its part of the GPU, so that its bits do not depend on the batch. eigen_g() takes
// about half of the time for it.
// These problems run on streams of the library, after the work that is in the caller's stream, and the results are complete when the call returns.
// On the CPU each thread solves matrices of its own. Matrices of order 700 or more are solved one after the other, each with the
// threads that eigen_g() takes for its order. The same holds for order 300 or more if the batch has fewer matrices than half of the
// threads, or if the problems are generalised.
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

// Distances between the arrays of consecutive matrices, in entries of the array. 0: the arrays follow each other without a gap.
// The distance is then lda n for a, m for w, ldz m for z and ldb n for b. m is the number of pairs of a matrix.
struct BatchStrides {
  std::int64_t a = 0, w = 0, z = 0;
  std::int64_t b = 0;  // only sygvd_batched() reads it
};

struct BatchReport {
  std::int64_t count = 0;          // matrices
  std::int64_t failed = 0;         // matrices whose status is not 0
  std::int64_t first_failed = -1;  // index of the first matrix whose status is not 0; -1: none
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
//              Not used if options.vectors is false; it may then be null
//   status     count numbers, host memory, out; may be null. 0: solved; -1: a NaN or an infinity in the triangle, values and vectors are
//              NaN; > 0: not converged, as Report::info
// Options: uplo, vectors, and subset by index. All other options must have their defaults, except that Path::one_stage is allowed too.
// Devices: device and threads. gpus, ratio and multiprocessors must have their defaults; calibration and engine_rates are not used.
// DeviceChoice::automatic takes a GPU if there is one and one of two conditions holds: n is large enough for eigen_g(), or all matrices
// together have 4096 rows or more. If the GPU has too little memory, the batch is solved on the CPU. With DeviceChoice::gpu too little
// memory throws OutOfMemory.
// Blocks until done. Throws InvalidArgument, OutOfMemory, DeviceError.
// Cost of each matrix: 4/3 n^3 flops for the reduction, at most 4/3 n^3 for the divide and conquer and 2 n^3 for the vectors. a, w and z are
// read or written once.
template <class T>
[[nodiscard]] BatchReport eigen_g_batched(std::int64_t n, std::int64_t count, const T* a, std::int64_t lda,
                                          same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                                          std::int32_t* status = nullptr, const BatchStrides& strides = {},
                                          const Options& options = {}, const Devices& devices = {});

// Strided batch on device pointers, on the current GPU. Memory of another GPU throws InvalidArgument. a is not changed, unless z is a.
//   status   count numbers, device memory, out; may be null
//   stream   the solve starts after all work that is in the stream, and is complete when the call returns; null: default stream
// Waits for the GPU once, at the end, if the kernels for batches solve the matrices. Otherwise it waits for each matrix.
template <class T>
[[nodiscard]] BatchReport eigen_g_batched(std::int64_t n, std::int64_t count, DevicePointer<T> a,
                                          std::int64_t lda, same_t<DevicePointer<real_t<T>>> w,
                                          same_t<DevicePointer<T>> z, std::int64_t ldz,
                                          DevicePointer<std::int32_t> status, CUstream_st* stream,
                                          const BatchStrides& strides = {}, const Options& options = {},
                                          const Devices& devices = {});

// Ragged batch: matrices of different orders, or with addresses that no stride describes. All arrays of this struct are in host memory and
// have `count` entries. a[k], w[k], z[k] and b[k] are pointers to host memory or to device memory, as the argument `pointers` says.
template <class T>
struct RaggedBatch {
  std::int64_t count = 0;
  const std::int64_t* n = nullptr;
  const T* const* a = nullptr;
  const std::int64_t* lda = nullptr;  // null: n[k]
  real_t<T>* const* w = nullptr;
  T* const* z = nullptr;              // null if options.vectors is false
  const std::int64_t* ldz = nullptr;  // null: n[k]
  const T* const* b = nullptr;        // null: standard problems; else generalised ones, as in sygvd_batched()
  const std::int64_t* ldb = nullptr;  // null: n[k]
};
// Solves a ragged batch as eigen_g_batched() does or, with b, as sygvd_batched(). A subset by index must exist in each matrix. The form
// without `pointers` is for host pointers.
//   status   count numbers, host memory, out; may be null
template <class T>
[[nodiscard]] BatchReport eigen_g_ragged(const RaggedBatch<T>& batch, std::int32_t* status = nullptr,
                                         const Options& options = {}, const Devices& devices = {});
template <class T>
[[nodiscard]] BatchReport eigen_g_ragged(const RaggedBatch<T>& batch, Pointers pointers, CUstream_st* stream,
                                         std::int32_t* status = nullptr, const Options& options = {},
                                         const Devices& devices = {});

// Generalised problems A_k x = w B_k x on host pointers: a batch of sygvd() with itype 1 (generalised.hpp). Each B_k is symmetric
// (Hermitian) and positive definite. The eigenvectors are the columns of X_k, with X_k^H B_k X_k = I. B_k = L L^H is the Cholesky factorization.
//   b          count matrices, each n x n with ldb >= max(1, n), host memory, in, not changed; its triangle options.uplo is read
//   z          must not be b
//   status     0: solved. -1: a NaN or an infinity in A or B, or eigenvalues overflow. 1 to n: not converged. n + k: B's leading minor of
//              order k is not positive. Values and vectors are NaN if the status is -1 or greater than n
// All other arguments and the choice of the device are as in eigen_g_batched().
// On the CPU, and on a GPU with n > 128, each problem has the results and the accuracy of sygvd(). On a GPU with n <= 128:
//   - A and B may have any scale: they are multiplied by powers of two.
//   - The bounds of sygvd() hold. B is factored in the order of its descending diagonal if the entries of the diagonal differ by a factor of
//     4 or more, but never with diagonal pivoting.
//   - Each value has an error near n ulp |C|, C = L^-1 A L^-H. If B is ill-conditioned, values that are small by modulus therefore keep
//     fewer digits than on the CPU.
//   - The bits of a problem depend neither on the other problems nor on its index in the batch.
// Cost: n^3 / 3 flops for L, 2 n^3 for C and n^2 m for the vectors, in addition to eigen_g_batched().
template <class T>
[[nodiscard]] BatchReport sygvd_batched(std::int64_t n, std::int64_t count, const T* a, std::int64_t lda,
                                        const same_t<T>* b, std::int64_t ldb, same_t<real_t<T>>* w,
                                        same_t<T>* z, std::int64_t ldz, std::int32_t* status = nullptr,
                                        const BatchStrides& strides = {}, const Options& options = {},
                                        const Devices& devices = {});

// Generalised problems on device pointers. Neither a nor b is changed, unless z is a.
template <class T>
[[nodiscard]] BatchReport sygvd_batched(std::int64_t n, std::int64_t count, DevicePointer<T> a,
                                        std::int64_t lda, same_t<DevicePointer<T>> b, std::int64_t ldb,
                                        same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z,
                                        std::int64_t ldz, DevicePointer<std::int32_t> status,
                                        CUstream_st* stream, const BatchStrides& strides = {},
                                        const Options& options = {}, const Devices& devices = {});

// Returns an upper bound of the memory that eigen_g_batched() uses in addition to the caller's arrays. If `generalised` is true, the bound is
// for sygvd_batched().
template <class T = double>
[[nodiscard]] WorkspaceBytes batched_workspace_bytes(std::int64_t n, std::int64_t count,
                                                     const Options& options, bool on_gpu,
                                                     Pointers pointers = Pointers::host,
                                                     bool generalised = false);

// BatchedSolver and GeneralisedBatchedSolver share this part. Move-only.
template <class T>
class PlannedBatchedSolver {
 public:
  ~PlannedBatchedSolver();
  PlannedBatchedSolver(PlannedBatchedSolver&&) noexcept;
  PlannedBatchedSolver& operator=(PlannedBatchedSolver&&) noexcept;

  WorkspaceBytes workspace() const;  // memory of a solve in addition to the caller's arrays
  // Sets the workspace of later solves, as Solver::set_workspace() does.
  void set_workspace(const Workspace& workspace);

 protected:
  struct Impl;
  PlannedBatchedSolver(Context& context, std::int64_t n, std::int64_t most, const Options& options,
                       bool generalised);
  std::unique_ptr<Impl> impl_;
};

// A solver for strided batches of up to `most` matrices of order n on device pointers, planned once.
template <class T>
class BatchedSolver : public PlannedBatchedSolver<T> {
 public:
  // Plans, and allocates nothing on the GPU. Throws InvalidArgument, and DeviceError if there is no GPU.
  BatchedSolver(Context& context, std::int64_t n, std::int64_t most, const Options& options = {});

  // As eigen_g_batched() on device pointers. From the second solve on nothing is allocated.
  [[nodiscard]] BatchReport solve(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                                  DevicePointer<real_t<T>> w, DevicePointer<T> z, std::int64_t ldz,
                                  DevicePointer<std::int32_t> status, CUstream_st* stream,
                                  const BatchStrides& strides = {});
  // Queues the same work and returns without waiting, if the kernels for batches solve the matrices. The array `status` is the only report.
  // From the second call on the work can be captured in a CUDA graph. Each call runs after the one before, on any stream. A graph has no
  // such order: the solver and its workspace must not be in use elsewhere while the graph runs.
  // If the solver of eigen_g.hpp solves the matrices, enqueue() waits like solve(), and cannot be captured.
  void enqueue(std::int64_t count, DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
               DevicePointer<T> z, std::int64_t ldz, DevicePointer<std::int32_t> status, CUstream_st* stream,
               const BatchStrides& strides = {});

 private:
  using PlannedBatchedSolver<T>::impl_;
};

// A solver for generalised problems, planned once. solve() is sygvd_batched() on device pointers. enqueue() is as in BatchedSolver.
template <class T>
class GeneralisedBatchedSolver : public PlannedBatchedSolver<T> {
 public:
  GeneralisedBatchedSolver(Context& context, std::int64_t n, std::int64_t most, const Options& options = {});

  [[nodiscard]] BatchReport solve(std::int64_t count, DevicePointer<T> a, std::int64_t lda,
                                  DevicePointer<T> b, std::int64_t ldb, DevicePointer<real_t<T>> w,
                                  DevicePointer<T> z, std::int64_t ldz, DevicePointer<std::int32_t> status,
                                  CUstream_st* stream, const BatchStrides& strides = {});
  void enqueue(std::int64_t count, DevicePointer<T> a, std::int64_t lda, DevicePointer<T> b, std::int64_t ldb,
               DevicePointer<real_t<T>> w, DevicePointer<T> z, std::int64_t ldz,
               DevicePointer<std::int32_t> status, CUstream_st* stream, const BatchStrides& strides = {});

 private:
  using PlannedBatchedSolver<T>::impl_;
};

}  // namespace eigen_g
