// warp_sum(x): the sum of a warp's 32 values, in every lane. All lanes of the warp take part.
//
// The additions form a tree: lanes 16 apart first, then 8, 4, 2, 1. The order never changes, so the sum repeats bit for bit.
// T has + and __shfl_xor_sync: a number, DeviceComplex, or a type that brings its own overload.
#pragma once

namespace eigen_g {

template <class T>
__device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x = x + __shfl_xor_sync(~0u, x, mask);
  return x;
}

}  // namespace eigen_g
