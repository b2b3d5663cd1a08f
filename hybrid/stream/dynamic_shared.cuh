// DynamicShared<T>: the dynamic shared memory of a kernel template as an array of T. An `extern __shared__` array may have only
// one type under one name, so each type has its own name.
#pragma once

#include <vector_types.h>

namespace eigen_g {

template <class T>
struct DynamicShared;
template <>
struct DynamicShared<float> {
  static __device__ float* memory() {
    extern __shared__ float shared_floats[];
    return shared_floats;
  }
};
template <>
struct DynamicShared<double> {
  static __device__ double* memory() {
    extern __shared__ double shared_doubles[];
    return shared_doubles;
  }
};
template <>
struct DynamicShared<float2> {
  static __device__ float2* memory() {
    extern __shared__ float2 shared_float_pairs[];
    return shared_float_pairs;
  }
};
template <>
struct DynamicShared<double2> {
  static __device__ double2* memory() {
    extern __shared__ double2 shared_double_pairs[];
    return shared_double_pairs;
  }
};

}  // namespace eigen_g
