#include "solver/dc_launch.cuh"
#include "solver/dc_z_vector.hpp"

namespace eigen_g::dc {

namespace {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads) z_kernel(Batch batch, MatrixView<const double> q) {
  const Merge merge = batch.merges[blockIdx.y];
  const Index i = blockIdx.x * threads + threadIdx.x;
  if (i >= merge.size) return;
  form_z(merge, batch.rows, q, batch.arrays.at(merge.first), batch.arrays.e[merge.first + merge.upper - 1],
         i);
}

}  // namespace

void form_z(const Queue& queue, const Batch& batch, MatrixView<const double> q) {
  z_kernel<<<blocks_over(batch, batch.largest, threads), threads, 0, queue.stream()>>>(batch, q);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g::dc
