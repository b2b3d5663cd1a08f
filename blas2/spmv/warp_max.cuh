// warp_max(): the largest of the 32 values of a warp, returned to every lane.
#pragma once

namespace eigen_g::blas2 {

__device__ __forceinline__ unsigned warp_max(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, value);
#else
  for (int d = 16; d > 0; d /= 2) value = max(value, __shfl_xor_sync(0xffffffffu, value, d));
  return value;
#endif
}

}  // namespace eigen_g::blas2
