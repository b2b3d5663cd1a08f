// Several sums over the lanes of a warp at once.
#pragma once

#include "blas2/symv/symv_scalar.cuh"

namespace eigen_g::blas2 {

// Sums of `count` values (a power of two) of the type that products of T are summed in. After the steps with 16, 8, ...
// half of the values are left to each half of the lanes; lane l ends with the sum of value l / (32 / count) in x[0].
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
