// Scalar<T>: the arithmetic of an element type T in the SYMV kernels. It has a type for running sums, multiply-adds and
// shuffles. Device code.
#pragma once

#include <complex>

#include "blas2/symv/double_double.hpp"
#include "blas2/symv/symv.hpp"
#include "hybrid/device_complex.cuh"

namespace eigen_g::blas2 {

// std::complex<R> in device code: the same two numbers, aligned as one of them.
template <class R>
struct Complex {
  R re, im;
};

template <class T>
struct DeviceTypeOf {
  using type = T;
};
template <class R>
struct DeviceTypeOf<std::complex<R>> {
  using type = Complex<R>;
};

template <class T>
inline constexpr SymvType symv_device_type = symv_type_of<T>;
template <>
inline constexpr SymvType symv_device_type<Complex<float>> = SymvType::c;
template <>
inline constexpr SymvType symv_device_type<Complex<double>> = SymvType::z;

// Real types: conjugate_product() and conjugate_multiply_add() do not conjugate.
template <class T>
struct Scalar {
  using Sum = T;
  static __device__ T zero() { return T(0); }
  static __device__ Sum empty() { return Sum(0); }
  static __device__ T times(T a, T b) { return a * b; }
  static __device__ Sum conjugate_product(T a, T x) { return a * x; }
  static __device__ void multiply_add(Sum& s, T a, T x) { s = fma(a, x, s); }
  static __device__ void conjugate_multiply_add(Sum& s, T a, T x) { s = fma(a, x, s); }
  static __device__ Sum add(Sum a, Sum b) { return a + b; }
  static __device__ Sum shuffle(Sum s, int mask) { return __shfl_xor_sync(~0u, s, mask); }
  static __device__ T diagonal(T a) { return a; }
  static __device__ bool is_zero(T a) { return a == T(0); }
  // update: alpha s + beta y. scaled: alpha s.
  static __device__ T update(T alpha, Sum s, T beta, T y) { return fma(alpha, s, beta * y); }
  static __device__ T scaled(T alpha, Sum s) { return alpha * s; }
};

// Complex types. In the column part of a Hermitian product an element is conjugated (conjugate_product, conjugate_multiply_add:
// conj(a) x). The diagonal is real.
template <class T_, class R>
struct HermitianScalar {
  using T = T_;
  using Sum = T_;
  static __device__ T zero() { return {R(0), R(0)}; }
  static __device__ Sum empty() { return zero(); }
  static __device__ T times(T a, T x) {
    return {fma(-a.im, x.im, a.re * x.re), fma(a.im, x.re, a.re * x.im)};
  }
  static __device__ Sum conjugate_product(T a, T x) {
    return {fma(a.im, x.im, a.re * x.re), fma(-a.im, x.re, a.re * x.im)};
  }
  static __device__ void multiply_add(Sum& s, T a, T x) {
    s = {fma(-a.im, x.im, fma(a.re, x.re, s.re)), fma(a.im, x.re, fma(a.re, x.im, s.im))};
  }
  static __device__ void conjugate_multiply_add(Sum& s, T a, T x) {
    s = {fma(a.im, x.im, fma(a.re, x.re, s.re)), fma(-a.im, x.re, fma(a.re, x.im, s.im))};
  }
  static __device__ Sum add(Sum a, Sum b) { return {a.re + b.re, a.im + b.im}; }
  static __device__ Sum shuffle(Sum s, int mask) {
    return {__shfl_xor_sync(~0u, s.re, mask), __shfl_xor_sync(~0u, s.im, mask)};
  }
  static __device__ T diagonal(T a) { return {a.re, R(0)}; }
  static __device__ bool is_zero(T a) { return a.re == R(0) && a.im == R(0); }
  static __device__ T update(T alpha, Sum s, T beta, T y) {
    Sum result = times(beta, y);
    multiply_add(result, alpha, s);
    return result;
  }
  static __device__ T scaled(T alpha, Sum s) { return times(alpha, s); }
};

template <class R>
struct Scalar<Complex<R>> : HermitianScalar<Complex<R>, R> {};
template <class R>
struct Scalar<DeviceComplex<R>> : HermitianScalar<DeviceComplex<R>, R> {};

template <>
struct Scalar<DoubleDouble> {
  using T = DoubleDouble;
  using Sum = DoubleDoubleSum;
  static __device__ T zero() { return {}; }
  static __device__ Sum empty() { return {}; }
  static __device__ T times(const T& a, const T& b) { return a * b; }
  static __device__ Sum conjugate_product(const T& a, const T& x) { return product(a, x); }
  static __device__ void multiply_add(Sum& s, const T& a, const T& x) { add_product(s, a, x); }
  static __device__ void conjugate_multiply_add(Sum& s, const T& a, const T& x) { multiply_add(s, a, x); }
  static __device__ Sum add(Sum a, const Sum& b) {
    add_to(a, b);
    return a;
  }
  static __device__ Sum shuffle(const Sum& s, int mask) {
    return {__shfl_xor_sync(~0u, s.hi, mask), __shfl_xor_sync(~0u, s.lo, mask)};
  }
  static __device__ T diagonal(const T& a) { return a; }
  static __device__ bool is_zero(const T& a) { return a.hi == 0 && a.lo == 0; }
  static __device__ T update(const T& alpha, const Sum& s, const T& beta, const T& y) {
    return alpha * rounded(s) + beta * y;
  }
  static __device__ T scaled(const T& alpha, const Sum& s) { return alpha * rounded(s); }
};

}  // namespace eigen_g::blas2
