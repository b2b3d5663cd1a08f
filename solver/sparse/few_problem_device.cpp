#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/stencil7.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/sparse/few_problem.hpp"
#include "solver/sparse/gpu_executor.hpp"

namespace eigen_g {

namespace {

// What an executor's product works with; it lives as long as the product.
template <class T>
struct RowsOnGpu {
  Queue queue;
  blas2::CrsOnDevice<T> owned;
  blas2::CrsView<T> a;
};

template <class T>
std::unique_ptr<Executor<T>> executor_of(const std::shared_ptr<RowsOnGpu<T>>& on, std::int64_t max_panels) {
  const PanelProduct<T> product = [on](T alpha, const T* x, T gamma, T beta, T* y) {
    blas2::crs_multiply(on->queue, panel_width, alpha, on->a, x, beta, y);
    if (gamma != T(0)) combine_product(on->queue, on->a.rows, T(1), y, gamma, x, T(0), y);
  };
  return std::make_unique<GpuExecutor<T>>(on->queue, on->a.rows, max_panels, product);
}

}  // namespace

template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const SparseRows<T>& a) {
  return [a](std::int64_t max_panels) {
    auto on = std::make_shared<RowsOnGpu<T>>();
    on->owned = {on->queue, {a.n, a.n, a.row_begin[a.n] - a.row_begin[0], a.row_begin, a.column, a.value}};
    on->a = on->owned.view();
    return executor_of(on, max_panels);
  };
}

std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(const SparseGrid& a) {
  return [a](std::int64_t max_panels) {
    auto queue = std::make_shared<Queue>();
    const blas2::GridSize grid{a.nx, a.ny, a.nz};
    const PanelProduct<double> product = [=](double alpha, const double* x, double gamma, double beta,
                                             double* y) {
      blas2::stencil7_multiply(*queue, grid, alpha, x, gamma, beta, y);
    };
    return std::make_unique<GpuExecutor<double>>(*queue, grid.points(), max_panels, product);
  };
}

template <class T>
FewProblem<T> few_problem(const DeviceSparseRows<T>& a, CUstream_st* stream) {
  FewProblem<T> problem;
  problem.n = a.n;
  problem.on_gpu = true;
  problem.executor = [a, stream](std::int64_t max_panels) {
    auto on = std::make_shared<RowsOnGpu<T>>(RowsOnGpu<T>{Queue(stream), {}, {}});
    on->a = {a.n, a.n, a.nnz, a.row_begin.get(), a.column.get(), a.value.get()};
    return executor_of(on, max_panels);
  };
  return problem;
}

template <class T>
FewProblem<T> few_problem(const DeviceSparseProduct<T>& a, CUstream_st* stream) {
  if (!a.multiply) throw InvalidArgument(Argument::a, "has no product");
  FewProblem<T> problem;
  problem.n = a.n;
  problem.on_gpu = true;
  problem.executor = [a, stream](std::int64_t max_panels) {
    struct On {
      Queue queue;
      DeviceBuffer<T> result;
    };
    auto on = std::make_shared<On>(On{Queue(stream), {}});
    on->result = {on->queue, a.n * panel_width};
    const PanelProduct<T> product = [on, a](T alpha, const T* x, T gamma, T beta, T* y) {
      a.multiply(x, on->result.data(), on->queue.stream());
      combine_product(on->queue, a.n, alpha, on->result.data(), gamma, x, beta, y);
    };
    return std::make_unique<GpuExecutor<T>>(on->queue, a.n, max_panels, product);
  };
  return problem;
}

template FewProblem<double> few_problem(const DeviceSparseRows<double>&, CUstream_st*);
template FewProblem<double> few_problem(const DeviceSparseProduct<double>&, CUstream_st*);
template std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(
    const SparseRows<double>&);

}  // namespace eigen_g
