#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_team.cuh"
#include "solver/tridiagonal/dc_z_vector.hpp"

namespace eigen_g::dc {

namespace {

constexpr int max_threads = 1024;

__global__ void __launch_bounds__(max_threads) deflate_kernel(Batch batch, MatrixView<const double> q) {
  enter_in_turn();
  __shared__ Block::Scratch scratch;
  const Merge merge = batch.merges[blockIdx.x];
  const Arrays x = batch.arrays.at(merge.first);
  const double e = batch.arrays.e[merge.first + merge.upper - 1];
  for (Index i = Block::rank(); i < merge.size; i += Block::size()) form_z(merge, batch.rows, q, x, e, i);
  Block::sync();
  deflate(Block(scratch), merge, x, e, &batch.shapes[blockIdx.x]);
}

}  // namespace

void deflate(const Queue& queue, const Batch& batch, MatrixView<const double> q) {
  int threads = 64;
  while (threads < max_threads && threads < batch.largest) threads *= 2;
  launch_dependent(queue, deflate_kernel, static_cast<unsigned>(batch.count), threads, batch, q);
}

}  // namespace eigen_g::dc
