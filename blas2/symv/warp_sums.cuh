// warp_sums(): several sums over the lanes of a warp at the same time.
#pragma once

#include "blas2/symv/symv_scalar.cuh"

namespace eigen_g::blas2 {

// Sums `count` values (a power of two) over the 32 lanes. Each step with lane distance 16, 8, ... leaves half of the values to
// each half of the lanes, until one is left. In the end x[0] of lane l is the sum of value l / (32 / count).
// T: the element type; the values have the type of its sums.
template <class T, int count>
__device__ void warp_sums(typename Scalar<T>::Sum (&x)[count], int lane) {
  using Ops = Scalar<T>;
  int mask = 16;
#pragma unroll
  for (int half = count / 2; half > 0; half /= 2, mask /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const bool upper_half = lane & mask;
      const auto kept = upper_half ? x[i + half] : x[i];
      const auto given = upper_half ? x[i] : x[i + half];
      x[i] = Ops::add(kept, Ops::shuffle(given, mask));
    }
#pragma unroll
  for (; mask > 0; mask /= 2) x[0] = Ops::add(x[0], Ops::shuffle(x[0], mask));
}

}  // namespace eigen_g::blas2
