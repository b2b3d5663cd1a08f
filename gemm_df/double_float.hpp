// Double-float arithmetic: a double as the sum of two floats, and sums of products of such pairs in float
// operations only. Built of error-free transforms; on the device every operation names its rounding, so that the
// compiler neither contracts nor reorders one. Not to be compiled with fast-math.
//
//   split:         x = hi + lo (1 + d), hi = fl(x), lo = fl(x - hi), |x - hi - lo| <= u^2 |x|,    u = 2^-24
//   two_sum:       s + e = a + b exactly, s = fl(a + b)                        Knuth; 6 operations
//   fast_two_sum:  the same if a is a multiple of ulp(b), as for |a| >= |b|    Dekker; 3 operations
//
// Two sums of products, for vectors that come in blocks of `block_length` terms, blocks in runs of `run_length`
// (gemm_df/README.md derives their error bounds):
//
//   TwoSumOfProducts       13.5 operations a term, error relative to the sum of |a b|
//   AnchoredSumOfProducts  10 operations a term, error relative to the blocks' norms |a|_2 |b|_2
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g::df {

inline constexpr int block_length = 16;  // terms between begin_block and end_block

// A sum's blocks, at most; sums of so many are added in double.
inline constexpr std::int64_t blocks_a_sum = 16;

// From so many terms on, a product of matrices takes the anchored sum: its bound is then within k 2^-45 |a|_2 |b|_2.
inline constexpr std::int64_t anchored_terms = 64;

// Bounds of a product's error with k terms, in units of 2^-45: of a two-sum, relative to the sum of |a b|; of an anchored
// sum, relative to |a|_2 |b|_2.
constexpr double two_sum_bound(std::int64_t k) {
  return static_cast<double>(k);
}
constexpr double anchored_bound(std::int64_t k) {
  const std::int64_t blocks = (k + block_length - 1) / block_length;
  return 48 + 0.625 * static_cast<double>(blocks < blocks_a_sum ? blocks : blocks_a_sum);
}
static_assert(anchored_bound(anchored_terms) <= two_sum_bound(anchored_terms));

// A product whose result does not fill the GPU is cut along its terms, no shorter than this.
inline constexpr std::int64_t part_terms = 128;
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

// hi gathers the products' leading parts by two-sums, lo all that is left over.
struct TwoSumOfProducts {
  static constexpr int run_length = 4;
  float hi = 0, lo = 0;

  EIGEN_G_HOST_DEVICE void begin_block(float) {}
  EIGEN_G_HOST_DEVICE void add(DoubleFloat a, DoubleFloat b, bool /*starts_run*/) {
    const float p = exact::mul(a.hi, b.hi);
    float e = exact::fma(a.hi, b.hi, -p);
    e = exact::fma(a.hi, b.lo, e);
    e = exact::fma(a.lo, b.hi, e);
    const DoubleFloat s = two_sum(hi, p);
    hi = s.hi;
    lo = exact::add(lo, exact::add(s.lo, e));
  }
  EIGEN_G_HOST_DEVICE void end_run() {
    const DoubleFloat s = two_sum(hi, lo);  // after cancellation |hi| may be less than |lo|
    hi = s.hi;
    lo = s.lo;
  }
  EIGEN_G_HOST_DEVICE void end_block() {}
};

// Within a block the leading products are added to an anchor, a float so large that every partial sum keeps its
// exponent: then ulp(anchored) = g is fixed, `anchored` only takes multiples of g, and with p = fl(a b)
//
//   s = fl(anchored + p),    t = s - anchored exactly = p rounded to a multiple of g,    p - t exactly,
//
// three operations instead of a two-sum's six. What lies below g goes to `rest`, whose additions are exact but where a
// product is tiny beside the norms; the products' errors with the cross terms are gathered run by run in `errors`.
// The extraction by an anchor is that of Rump, Ogita and Oishi's AccSum (SIAM J. Sci. Comput. 31 (2008)).
struct AnchoredSumOfProducts {
  static constexpr int run_length = 4;
  float anchored = 0, rest = 0, run_errors = 0, errors = 0, hi = 0, lo = 0;

  // 1.5 times the power of two that is the leading bit of r.
  static EIGEN_G_HOST_DEVICE float anchor(float r) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(r) & 0x7f800000u) | 0x00400000u);
  }
  // reach > 4 |a_hi|_2 |b_hi|_2 of the block: no partial sum is larger than a quarter of it (Cauchy-Schwarz).
  EIGEN_G_HOST_DEVICE void begin_block(float reach) {
    anchored = anchor(reach);
    rest = errors = 0;
  }
  EIGEN_G_HOST_DEVICE void add(DoubleFloat a, DoubleFloat b, bool starts_run) {
    const float p = exact::mul(a.hi, b.hi);
    const float s = exact::add(anchored, p);
    const float t = exact::sub(s, anchored);
    anchored = s;
    rest = exact::add(rest, exact::sub(p, t));
    float e = exact::fma(a.hi, b.hi, -p);
    e = exact::fma(a.hi, b.lo, e);
    e = exact::fma(a.lo, b.hi, e);
    run_errors = starts_run ? e : exact::add(run_errors, e);
  }
  EIGEN_G_HOST_DEVICE void end_run() { errors = exact::add(errors, run_errors); }
  EIGEN_G_HOST_DEVICE void end_block() {
    const DoubleFloat block = fast_two_sum(exact::sub(anchored, anchor(anchored)), rest);
    DoubleFloat s = two_sum(hi, block.hi);
    s = fast_two_sum(s.hi, exact::add(lo, exact::add(s.lo, exact::add(block.lo, errors))));
    hi = s.hi;
    lo = s.lo;
  }
};

// Float operations a multiply-add of a product with k terms: of add, end_run, begin_block and end_block.
constexpr double operations_per_term(std::int64_t k) {
  return k < anchored_terms ? 12 + 6.0 / TwoSumOfProducts::run_length : 9 + 17.0 / block_length;
}

// Of a line's leading parts in a block: h(0) ... h(block_length - 1). The product of two reaches is the reach that
// begin_block asks for: each is 2 |h|_2, with 2^-14 for all roundings on the way. No square overflows or vanishes.
template <class Part>
EIGEN_G_HOST_DEVICE float reach_of(Part&& h) {
  float most = 0;
  for (int i = 0; i < block_length; ++i) most = fmaxf(most, fabsf(h(i)));
  const std::uint32_t field = std::bit_cast<std::uint32_t>(most) >> 23;
  const std::uint32_t exponent = field == 0 ? 1 : field;
  const float down = std::bit_cast<float>((254u - exponent) << 23);  // to [1, 2); a NaN or infinity stays one
  float squares = 0;
  for (int i = 0; i < block_length; ++i) {
    const float scaled = exact::mul(h(i), down);
    squares = exact::fma(scaled, scaled, squares);
  }
  const float norm = exact::mul(sqrtf(squares), 2 * (1 + 0x1p-14f));
  const float reach = exact::mul(norm, std::bit_cast<float>(exponent << 23));
  return most > 0 && reach < 0x1p-126f ? 0x1p-126f : reach;  // no subnormal, which would have lost bits
}

}  // namespace eigen_g::df
