// Kernel for the secular equations of a level: one warp a root.
#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_secular.hpp"

namespace eigen_g::dc {

namespace {

constexpr int warps = 4;

template <class R>
__global__ void __launch_bounds__(32 * warps) secular_kernel(Batch<R> batch) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.y];
  const Shape<R> shape = batch.shapes[blockIdx.y];
  const Index j = blockIdx.x * warps + threadIdx.x / 32;
  if (j >= shape.k) return;
  const bool converged = solve_secular(Warp(), shape, batch.arrays.at(merge.first), j);
  if (!converged && Warp::rank() == 0) atomicMin(batch.failed, static_cast<unsigned>(merge.first + j + 1));
}

}  // namespace

template <class R>
void solve_secular(const Queue& queue, const Batch<R>& batch) {
  launch_dependent(queue, secular_kernel<R>, blocks_over(batch, batch.largest, warps), 32 * warps, batch);
}

EIGEN_G_INSTANTIATE_OVERLOAD(real_types, solve_secular, void(const Queue&, const Batch<T>&));

}  // namespace eigen_g::dc
