// Fast quotients for the inner loops of the divide and conquer. All operands are far from overflow and underflow: T is scaled to 1.
// After the deflation (dc_deflate.hpp) the distances of poles and the weights times rho are larger than 8 u max |z|; u is the unit
// roundoff. The distance of a root to a pole is larger than about the square of that.
#pragma once

#include "hybrid/host_device.hpp"

namespace eigen_g::dc {

// 1 / x with a relative error below 2^-20.
EIGEN_G_HOST_DEVICE inline double rough_reciprocal(double x) {
#ifdef __CUDA_ARCH__
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
#else
  return 1 / x;
#endif
}

EIGEN_G_HOST_DEVICE inline float rough_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1 / x;
#endif
}

// x / y, correctly rounded in nearly all cases; else the last bit may differ. The device's own division has branches for overflow and
// underflow, and consecutive divisions cannot overlap because of them.
EIGEN_G_HOST_DEVICE inline double quotient(double x, double y) {
#ifdef __CUDA_ARCH__
  const double r = rough_reciprocal(y), e = fma(-y, r, 1.0);
  const double reciprocal = fma(r, fma(e, e, e), r), q = x * reciprocal;
  return fma(reciprocal, fma(-y, q, x), q);
#else
  return x / y;
#endif
}
EIGEN_G_HOST_DEVICE inline float quotient(float x, float y) {
#ifdef __CUDA_ARCH__
  const float r = rough_reciprocal(y), q = x * r;  // r has an error of one unit in the last place
  return fmaf(r, fmaf(-y, q, x), q);
#else
  return x / y;
#endif
}

}  // namespace eigen_g::dc
