// What a host must know of GridBarrier (grid_barrier.cuh): the words of device memory that it takes.
#pragma once

namespace eigen_g {

// Blocks arrive at several counters, each in a cache line of its own, since additions to one follow each other; one more
// counts those that leave.
inline constexpr int grid_barrier_counters = 8;
inline constexpr int grid_barrier_stride = 32;
inline constexpr int grid_barrier_words = (grid_barrier_counters + 1) * grid_barrier_stride;

}  // namespace eigen_g
