// GridBarrier: a barrier over all thread blocks of a cooperative launch. After wait(), every thread sees what any thread of any
// block wrote before it arrived. Reads must be through L2: __ldcg, or a plain load of a line that L1 does not hold.
// Cost: about 1 us.
#pragma once

#include "hybrid/stream/grid_barrier.hpp"

namespace eigen_g {

class GridBarrier {
 public:
  // `arrivals`: grid_barrier_words words of device memory for this barrier alone, all 0 at the launch.
  __device__ explicit GridBarrier(unsigned* arrivals) : arrivals_(arrivals) {}

  // Called by thread 0, after a barrier of its block that follows the block's last write.
  __device__ void arrive() {
    unsigned* const to = arrivals_ + blockIdx.x % grid_barrier_counters * grid_barrier_stride;
#if __CUDA_ARCH__ >= 700
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
#else
    __threadfence();
    atomicAdd(to, 1u);
#endif
  }

  // Called by thread 0 after its last wait(). The last block that calls it sets the words to 0 for the next launch.
  __device__ void leave() {
    unsigned* const leavers = arrivals_ + grid_barrier_counters * grid_barrier_stride;
    if (atomicAdd(leavers, 1u) + 1 < gridDim.x) return;
    for (int i = 0; i < grid_barrier_counters; ++i) arrivals_[i * grid_barrier_stride] = 0;
    *leavers = 0;
  }

  // Called by all threads, once after each arrive().
  __device__ void wait() {
    ++round_;
    if (threadIdx.x < 32) {
      const unsigned counter = threadIdx.x % grid_barrier_counters;
      const unsigned members = (gridDim.x + grid_barrier_counters - 1 - counter) / grid_barrier_counters;
      while (!__all_sync(~0u, load(arrivals_ + counter * grid_barrier_stride) >= round_ * members)) {
      }
#if __CUDA_ARCH__ < 700
      __threadfence();
#endif
    }
    __syncthreads();
  }

 private:
  static __device__ unsigned load(const unsigned* from) {
    unsigned value;
#if __CUDA_ARCH__ >= 700
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
#else
    value = *static_cast<const volatile unsigned*>(from);
#endif
    return value;
  }
  unsigned* arrivals_;
  unsigned round_ = 0;
};

}  // namespace eigen_g
