// Accurate sums for panels with few reflectors; adjoint_product_of_few.hpp explains why they are needed.
#pragma once

#include <cstdint>

#include "blas2/symv/double_double.hpp"
#include "hybrid/device_complex.cuh"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"

namespace eigen_g {

template <class R>
__device__ inline bool is_zero(R x) {
  return x == 0;
}
template <class R>
__device__ inline bool is_zero(DeviceComplex<R> x) {
  return x.re == 0 && x.im == 0;
}

// The columns of a panel that have a reflector: tau != 0. All lanes of a warp must be active.
struct FewReflectors {
  std::int64_t column[few_reflectors] = {};
  int count = 0;  // 0 also if there are more than few_reflectors

  template <class D>
  __device__ FewReflectors(const D* tau, int b) {
    constexpr int warp = 32;
    const int lane = threadIdx.x % warp;
    for (int first = 0; first < b; first += warp) {
      const bool reflects = first + lane < b && !is_zero(tau[first + lane]);
      for (unsigned left = __ballot_sync(~0u, reflects); left != 0; left &= left - 1) {
        if (count == few_reflectors) {
          count = 0;
          return;
        }
#pragma unroll
        for (int k = 0; k < few_reflectors; ++k)
          if (k == count) column[k] = first + __ffs(static_cast<int>(left)) - 1;
        ++count;
      }
    }
  }
};

// A dot product in double-double, for every R including float.
template <class R>
struct AccurateSum {
  blas2::DoubleDoubleSum sum;

  __device__ void add(R x, R y) { blas2::add_product(sum, {x, 0}, {y, 0}); }
  __device__ R value() const { return static_cast<R>(sum.hi + sum.lo); }
};
template <class R>
struct AccurateSum<DeviceComplex<R>> {
  AccurateSum<R> re, im;

  __device__ void add(DeviceComplex<R> x, DeviceComplex<R> y) {
    re.add(x.re, y.re);
    re.add(-x.im, y.im);
    im.add(x.re, y.im);
    im.add(x.im, y.re);
  }
  __device__ DeviceComplex<R> value() const { return {re.value(), im.value()}; }
};

}  // namespace eigen_g
