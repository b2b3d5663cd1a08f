// The common entry of a level's kernels, and their grid: x runs over the entries of a merge, y over the merges.
#pragma once

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/dependent_launch.cuh"
#include "hybrid/stream/queue.hpp"
#include "solver/tridiagonal/dc_device.hpp"

namespace eigen_g::dc {

// The kernels of the levels call this first, because each reads what the kernel before it wrote.
__device__ inline void enter_in_turn() {
  allow_next_kernel();
  wait_for_previous_kernels();
}

template <class R>
dim3 blocks_over(const Batch<R>& batch, Index entries, Index entries_a_block) {
  return {static_cast<unsigned>((entries + entries_a_block - 1) / entries_a_block),
          static_cast<unsigned>(batch.count)};
}

}  // namespace eigen_g::dc
