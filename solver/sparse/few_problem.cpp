#include "solver/sparse/few_problem.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "blas2/spmv/crs.hpp"
#include "hybrid/machine/cpu.hpp"

namespace eigen_g {

namespace {

// The largest sum of absolute values in a row bounds |A|.
template <class T>
double largest_row_sum(const blas2::CrsView<T>& a) {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest) if (a.rows >= smallest_parallel_order)
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (std::int64_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) sum += std::abs(a.value[p]);
    largest = std::max(largest, sum);
  }
  return largest > 0 ? largest : 1;
}

}  // namespace

template <class T>
FewProblem<T> few_problem(const SparseRows<T>& a) {
  if (a.n > 0 && !a.row_begin) throw InvalidArgument(Argument::a, "row_begin is null");
  const std::int64_t nnz = a.n > 0 ? a.row_begin[a.n] - a.row_begin[0] : 0;
  if (nnz > 0 && (!a.column || !a.value)) throw InvalidArgument(Argument::a, "column or value is null");
  const blas2::CrsView<T> view{a.n, a.n, nnz, a.row_begin, a.column, a.value};
  blas2::check_crs(view);
  FewProblem<T> problem;
  problem.n = a.n;
  problem.scale = largest_row_sum(view);
  problem.product = [view](T alpha, const T* x, T gamma, T beta, T* y) {
    blas2::crs_multiply(panel_width, alpha, view, x, beta, y);
    if (gamma == T(0)) return;
    const std::int64_t values = view.rows * panel_width;
#pragma omp parallel for schedule(static) if (view.rows >= smallest_parallel_order)
    for (std::int64_t i = 0; i < values; ++i) y[i] += gamma * x[i];
  };
  problem.densify = [view](T* dense) {
    std::fill_n(dense, view.rows * view.rows, T(0));
    for (std::int64_t i = 0; i < view.rows; ++i)
      for (std::int64_t p = view.row_begin[i]; p < view.row_begin[i + 1]; ++p)
        dense[i + view.col[p] * view.rows] = view.value[p];
  };
  return problem;
}

template <class T>
FewProblem<T> few_problem(const SparseProduct<T>& a) {
  if (!a.multiply) throw InvalidArgument(Argument::a, "has no product");
  const std::int64_t n = a.n, values = n * panel_width;
  FewProblem<T> problem;
  problem.n = n;
  const std::shared_ptr<T[]> result(host_array<T>(values));
  problem.product = [=, multiply = a.multiply](T alpha, const T* x, T gamma, T beta, T* y) {
    multiply(x, result.get());
    const T* const ax = result.get();
#pragma omp parallel for schedule(static) if (n >= smallest_parallel_order)
    for (std::int64_t i = 0; i < values; ++i)
      y[i] = beta == T(0) ? alpha * ax[i] + gamma * x[i] : alpha * ax[i] + gamma * x[i] + beta * y[i];
  };
  problem.densify = [=, multiply = a.multiply](T* dense) {
    const HostArray<T> units = host_array<T>(values);
    for (std::int64_t first = 0; first < n; first += panel_width) {
      const std::int64_t columns = std::min<std::int64_t>(panel_width, n - first);
      std::fill_n(units.get(), values, T(0));
      for (std::int64_t j = 0; j < columns; ++j) units[panel_width * (first + j) + j] = T(1);
      multiply(units.get(), result.get());
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < n; ++i) dense[i + (first + j) * n] = result[panel_width * i + j];
    }
  };
  return problem;
}

template FewProblem<double> few_problem(const SparseRows<double>&);
template FewProblem<double> few_problem(const SparseProduct<double>&);

}  // namespace eigen_g
