// The matrix of a few pairs, whoever holds it, as the ways to solve it need it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solver/api/sparse.hpp"
#include "solver/sparse/executor.hpp"

namespace eigen_g {

template <class T>
struct FewProblem {
  std::int64_t n = 0, nnz = -1;  // -1: by products
  double scale = 0;              // about |A|; 0: not known
  bool on_gpu = false;           // where the executor works
  // Of a machine that has A; `max_panels` of a basis at most.
  std::function<std::unique_ptr<Executor<T>>(std::int64_t max_panels)> executor;
  std::function<void(T* dense)> densify;  // n x n column-major, host, both triangles; empty: by products
};

// Throw InvalidArgument (a).
// Checked: offsets, columns, values. gpus: that work, CUDA's numbers; none: the CPU.
template <class T>
FewProblem<T> few_problem(const SparseRows<T>& a, const std::vector<int>& gpus);
template <class T>
FewProblem<T> few_problem(const SparseProduct<T>& a);
FewProblem<double> few_problem(const SparseGrid& a, bool on_gpu);

// In few_problem_device.cpp, CUDA builds only: work on the current GPU.
template <class T>
FewProblem<T> few_problem(const DeviceSparseRows<T>& a, CUstream_st* stream);
template <class T>
FewProblem<T> few_problem(const DeviceSparseProduct<T>& a, CUstream_st* stream);
// Executors of a checked matrix in host memory.
template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const SparseRows<T>& a);
// Cut by rows over several GPUs.
template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const SparseRows<T>& a,
                                                                        const std::vector<int>& gpus);
std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(const SparseGrid& a);

// A by products with unit vectors, a panel at a time.
template <class T>
void densify_by_products(Executor<T>& on, T* dense);

}  // namespace eigen_g
