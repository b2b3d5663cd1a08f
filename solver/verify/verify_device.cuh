// Entries in double, for the kernels of verify() and verify_batched().
#pragma once

#include "hybrid/device_complex.cuh"

namespace eigen_g {

inline __device__ double modulus(double x) {
  return fabs(x);
}
inline __device__ double modulus(DeviceComplex<double> x) {
  return hypot(x.re, x.im);
}

inline __device__ double in_double(float x) {
  return x;
}
inline __device__ double in_double(double x) {
  return x;
}
template <class R>
__device__ DeviceComplex<double> in_double(DeviceComplex<R> x) {
  return {x.re, x.im};
}

}  // namespace eigen_g
