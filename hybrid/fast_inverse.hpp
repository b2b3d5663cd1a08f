// inverse_of(x) = 1 / x and inverse_root(x) = 1 / sqrt(x) of doubles on a GPU, without the branches for every x of the division and of rsqrt().
#pragma once

#include <cmath>

#include "hybrid/host_device.hpp"

namespace eigen_g {

// Both have an error of about one ulp. x and the result must be normal numbers. Other x give no error, and the result is undefined.
EIGEN_G_HOST_DEVICE inline double inverse_of(double x) {
#ifdef __CUDA_ARCH__
  double y;  // relative error below 2^-20
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y, 1.0);
  return fma(y, fma(e, e, e), y);
#else
  return 1 / x;
#endif
}
EIGEN_G_HOST_DEVICE inline double inverse_root(double x) {
#ifdef __CUDA_ARCH__
  double y;  // relative error below 2^-20
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y * y, 1.0);
  return fma(y * e, fma(e, 0.375, 0.5), y);
#else
  return 1 / std::sqrt(x);
#endif
}

}  // namespace eigen_g
