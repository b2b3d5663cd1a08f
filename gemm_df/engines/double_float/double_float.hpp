// Double-float arithmetic: a double as the sum of two floats, and sums of products of such pairs in float operations only. The
// operations consist of error-free transformations. Device code names the rounding of every operation, so that the compiler
// neither contracts nor reorders it. This header must not be compiled with fast-math.
//
//   split:         x = hi + lo (1 + d), hi = fl(x), lo = fl(x - hi), |x - hi - lo| <= u^2 |x|,    u = 2^-24
//   two_sum:       s + e = a + b exactly, s = fl(a + b)                        Knuth; 6 operations
//   fast_two_sum:  as two_sum if a is a multiple of ulp(b), as for |a| >= |b|  Dekker; 3 operations
//
// There are two sums of products, with 13.5 and 10 operations for each term. gemm_df/README.md derives their error bounds. The
// terms come in blocks of `block_length`, and a block is divided into runs of `run_length` terms.
//
//   TwoSumOfProducts       any number of terms
//   AnchoredSumOfProducts  at most sum_terms terms; a bound of the sum must be known
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g::df {

inline constexpr int block_length = 16;

// Largest number of terms of a sum in float; such sums are added in double.
inline constexpr int sum_blocks = 16, sum_terms = sum_blocks * block_length;

// Smallest number of terms for which products use the anchored sum. Its bound is then within k 2^-45 |a|_2 |b|_2.
inline constexpr std::int64_t anchored_terms = 32;
// A product whose result does not fill the GPU is divided along its terms, into parts of at least this number of terms.
inline constexpr std::int64_t part_terms = 128;

// The error of an anchored sum with k terms is at most 2^-45 (of_terms X + of_norms M). X is the sum of |a b|, and M is |a|_2
// |b|_2. of_norms is a worst case, reached if a line is much shorter than others of its panel.
struct AnchoredBound {
  double of_terms, of_norms;
};
constexpr AnchoredBound anchored_bound(std::int64_t k) {
  const std::int64_t blocks = (k + block_length - 1) / block_length;
  return {16 + 0.875 * static_cast<double>(blocks < sum_blocks ? blocks : sum_blocks),
          static_cast<double>(k) / 6};
}
static_assert(anchored_bound(anchored_terms).of_terms + anchored_bound(anchored_terms).of_norms <=
              anchored_terms);

struct DoubleFloat {
  float hi = 0;
  float lo = 0;
};

namespace exact {

#ifdef __CUDA_ARCH__
__device__ inline float add(float a, float b) {
  return __fadd_rn(a, b);
}
__device__ inline float sub(float a, float b) {
  return __fsub_rn(a, b);
}
__device__ inline float mul(float a, float b) {
  return __fmul_rn(a, b);
}
__device__ inline float fma(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
#else
inline float add(float a, float b) {
  return a + b;
}
inline float sub(float a, float b) {
  return a - b;
}
inline float mul(float a, float b) {
  return a * b;
}
inline float fma(float a, float b, float c) {
  return std::fma(a, b, c);
}
#endif

}  // namespace exact

EIGEN_G_HOST_DEVICE inline DoubleFloat split(double x) {
  const float hi = static_cast<float>(x);
  return {hi, static_cast<float>(x - static_cast<double>(hi))};
}

EIGEN_G_HOST_DEVICE inline DoubleFloat two_sum(float a, float b) {
  const float s = exact::add(a, b);
  const float t = exact::sub(s, a);
  return {s, exact::add(exact::sub(a, exact::sub(s, t)), exact::sub(b, t))};
}

EIGEN_G_HOST_DEVICE inline DoubleFloat fast_two_sum(float a, float b) {
  const float s = exact::add(a, b);
  return {s, exact::sub(b, exact::sub(s, a))};
}

// hi collects the leading parts of the products by two-sums, and lo everything else.
struct TwoSumOfProducts {
  static constexpr int run_length = 4;
  struct Anchors {};
  float hi = 0, lo = 0;

  static EIGEN_G_HOST_DEVICE Anchors anchors(float) { return {}; }
  EIGEN_G_HOST_DEVICE void begin(Anchors) {}
  EIGEN_G_HOST_DEVICE void add(Anchors, DoubleFloat a, DoubleFloat b, bool /*starts_run*/) {
    const float p = exact::mul(a.hi, b.hi);
    float e = exact::fma(a.hi, b.hi, -p);
    e = exact::fma(a.hi, b.lo, e);
    e = exact::fma(a.lo, b.hi, e);
    const DoubleFloat s = two_sum(hi, p);
    hi = s.hi;
    lo = exact::add(lo, exact::add(s.lo, e));
  }
  // Renormalises the sum.
  EIGEN_G_HOST_DEVICE void end_run() {
    const DoubleFloat s = two_sum(hi, lo);  // after cancellation |hi| may be less than |lo|
    hi = s.hi;
    lo = s.lo;
  }
  EIGEN_G_HOST_DEVICE void end_block() {}
  EIGEN_G_HOST_DEVICE DoubleFloat sum(Anchors) const { return {hi, lo}; }
};

// Three sums: `anchored` and `rest` have no rounding errors, and `errors` collects the remainders. `anchored` starts from the
// anchor A = 1.5 2^q. A is so large that every partial sum keeps its exponent; so `anchored` is always a multiple of g =
// ulp(A). The terms of `rest` are multiples of omega / 2; the sum of sum_terms of them fits into a float.
//
//   p = fl(fl(a b + W) - W)    a b to 24 bits; or, with W = 1.5 2^23 omega, to omega if omega is coarser
//   s = fl(anchored + p),    t = s - anchored exactly,    p - t exactly: at most g / 2, a multiple of omega / 2
//
// a b - p and the cross terms are added to `errors`, first within a run and a block. Extraction by an anchor is from Rump,
// Ogita and Oishi's AccSum (SIAM J. Sci. Comput. 31 (2008)).
struct AnchoredSumOfProducts {
  static constexpr int run_length = 4;
  struct Anchors {
    float sum, products;
  };
  float anchored, rest = 0, run_errors = 0, block_errors = 0, errors = 0;

  // reach > 4 |a_hi|_2 |b_hi|_2 for the whole sum. By Cauchy-Schwarz no partial sum is larger than a quarter of it. A is 1.5
  // times the power of two that is the leading bit of `reach`, and omega = sum_terms 2^-24 g.
  static EIGEN_G_HOST_DEVICE Anchors anchors(float reach) {
    const float sum = std::bit_cast<float>((std::bit_cast<std::uint32_t>(reach) & 0x7f800000u) | 0x00400000u);
    return {sum, exact::mul(sum, sum_terms * 0x1p-24f)};
  }
  EIGEN_G_HOST_DEVICE void begin(Anchors anchor) { anchored = anchor.sum; }
  EIGEN_G_HOST_DEVICE void add(Anchors anchor, DoubleFloat a, DoubleFloat b, bool starts_run) {
    const float p = exact::sub(exact::fma(a.hi, b.hi, anchor.products), anchor.products);
    const float s = exact::add(anchored, p);
    const float t = exact::sub(s, anchored);
    anchored = s;
    rest = exact::add(rest, exact::sub(p, t));
    float e = exact::fma(a.hi, b.hi, -p);
    e = exact::fma(a.hi, b.lo, e);
    e = exact::fma(a.lo, b.hi, e);
    run_errors = starts_run ? e : exact::add(run_errors, e);
  }
  EIGEN_G_HOST_DEVICE void end_run() { block_errors = exact::add(block_errors, run_errors); }
  EIGEN_G_HOST_DEVICE void end_block() {
    errors = exact::add(errors, block_errors);
    block_errors = 0;
  }
  EIGEN_G_HOST_DEVICE DoubleFloat sum(Anchors anchor) const {
    const DoubleFloat leading = fast_two_sum(exact::sub(anchored, anchor.sum), rest);
    return {leading.hi, exact::add(leading.lo, errors)};
  }
};

// Float operations for each multiply-add of a product with k terms: the ones of add(), end_run() and end_block().
constexpr double operations_per_term(std::int64_t k) {
  return k < anchored_terms ? 12 + 6.0 / TwoSumOfProducts::run_length : 10 + 1.0 / block_length;
}

// The reach of a set of lines over some terms is 2 |h|_2. The vector h has the leading parts hi of the longest line, and
// `squares` is |h|_2^2. The argument of anchors() is the sum over the blocks of terms of the product of both operands' reaches.
// The factor 1 + 2^-10 covers all roundings here and in the sums. smallest_reach is smaller than anything that matters next to
// entries of 2^45.
inline constexpr float smallest_reach = 0x1p-40f;
EIGEN_G_HOST_DEVICE inline float reach_of(float squares) {
  return exact::fma(sqrtf(squares), 2 * (1 + 0x1p-10f), smallest_reach);
}

}  // namespace eigen_g::df
