// Formulas that several kernels of the one-stage reduction compute. Device code.
#pragma once

#include "hybrid/device_complex.cuh"

namespace eigen_g::reduction {

// |tau|^2 / 2 * v^H y. The product v^H y is real.
template <class R>
__device__ R half_of(R tau, R v_dot_y) {
  return R(0.5) * tau * (tau * v_dot_y);
}
template <class R>
__device__ R half_of(DeviceComplex<R> tau, R v_dot_y) {
  return R(0.5) * (real_product(tau, tau) * v_dot_y);
}

// Element (i, j) of a symmetric or Hermitian matrix; `stored` is the corresponding element of its lower triangle.
template <class R>
__device__ R of_lower(R stored, int, int) {
  return stored;
}
template <class R>
__device__ DeviceComplex<R> of_lower(DeviceComplex<R> stored, int i, int j) {
  return {stored.re, i == j ? 0 : i > j ? stored.im : -stored.im};
}

// h - beta r
template <class R>
__device__ R minus_scaled(R h, R beta, R r) {
  return fma(-beta, r, h);
}
template <class R>
__device__ DeviceComplex<R> minus_scaled(DeviceComplex<R> h, R beta, DeviceComplex<R> r) {
  return {::fma(-beta, r.re, h.re), ::fma(-beta, r.im, h.im)};
}

}  // namespace eigen_g::reduction
