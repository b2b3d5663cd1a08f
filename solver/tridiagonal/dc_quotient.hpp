// Quotients of the divide and conquer's inner loops, where nothing comes near the ends of the range: T is scaled to 1, and what
// deflation leaves, poles and their distances, weights times rho, is above 8 eps max |z| (dc_deflate.hpp), the distance from
// a root to its poles above about the square of that.
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

// x / y as IEEE has it but for rare last bits. A device's own looks for the ends of the range first, and in that branch
// it cannot work on the next one meanwhile.
EIGEN_G_HOST_DEVICE inline double quotient(double x, double y) {
#ifdef __CUDA_ARCH__
  const double r = rough_reciprocal(y), e = fma(-y, r, 1.0);
  const double reciprocal = fma(r, fma(e, e, e), r), q = x * reciprocal;
  return fma(reciprocal, fma(-y, q, x), q);
#else
  return x / y;
#endif
}

}  // namespace eigen_g::dc
