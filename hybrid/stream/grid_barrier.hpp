// Size of the device memory of a GridBarrier (grid_barrier.cuh), for host code.
#pragma once

namespace eigen_g {

// Blocks arrive at 8 counters, because additions to one address run one after another. Each counter has its own cache line. One
// more counter is for leave().
inline constexpr int grid_barrier_counters = 8;
inline constexpr int grid_barrier_stride = 32;
inline constexpr int grid_barrier_words = (grid_barrier_counters + 1) * grid_barrier_stride;

}  // namespace eigen_g
