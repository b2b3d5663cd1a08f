// Batches for Python. Addresses are integers; only the package's own Python code calls these functions.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <eigen_g/batched.hpp>

#include "apps/python/context.hpp"

namespace eigen_g::python {

// Arrays of a strided batch of n x n matrices. Strides in values; 0: no gaps.
struct BatchArrays {
  std::int64_t n, count;
  std::uintptr_t a;
  std::int64_t lda, stride_a;
  std::uintptr_t b;  // with itype 1
  std::int64_t ldb, stride_b;
  std::uintptr_t w, z;
  std::int64_t ldz, stride_z;
  std::uintptr_t status;
};
BatchReport solve_batch_on_host(const CallOptions& plan, const BatchArrays& batch);

// BatchedSolver<T>, or GeneralisedBatchedSolver<T> for generalised problems; the plan's dtype is T.
class PythonBatchedSolver {
 public:
  PythonBatchedSolver(PythonContext& context, const CallOptions& plan, std::int64_t n, std::int64_t most,
                      int gpu);
  WorkspaceBytes workspace() const;
  void set_workspace(std::uintptr_t memory, std::uint64_t bytes);
  BatchReport solve(const BatchArrays& batch, std::uintptr_t stream);

 private:
  using Any = std::variant<BatchedSolver<double>, BatchedSolver<float>, BatchedSolver<std::complex<double>>,
                           BatchedSolver<std::complex<float>>, GeneralisedBatchedSolver<double>,
                           GeneralisedBatchedSolver<float>, GeneralisedBatchedSolver<std::complex<double>>,
                           GeneralisedBatchedSolver<std::complex<float>>>;
  int gpu_;
  std::optional<Any> solver_;
};

// Matrices of different orders: entry k of each list belongs to matrix k. z is empty without vectors.
//   status  in host memory
//   gpu     -1: the matrices are in host memory; else in memory of that GPU
BatchReport solve_ragged(const CallOptions& plan, const std::vector<std::int64_t>& n,
                         const std::vector<std::uintptr_t>& a, const std::vector<std::int64_t>& lda,
                         const std::vector<std::uintptr_t>& w, const std::vector<std::uintptr_t>& z,
                         std::uintptr_t status, int gpu, std::uintptr_t stream);

// True if a solve of one matrix in host memory is done as a batch of one, so that the matrix has the same bits alone and in a stack, and
// no time for LAPACK. progress: the solve reports its progress, which a batch does not.
bool is_batch_of_one(const CallOptions& plan, std::int64_t n, bool progress);
// Solves it as solve_host() does. Throws NonFiniteEntry.
PythonReport solve_batch_of_one(const CallOptions& plan, std::int64_t n, std::uintptr_t a, std::int64_t lda,
                                std::uintptr_t w, std::uintptr_t z, std::int64_t ldz);
WorkspaceBytes batch_of_one_workspace(const CallOptions& plan, std::int64_t n);

}  // namespace eigen_g::python
