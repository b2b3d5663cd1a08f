// FewProblem for matrices on GPUs.
#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/row_partition.hpp"
#include "blas2/spmv/spmv.hpp"
#include "blas2/spmv/stencil.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/sparse/few_problem.hpp"
#include "solver/sparse/gpu_executor.hpp"
#include "solver/sparse/multi_gpu_executor.hpp"

namespace eigen_g {

namespace {

// The objects that an executor's product uses. The product owns them.
template <class T>
struct RowsOnGpu {
  Queue queue;
  blas2::CrsOnDevice<T> owned;
  blas2::SpmvOperator<T> product = {};
};

// Uses the sparse format that the model chooses. If a second copy of A does not fit into memory, it uses the rows as they are.
template <class T>
std::unique_ptr<Executor<T>> executor_of(const std::shared_ptr<RowsOnGpu<T>>& on, const blas2::CrsView<T>& a,
                                         std::int64_t max_blocks) {
  using namespace blas2;
  try {
    on->product = {on->queue, a, SpmvFormat::automatic, SpmvChoice::model, block_width};
  } catch (const OutOfMemory&) {
    on->product = {on->queue, a, SpmvCandidate{SpmvFormat::crs, crs_group(a.rows, a.nnz, block_width)}};
  }
  const MatrixOperator<T> product = [on](T alpha, const T* x, T gamma, T beta, T* y) {
    on->product.multiply(on->queue, block_width, alpha, x, beta, y, gamma);
  };
  return std::make_unique<GpuExecutor<T>>(on->queue, a.rows, max_blocks, product, on->product.bytes());
}

}  // namespace

template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const CsrMatrix<T>& a) {
  return [a](std::int64_t max_blocks) {
    auto on = std::make_shared<RowsOnGpu<T>>();
    on->owned = {
        on->queue,
        {a.n, a.n, a.row_offsets[a.n] - a.row_offsets[0], a.row_offsets, a.column_indices, a.values}};
    return executor_of(on, on->owned.view(), max_blocks);
  };
}

template <class T>
std::function<std::unique_ptr<Executor<T>>(std::int64_t)> gpu_executors(const CsrMatrix<T>& a,
                                                                        const std::vector<int>& gpus) {
  return [a, gpus](std::int64_t max_blocks) -> std::unique_ptr<Executor<T>> {
    const blas2::CrsView<T> rows{
        a.n, a.n, a.row_offsets[a.n] - a.row_offsets[0], a.row_offsets, a.column_indices, a.values};
    const auto team = std::make_shared<blas2::RowPartition<T>>(rows, gpus);
    std::vector<typename MultiGpuExecutor<T>::Member> members;
    for (int m = 0; m < team->members(); ++m) {
      const std::int64_t first = team->first_row(m);
      const auto within = [gpu = team->gpu(m)](const std::function<void()>& work) {
        const CurrentGpu here(gpu);
        work();
      };
      within([&] {
        members.push_back(
            {std::make_unique<GpuExecutor<T>>(team->queue(m), team->first_row(m + 1) - first, max_blocks,
                                              MatrixOperator<T>(), team->bytes(m), first),
             within});
      });
    }
    const RowCutOperator<T> product = [team](T alpha, const std::vector<const T*>& x, T gamma, T beta,
                                             const std::vector<T*>& y) {
      team->multiply(alpha, x, gamma, beta, y);
    };
    return std::make_unique<MultiGpuExecutor<T>>(std::move(members), product);
  };
}

std::function<std::unique_ptr<Executor<double>>(std::int64_t)> gpu_executors(const SparseGrid& a) {
  return [a](std::int64_t max_blocks) {
    auto queue = std::make_shared<Queue>();
    const blas2::GridSize grid{a.nx, a.ny, a.nz};
    const MatrixOperator<double> product = [=, points = a.points](double alpha, const double* x, double gamma,
                                                                  double beta, double* y) {
      blas2::stencil_multiply(*queue, grid, points, alpha, x, gamma, beta, y);
    };
    return std::make_unique<GpuExecutor<double>>(*queue, grid.points(), max_blocks, product);
  };
}

template <class T>
FewProblem<T> few_problem(const DeviceCsrMatrix<T>& a, CUstream_st* stream) {
  FewProblem<T> problem;
  problem.n = a.n;
  problem.nnz = a.nnz;
  problem.on_gpu = true;
  problem.executor = [a, stream](std::int64_t max_blocks) {
    auto on = std::make_shared<RowsOnGpu<T>>(RowsOnGpu<T>{Queue(stream), {}});
    return executor_of(on, {a.n, a.n, a.nnz, a.row_offsets.get(), a.column_indices.get(), a.values.get()},
                       max_blocks);
  };
  return problem;
}

template <class T>
FewProblem<T> few_problem(const DeviceSparseOperator<T>& a, CUstream_st* stream) {
  if (!a.multiply) throw InvalidArgument(Argument::a, "has no multiply function");
  FewProblem<T> problem;
  problem.n = a.n;
  problem.on_gpu = true;
  problem.executor = [a, stream](std::int64_t max_blocks) {
    struct On {
      Queue queue;
      DeviceBuffer<T> result;
    };
    auto on = std::make_shared<On>(On{Queue(stream), {}});
    on->result = {on->queue, a.n * block_width};
    const MatrixOperator<T> product = [on, a](T alpha, const T* x, T gamma, T beta, T* y) {
      a.multiply(x, on->result.data(), on->queue.stream());
      combine_product(on->queue, a.n, alpha, on->result.data(), gamma, x, beta, y);
    };
    return std::make_unique<GpuExecutor<T>>(on->queue, a.n, max_blocks, product);
  };
  return problem;
}

EIGEN_G_INSTANTIATE_OVERLOAD(double_type, few_problem,
                             FewProblem<T>(const DeviceCsrMatrix<T>&, CUstream_st*));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, few_problem,
                             FewProblem<T>(const DeviceSparseOperator<T>&, CUstream_st*));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, gpu_executors,
                             std::function<std::unique_ptr<Executor<T>>(std::int64_t)>(const CsrMatrix<T>&));
EIGEN_G_INSTANTIATE_OVERLOAD(
    double_type, gpu_executors,
    std::function<std::unique_ptr<Executor<T>>(std::int64_t)>(const CsrMatrix<T>&, const std::vector<int>&));

}  // namespace eigen_g
