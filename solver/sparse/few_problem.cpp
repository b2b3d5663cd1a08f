// FewProblem for matrices in host memory.
#include "solver/sparse/few_problem.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/stencil.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/cpu_executor.hpp"
#include "solver/sparse/csr_check.hpp"

namespace eigen_g {

namespace {

// The largest sum of absolute values in a row, which is an upper bound of |A|.
template <class T>
double largest_row_sum(const blas2::CrsView<T>& a) {
  return largest_of(a.rows, threads_if(a.rows >= smallest_parallel_order), 0.0, [&](std::int64_t i) {
    double sum = 0;
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) sum += std::abs(a.value[p]);
    return sum;
  });
}

}  // namespace

template <class T>
FewProblem<T> few_problem(const CsrMatrix<T>& a, const std::vector<int>& gpus) {
  const std::int64_t nnz = require_csr_arrays(a, Argument::a);
  const blas2::CrsView<T> view{a.n, a.n, nnz, a.row_offsets, a.column_indices, a.values};
  blas2::check_crs(view);
  FewProblem<T> problem;
  problem.n = a.n;
  problem.nnz = nnz;
  problem.scale = largest_row_sum(view);
  problem.on_gpu = !gpus.empty();
  problem.densify = [view](T* dense) {
    std::fill_n(dense, view.rows * view.rows, T(0));
    for (std::int64_t i = 0; i < view.rows; ++i)
      for (std::int64_t p = view.row_offsets[i]; p < view.row_offsets[i + 1]; ++p)
        dense[i + view.col[p] * view.rows] = view.value[p];
  };
#ifdef EIGEN_G_HAVE_CUDA
  if (problem.on_gpu) {
    problem.executor = gpus.size() == 1 ? gpu_executors(a) : gpu_executors(a, gpus);
    return problem;
  }
#endif
  const MatrixOperator<T> product = [view](T alpha, const T* x, T gamma, T beta, T* y) {
    blas2::crs_multiply(block_width, alpha, view, x, beta, y, 0, gamma);
  };
  problem.executor = [n = a.n, product](std::int64_t) {
    return std::make_unique<CpuExecutor<T>>(n, product);
  };
  return problem;
}

template <class T>
FewProblem<T> few_problem(const SparseOperator<T>& a) {
  if (!a.multiply) throw InvalidArgument(Argument::a, "has no multiply function");
  const std::int64_t n = a.n, values = n * block_width;
  FewProblem<T> problem;
  problem.n = n;
  const std::shared_ptr<T[]> result(host_array<T>(values));
  const MatrixOperator<T> product = [=, multiply = a.multiply](T alpha, const T* x, T gamma, T beta, T* y) {
    const T* const ax = result.get();
    multiply(x, result.get());
    for_each(values, threads_if(n >= smallest_parallel_order), [=](std::int64_t i) {
      y[i] = beta == T(0) ? alpha * ax[i] + gamma * x[i] : alpha * ax[i] + gamma * x[i] + beta * y[i];
    });
  };
  problem.executor = [=](std::int64_t) { return std::make_unique<CpuExecutor<T>>(n, product); };
  return problem;
}

void check_grid(const SparseGrid& a) {
  constexpr std::int64_t max_side = std::int64_t{1} << 20;
  for (const std::int64_t side : {a.nx, a.ny, a.nz})
    require(side >= 0 && side <= max_side, Argument::a,
            "must have sides from 0 to 1048576, has a side of " + std::to_string(side));
  require(a.points == 7 || a.points == 19, Argument::a,
          "must have a stencil of 7 or 19 points, has " + std::to_string(a.points) + " points");
  const std::int64_t n = a.nx * a.ny * a.nz;
  require(n <= std::int64_t{1} << 36, Argument::a,
          "must have at most 2^36 points, has " + std::to_string(n) + " points");
}

FewProblem<double> few_problem(const SparseGrid& a, bool on_gpu) {
  FewProblem<double> problem;
  problem.n = a.nx * a.ny * a.nz;
  problem.scale = blas2::stencil_row_sum(a.points);
  problem.on_gpu = on_gpu;
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) {
    problem.executor = gpu_executors(a);
    return problem;
  }
#endif
  const MatrixOperator<double> product = [a](double alpha, const double* x, double gamma, double beta,
                                             double* y) {
    blas2::stencil_multiply({a.nx, a.ny, a.nz}, a.points, alpha, x, gamma, beta, y);
  };
  problem.executor = [n = problem.n, product](std::int64_t) {
    return std::make_unique<CpuExecutor<double>>(n, product);
  };
  return problem;
}

template <class T>
void densify_by_products(Executor<T>& on, T* dense) {
  const std::int64_t n = on.order(), values = n * block_width;
  T *const x = on.take_blocks(1), *const y = on.take_blocks(1);
  const HostArray<T> host = host_array<T>(values);
  for (std::int64_t first = 0; first < n; first += block_width) {
    const std::int64_t columns = std::min<std::int64_t>(block_width, n - first);
    std::fill_n(host.get(), values, T(0));
    for (std::int64_t j = 0; j < columns; ++j) host[block_width * (first + j) + j] = T(1);
    on.put(host.get(), values, x);
    on.multiply(T(1), x, T(0), T(0), y);
    on.get(y, values, host.get());
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < n; ++i) dense[i + (first + j) * n] = host[block_width * i + j];
  }
}

EIGEN_G_INSTANTIATE_OVERLOAD(double_type, few_problem,
                             FewProblem<T>(const CsrMatrix<T>&, const std::vector<int>&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, few_problem, FewProblem<T>(const SparseOperator<T>&));
EIGEN_G_INSTANTIATE(double_type, densify_by_products);

}  // namespace eigen_g
