#include "solver/dc_deflate.hpp"
#include "solver/dc_launch.cuh"
#include "solver/dc_team.cuh"

namespace eigen_g::dc {

namespace {

constexpr int most_threads = 1024;

__global__ void __launch_bounds__(most_threads) deflate_kernel(Batch batch) {
  __shared__ Block::Scratch scratch;
  const Merge merge = batch.merges[blockIdx.x];
  deflate(Block(scratch), merge, batch.arrays.at(merge.first), batch.arrays.e[merge.first + merge.upper - 1],
          &batch.shapes[blockIdx.x]);
}

}  // namespace

void deflate(const Queue& queue, const Batch& batch) {
  int threads = 64;
  while (threads < most_threads && threads < batch.largest) threads *= 2;
  deflate_kernel<<<static_cast<unsigned>(batch.count), threads, 0, queue.stream()>>>(batch);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g::dc
