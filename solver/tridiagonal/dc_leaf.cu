// Kernel for the leaves: one warp solves a leaf.
#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_leaf.cuh"

namespace eigen_g::dc {

namespace {

constexpr int leaves_a_block = 2;
template <class R>
__global__ void __launch_bounds__(32 * leaves_a_block)
    leaf_kernel(const Leaf* leaves, Index count, Arrays<R> x, Rows rows, MatrixView<R> q, MatrixView<R> ends,
                unsigned* failed) {
  enter_in_turn();
  __shared__ LeafMemory<R> memory[leaves_a_block];
  const int warp = threadIdx.x / 32;
  const Index which = blockIdx.x * leaves_a_block + warp;
  if (which < count) solve_leaf(leaves[which], x, rows, q, ends, failed, memory[warp]);
}

}  // namespace

template <class R>
void solve_leaves(const Queue& queue, const Leaf* leaves, Index count, const Arrays<R>& arrays, Rows rows,
                  MatrixView<same_t<R>> q, MatrixView<same_t<R>> ends, unsigned* failed) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + leaves_a_block - 1) / leaves_a_block);
  launch_dependent(queue, leaf_kernel<R>, blocks, 32 * leaves_a_block, leaves, count, arrays, rows, q, ends,
                   failed);
}

EIGEN_G_INSTANTIATE(real_types, solve_leaves);

}  // namespace eigen_g::dc
