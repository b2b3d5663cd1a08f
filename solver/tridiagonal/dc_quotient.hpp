// Quotients of the divide and conquer's inner loops. Operands stay far from the ends of the range: T is scaled to 1;
// poles, their distances and weights times rho are above 8 eps max |z| after deflation (dc_deflate.hpp), the distances of a
// root to its poles above about the square of that.
#pragma once

#include "hybrid/host_device.hpp"

namespace eigen_g::dc {

// 1 / x to 20 bits or more.
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

// x / y, correctly rounded but for rare last bits. The device's own division branches on the ends of the range, which keeps
// it from overlapping with the next one.
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
  const float r = rough_reciprocal(y), q = x * r;  // r is right to a unit in the last place
  return fmaf(r, fmaf(-y, q, x), q);
#else
  return x / y;
#endif
}

}  // namespace eigen_g::dc
