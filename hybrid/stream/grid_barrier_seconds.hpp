// What a barrier over all blocks of a cooperative launch costs on the GPU at hand. CUDA builds only.
#pragma once

namespace eigen_g {

class Queue;

// Seconds of one GridBarrier (grid_barrier.cuh) among `blocks` blocks of `threads` threads that do nothing else, the
// mean over many in one launch, which must be resident together. Blocks until done. Throws DeviceError.
double grid_barrier_seconds(const Queue& queue, int blocks, int threads);

}  // namespace eigen_g
