#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/row_team.hpp"
#include "blas2/spmv/spmv.hpp"
#include "blas2/spmv/stencil.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/sparse/few_problem.hpp"
#include "solver/sparse/gpu_executor.hpp"
#include "solver/sparse/team_executor.hpp"

namespace eigen_g {

namespace {

// What an executor's product works with; it lives as long as the product.
template <class T>
struct RowsOnGpu {
  Queue queue;
  blas2::CrsOnDevice<T> owned;
  blas2::SpmvOperator<T> product = {};
};

// In the format that the model chooses, or as the rows are where a second copy does not fit.
template <class T>
std::unique_ptr<Executor<T>> executor_of(const std::shared_ptr<RowsOnGpu<T>>& on, const blas2::CrsView<T>& a,
                                         std::int64_t max_panels) {
  using namespace blas2;
  try {
    on->product = {on->queue, a, SpmvFormat::automatic, SpmvChoice::model, panel_width};
  } catch (const OutOfMemory&) {
    on->product = {on->queue, a, SpmvCandidate{SpmvFormat::crs, crs_group(a.rows, a.nnz, panel_width)}};
  }
  const PanelProduct<T> product = [on](T alpha, const T* x, T gamma, T beta, T* y) {
    on->product.multiply(on->queue, panel_width, alpha, x, beta, y, gamma);
  };
  return std::make_unique<GpuExecutor<T>>(on->queue, a.rows, max_panels, product, on->product.bytes());
}

}  // namespace

template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const SparseRows<T>& a) {
  return [a](std::int64_t max_panels) {
    auto on = std::make_shared<RowsOnGpu<T>>();
    on->owned = {on->queue, {a.n, a.n, a.row_begin[a.n] - a.row_begin[0], a.row_begin, a.column, a.value}};
    return executor_of(on, on->owned.view(), max_panels);
  };
}

template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const SparseRows<T>& a,
                                                                        const std::vector<int>& gpus) {
  return [a, gpus](std::int64_t max_panels) -> std::unique_ptr<Executor<T>> {
    const blas2::CrsView<T> rows{a.n, a.n, a.row_begin[a.n] - a.row_begin[0], a.row_begin, a.column, a.value};
    const auto team = std::make_shared<blas2::RowTeam<T>>(rows, gpus);
    std::vector<typename TeamExecutor<T>::Member> members;
    for (int m = 0; m < team->members(); ++m) {
      const std::int64_t first = team->first_row(m);
      const auto within = [gpu = team->gpu(m)](const std::function<void()>& work) {
        const CurrentGpu here(gpu);
        work();
      };
      within([&] {
        members.push_back(
            {std::make_unique<GpuExecutor<T>>(team->queue(m), team->first_row(m + 1) - first, max_panels,
                                              PanelProduct<T>(), team->bytes(m), first),
             within});
      });
    }
    const TeamProduct<T> product = [team](T alpha, const std::vector<const T*>& x, T gamma, T beta,
                                          const std::vector<T*>& y) {
      team->multiply(alpha, x, gamma, beta, y);
    };
    return std::make_unique<TeamExecutor<T>>(std::move(members), product);
  };
}

std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(const SparseGrid& a) {
  return [a](std::int64_t max_panels) {
    auto queue = std::make_shared<Queue>();
    const blas2::GridSize grid{a.nx, a.ny, a.nz};
    const PanelProduct<double> product = [=, points = a.points](double alpha, const double* x, double gamma,
                                                                double beta, double* y) {
      blas2::stencil_multiply(*queue, grid, points, alpha, x, gamma, beta, y);
    };
    return std::make_unique<GpuExecutor<double>>(*queue, grid.points(), max_panels, product);
  };
}

template <class T>
FewProblem<T> few_problem(const DeviceSparseRows<T>& a, CUstream_st* stream) {
  FewProblem<T> problem;
  problem.n = a.n;
  problem.nnz = a.nnz;
  problem.on_gpu = true;
  problem.executor = [a, stream](std::int64_t max_panels) {
    auto on = std::make_shared<RowsOnGpu<T>>(RowsOnGpu<T>{Queue(stream), {}});
    return executor_of(on, {a.n, a.n, a.nnz, a.row_begin.get(), a.column.get(), a.value.get()}, max_panels);
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
template std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(
    const SparseRows<double>&, const std::vector<int>&);

}  // namespace eigen_g
