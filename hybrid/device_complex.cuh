// DeviceComplex<R>: std::complex<R> for device code. Both have the same two numbers; a DeviceComplex is loaded and stored as
// one word. Device memory of std::complex<R> that is read as DeviceComplex<R> must therefore be aligned to 2 sizeof(R) bytes.
#pragma once

#include <complex>

#include "hybrid/pair.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/stream/dynamic_shared.cuh"

namespace eigen_g {

template <class R>
struct alignas(2 * sizeof(R)) DeviceComplex {
  R re, im;

  DeviceComplex() = default;
  __host__ __device__ constexpr DeviceComplex(R re, R im = 0) : re(re), im(im) {}

  __device__ DeviceComplex& operator+=(DeviceComplex x) { return *this = *this + x; }
  __device__ DeviceComplex& operator-=(DeviceComplex x) { return *this = *this - x; }
  friend __device__ DeviceComplex operator+(DeviceComplex x, DeviceComplex y) {
    return {x.re + y.re, x.im + y.im};
  }
  friend __device__ DeviceComplex operator-(DeviceComplex x, DeviceComplex y) {
    return {x.re - y.re, x.im - y.im};
  }
  friend __device__ DeviceComplex operator-(DeviceComplex x) { return {-x.re, -x.im}; }
  friend __device__ DeviceComplex operator*(DeviceComplex x, DeviceComplex y) {
    return {::fma(-x.im, y.im, x.re * y.re), ::fma(x.im, y.re, x.re * y.im)};
  }
  friend __device__ DeviceComplex operator*(R x, DeviceComplex y) { return {x * y.re, x * y.im}; }
  friend __device__ DeviceComplex fma(DeviceComplex x, DeviceComplex y, DeviceComplex sum) {
    return {::fma(-x.im, y.im, ::fma(x.re, y.re, sum.re)), ::fma(x.im, y.re, ::fma(x.re, y.im, sum.im))};
  }
  friend __device__ DeviceComplex scalbn(DeviceComplex x, int k) {
    return {::scalbn(x.re, k), ::scalbn(x.im, k)};
  }
  friend __device__ DeviceComplex __ldcg(const DeviceComplex* from) {
    const auto pair = ::__ldcg(reinterpret_cast<const pair_t<R>*>(from));
    return {pair.x, pair.y};
  }
  friend __device__ DeviceComplex __shfl_sync(unsigned mask, DeviceComplex x, int lane) {
    return {::__shfl_sync(mask, x.re, lane), ::__shfl_sync(mask, x.im, lane)};
  }
  friend __device__ DeviceComplex __shfl_xor_sync(unsigned mask, DeviceComplex x, int lanes) {
    return {::__shfl_xor_sync(mask, x.re, lanes), ::__shfl_xor_sync(mask, x.im, lanes)};
  }
};

template <class R>
struct ScalarOf<DeviceComplex<R>> {
  using Real = R;
  static constexpr bool is_complex = true;
};

template <class R>
struct DynamicShared<DeviceComplex<R>> {
  static __device__ DeviceComplex<R>* memory() {
    return reinterpret_cast<DeviceComplex<R>*>(DynamicShared<pair_t<R>>::memory());
  }
};

// device_t<T> is the type in device code of a T in host code. A launcher with T starts a kernel with device_t<T>.
template <class T>
struct DeviceTypeOf {
  using type = T;
};
template <class R>
struct DeviceTypeOf<std::complex<R>> {
  using type = DeviceComplex<R>;
};
template <class T>
using device_t = typename DeviceTypeOf<T>::type;

template <class T>
device_t<T>* on_device(T* p) {
  return reinterpret_cast<device_t<T>*>(p);
}
template <class T>
const device_t<T>* on_device(const T* p) {
  return reinterpret_cast<const device_t<T>*>(p);
}

// conj(x) and Re(x). A real x is returned unchanged.
template <class R>
__device__ R conj_of(R x) {
  return x;
}
template <class R>
__device__ DeviceComplex<R> conj_of(DeviceComplex<R> x) {
  return {x.re, -x.im};
}
template <class R>
__device__ R real_of(R x) {
  return x;
}
template <class R>
__device__ R real_of(DeviceComplex<R> x) {
  return x.re;
}
// Re(conj(x) y), and twice that
template <class R>
__device__ R real_product(R x, R y) {
  return x * y;
}
template <class R>
__device__ R real_product(DeviceComplex<R> x, DeviceComplex<R> y) {
  return fma(x.re, y.re, x.im * y.im);
}
template <class R>
__device__ R twice_real_product(R x, R y) {
  return 2 * x * y;
}
template <class R>
__device__ R twice_real_product(DeviceComplex<R> x, DeviceComplex<R> y) {
  return 2 * real_product(x, y);
}
// Re(conj(x) y) + sum
template <class R>
__device__ R add_real_product(R x, R y, R sum) {
  return fma(x, y, sum);
}
template <class R>
__device__ R add_real_product(DeviceComplex<R> x, DeviceComplex<R> y, R sum) {
  return fma(x.re, y.re, fma(x.im, y.im, sum));
}

}  // namespace eigen_g
