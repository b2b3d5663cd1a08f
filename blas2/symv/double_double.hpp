// DoubleDouble: arithmetic with numbers that are the unevaluated sum hi + lo of two doubles, |lo| <= ulp(hi) / 2. They have
// about 106 bits. The operations consist of error-free transformations:
//
//   two_sum:  s + e = a + b exactly,   s = fl(a + b)      Knuth; 6 operations
//   two_prod: p + e = a * b exactly,   p = fl(a * b)      by a fused multiply-add; if e does not underflow
//
// Device code names the rounding of every operation, so that the compiler neither contracts nor reorders it. This header must
// not be compiled with fast-math. Relative errors in units of u^2 = 2^-106: + at most 3, * at most 5.
// Source: Joldes, Muller, Popescu, ACM TOMS 44 (2017), "Tight and rigorous error bounds for basic building blocks of
// double-word arithmetic".
#pragma once

#include <cmath>

#include "hybrid/host_device.hpp"

namespace eigen_g::blas2 {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;
  constexpr DoubleDouble() = default;
  EIGEN_G_HOST_DEVICE constexpr DoubleDouble(double value) : hi(value), lo(0) {}
  EIGEN_G_HOST_DEVICE constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}
  friend EIGEN_G_HOST_DEVICE constexpr bool operator==(const DoubleDouble& a, const DoubleDouble& b) {
    return a.hi == b.hi && a.lo == b.lo;
  }
};

namespace exact {

#ifdef __CUDA_ARCH__
__device__ inline double add(double a, double b) {
  return __dadd_rn(a, b);
}
__device__ inline double sub(double a, double b) {
  return __dsub_rn(a, b);
}
__device__ inline double mul(double a, double b) {
  return __dmul_rn(a, b);
}
__device__ inline double fma(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
#else
inline double add(double a, double b) {
  return a + b;
}
inline double sub(double a, double b) {
  return a - b;
}
inline double mul(double a, double b) {
  return a * b;
}
inline double fma(double a, double b, double c) {
  return std::fma(a, b, c);
}
#endif

}  // namespace exact

EIGEN_G_HOST_DEVICE inline DoubleDouble two_sum(double a, double b) {
  const double s = exact::add(a, b);
  const double t = exact::sub(s, a);
  return {s, exact::add(exact::sub(a, exact::sub(s, t)), exact::sub(b, t))};
}

// Needs |a| >= |b| or a = 0.
EIGEN_G_HOST_DEVICE inline DoubleDouble fast_two_sum(double a, double b) {
  const double s = exact::add(a, b);
  return {s, exact::sub(b, exact::sub(s, a))};
}

EIGEN_G_HOST_DEVICE inline DoubleDouble two_prod(double a, double b) {
  const double p = exact::mul(a, b);
  return {p, exact::fma(a, b, -p)};
}

EIGEN_G_HOST_DEVICE inline DoubleDouble operator-(const DoubleDouble& a) {
  return {-a.hi, -a.lo};
}

EIGEN_G_HOST_DEVICE inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  const DoubleDouble v = fast_two_sum(s.hi, exact::add(s.lo, t.hi));
  return fast_two_sum(v.hi, exact::add(t.lo, v.lo));
}

EIGEN_G_HOST_DEVICE inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
  return a + (-b);
}

EIGEN_G_HOST_DEVICE inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = two_prod(a.hi, b.hi);
  const double cross = exact::fma(a.lo, b.hi, exact::fma(a.hi, b.lo, exact::mul(a.lo, b.lo)));
  return fast_two_sum(p.hi, exact::add(p.lo, cross));
}

// A running sum hi + lo. lo collects the errors of hi and is not renormalised after each step, which halves the cost of a
// multiply-add. After k steps the error is at most about (k + 4) u^2 times the sum of absolute values.
// Source: the compensated dot product of Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005).
struct DoubleDoubleSum {
  double hi = 0;
  double lo = 0;
};

EIGEN_G_HOST_DEVICE inline DoubleDoubleSum product(const DoubleDouble& a, const DoubleDouble& b) {
  const double p = exact::mul(a.hi, b.hi);
  const double e = exact::fma(a.hi, b.hi, -p);
  return {p, exact::fma(a.lo, b.hi, exact::fma(a.hi, b.lo, e))};
}

EIGEN_G_HOST_DEVICE inline void add_to(DoubleDoubleSum& sum, const DoubleDoubleSum& term) {
  const DoubleDouble s = two_sum(sum.hi, term.hi);
  sum = {s.hi, exact::add(sum.lo, exact::add(s.lo, term.lo))};
}

// sum += a b in 10 operations, fewer than product() and add_to() need. One fused multiply-add gives the rounding error of the
// product and one half of the error of two_sum: (p - t) + (a.hi b.hi - p) = a.hi b.hi - t.
EIGEN_G_HOST_DEVICE inline void add_product(DoubleDoubleSum& sum, const DoubleDouble& a,
                                            const DoubleDouble& b) {
  const double p = exact::mul(a.hi, b.hi);
  const double s = exact::add(sum.hi, p);
  const double t = exact::sub(s, sum.hi);
  const double of_sum = exact::sub(sum.hi, exact::sub(s, t));  // sum.hi + p = s + of_sum + (p - t), exactly
  const double of_product = exact::fma(a.lo, b.hi, exact::fma(a.hi, b.lo, exact::fma(a.hi, b.hi, -t)));
  sum = {s, exact::add(sum.lo, exact::add(of_sum, of_product))};
}

EIGEN_G_HOST_DEVICE inline DoubleDouble rounded(const DoubleDoubleSum& sum) {
  const DoubleDouble s = two_sum(sum.hi, sum.lo);
  return {s.hi, s.lo};
}

}  // namespace eigen_g::blas2
