// A barrier over all blocks of a cooperative launch: what any thread wrote before it, every thread reads after it
// (through L2: __ldcg, or a plain load of a line that L1 does not hold). About 1 us.
#pragma once

namespace eigen_g {

class GridBarrier {
 public:
  // `arrivals` is one zero in device memory at the launch, for this barrier alone.
  __device__ explicit GridBarrier(unsigned* arrivals) : arrivals_(arrivals) {}

  __device__ void wait() {
    expected_ += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrivals_, 1u);
      unsigned seen;
      do {
#if __CUDA_ARCH__ >= 700
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrivals_) : "memory");
#else
        seen = *static_cast<volatile unsigned*>(arrivals_);
#endif
      } while (seen < expected_);
      __threadfence();
    }
    __syncthreads();
  }

 private:
  unsigned* arrivals_;
  unsigned expected_ = 0;
};

}  // namespace eigen_g
