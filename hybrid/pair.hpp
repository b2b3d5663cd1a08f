// pair_t<R>: CUDA's vector type of two R (float2, double2), which one instruction loads or stores. CUDA builds only.
#pragma once

#include <vector_types.h>

namespace eigen_g {

template <class R>
struct PairOf;
template <>
struct PairOf<float> {
  using Pair = float2;
};
template <>
struct PairOf<double> {
  using Pair = double2;
};
template <class R>
using pair_t = typename PairOf<R>::Pair;

}  // namespace eigen_g
