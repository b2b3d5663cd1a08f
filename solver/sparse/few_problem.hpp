// FewProblem: the matrix A of a few-pairs solve in the forms that the dense and the Lanczos method need, independent of its storage.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solver/api/sparse.hpp"
#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
struct FewProblem {
  std::int64_t n = 0, nnz = -1;  // -1: A is given by products
  double scale = 0;              // about |A|; 0: not known
  bool on_gpu = false;           // true: the executor works on a GPU
  // Makes the executor on the device that holds A. Its basis will have at most `max_blocks` blocks.
  std::function<std::unique_ptr<Executor<T>>(std::int64_t max_blocks)> executor;
  std::function<void(T* dense)> densify;  // n x n, host, both triangles; empty: A is by products
};

// All of these throw InvalidArgument (a).
// The CSR form checks offsets, columns and values. gpus: CUDA's numbers of the GPUs that solve; empty: the CPU solves.
template <class T>
FewProblem<T> few_problem(const CsrMatrix<T>& a, const std::vector<int>& gpus);
template <class T>
FewProblem<T> few_problem(const SparseOperator<T>& a);
FewProblem<double> few_problem(const SparseGrid& a, bool on_gpu);  // a: checked by check_grid()
void check_grid(const SparseGrid& a);

// These are in few_problem_device.cpp, in CUDA builds only. They work on the current GPU.
template <class T>
FewProblem<T> few_problem(const DeviceCsrMatrix<T>& a, CUstream_st* stream);
template <class T>
FewProblem<T> few_problem(const DeviceSparseOperator<T>& a, CUstream_st* stream);
// Makes executors for a checked matrix in host memory.
template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const CsrMatrix<T>& a);
// Makes executors with the rows divided over several GPUs.
template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const CsrMatrix<T>& a,
                                                                        const std::vector<int>& gpus);
std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(const SparseGrid& a);

// Forms A by products with unit vectors, one block at a time.
template <class T>
void densify_by_products(Executor<T>& on, T* dense);

}  // namespace eigen_g
