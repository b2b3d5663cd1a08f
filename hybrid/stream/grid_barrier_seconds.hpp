// Measures the time of a barrier over all blocks of a cooperative launch on the current GPU. CUDA builds only.
#pragma once

namespace eigen_g {

class Queue;

// Seconds of one GridBarrier (grid_barrier.cuh) among `blocks` blocks of `threads` threads that do nothing else. The result is the mean
// over 2000 barriers, without the launch. All blocks must be resident at the same time. Blocks until done. Throws DeviceError.
double grid_barrier_seconds(const Queue& queue, int blocks, int threads);

}  // namespace eigen_g
