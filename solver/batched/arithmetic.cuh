// Constants and small device functions of the batched kernels.
#pragma once

#include "hybrid/device_complex.cuh"
#include "hybrid/warp_sum.cuh"
#include "solver/batched/batch.hpp"

#if defined(__CUDACC__) && CUDART_VERSION < 12040
#define EIGEN_G_REGISTERS(threads, blocks, registers) __launch_bounds__(threads, blocks)
#else
// At most `registers` registers a thread, so that `blocks` blocks of `threads` threads fit on a multiprocessor.
#define EIGEN_G_REGISTERS(threads, blocks, registers) __maxnreg__(registers)
#endif

namespace eigen_g::batched {

template <class R>
struct Limits;
template <>
struct Limits<double> {
  static constexpr double half_eps = 0x1p-53, largest = 1.7976931348623157e308;
  static constexpr double no_phase = 1e-290;      // a smaller |x| counts as zero
  static constexpr double no_reflector = 1e-280;  // a smaller |x|^2 below the subdiagonal counts as zero
  static constexpr double hypotenuse = 1e-280;  // below it a sum of two squares is formed from scaled numbers
  static constexpr double up = 0x1p500, down = 0x1p-500;
  static constexpr int least_exponent = -1022;
};
template <>
struct Limits<float> {
  static constexpr float half_eps = 0x1p-24f, largest = 3.402823466e38f;
  static constexpr float no_phase = 1e-30f;
  static constexpr float no_reflector = 1e-30f;
  static constexpr float hypotenuse = 1e-30f;
  static constexpr float up = 0x1p60f, down = 0x1p-60f;
  static constexpr int least_exponent = -126;
};

inline constexpr unsigned all_lanes = ~0u;

__device__ __forceinline__ double inverse_root(double x) {
  return rsqrt(x);
}
__device__ __forceinline__ float inverse_root(float x) {
  return rsqrtf(x);
}

// 1 / x to one unit in the last place, for a normal x whose reciprocal is normal.
__device__ __forceinline__ double reciprocal(double x) {
#ifdef __CUDACC__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y, 1.0);
  return fma(y, fma(e, e, e), y);
#else
  return 1 / x;
#endif
}
__device__ __forceinline__ float reciprocal(float x) {
#ifdef __CUDACC__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fma(y, fma(-x, y, 1.0f), y);
#else
  return 1 / x;
#endif
}

// The larger of |Re x| and |Im x|.
template <class R>
__device__ __forceinline__ R largest_part(R x) {
  return fabs(x);
}
template <class R>
__device__ __forceinline__ R largest_part(DeviceComplex<R> x) {
  const R re = fabs(x.re), im = fabs(x.im);
  return re > im || re != re ? re : im;  // a NaN of either part remains
}

// yes ? a : b, without a pointer to the one that is chosen: a and b stay in registers.
template <class R>
__device__ __forceinline__ R select(bool yes, R a, R b) {
  return yes ? a : b;
}
template <class R>
__device__ __forceinline__ DeviceComplex<R> select(bool yes, DeviceComplex<R> a, DeviceComplex<R> b) {
  return {yes ? a.re : b.re, yes ? a.im : b.im};
}

// x without an imaginary part.
template <class R>
__device__ __forceinline__ R diagonal_entry(R x) {
  return x;
}
template <class R>
__device__ __forceinline__ DeviceComplex<R> diagonal_entry(DeviceComplex<R> x) {
  return {x.re, 0};
}

// x y + sum for a real x.
template <class R>
__device__ __forceinline__ R add_scaled(R x, R y, R sum) {
  return fma(x, y, sum);
}
template <class R>
__device__ __forceinline__ DeviceComplex<R> add_scaled(R x, DeviceComplex<R> y, DeviceComplex<R> sum) {
  return {::fma(x, y.re, sum.re), ::fma(x, y.im, sum.im)};
}

// NaN in each part.
template <class T>
__device__ __forceinline__ T not_a_number() {
  using R = real_t<T>;
  if constexpr (is_complex<T>)
    return {R(NAN), R(NAN)};
  else
    return R(NAN);
}

// A Hermitian matrix of which one triangle is stored.
template <class T>
struct Triangle {
  const T* data;
  std::int32_t low_step, high_step;  // entry (i, j) or (j, i) with i <= j is at i low_step + j high_step
  bool upper;
  __device__ Triangle(const T* a, std::int32_t lda, bool upper)
      : data(a), low_step(upper ? 1 : lda), high_step(upper ? lda : 1), upper(upper) {}
  __device__ __forceinline__ T operator()(int r, int c) const {
    const T entry = data[static_cast<std::int64_t>(min(r, c)) * low_step +
                         static_cast<std::int64_t>(max(r, c)) * high_step];
    if (r == c) return diagonal_entry(entry);
    return (r > c) != upper ? entry : conj_of(entry);
  }
};

// k with 2^k <= largest < 2^(k + 1), at least the exponent of the smallest normal number; 0 for largest = 0.
template <class R>
__device__ __forceinline__ int scale_exponent(R largest) {
  if (!(largest > 0)) return 0;
  const int k = ilogb(largest);
  return k < Limits<R>::least_exponent ? Limits<R>::least_exponent : k;
}

// The largest value of a warp, in every lane; infinity if any is infinite. No value is NaN.
template <class R>
__device__ __forceinline__ R warp_max(R x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    const R other = __shfl_xor_sync(all_lanes, x, mask);
    x = other > x ? other : x;
  }
  return x;
}

// Sums x[0..COUNT-1] over the lanes whose numbers differ in the STEPS bits offset, offset / 2, .... A step leaves each lane half of the
// values, if their number is even. Returns the index in x of the first value that the lane keeps; it keeps
// kept_values(COUNT, STEPS) of them, in x[0], x[1], .... Lanes that keep the same value have the same bits.
EIGEN_G_HOST_DEVICE constexpr int kept_values(int count, int steps) {
  return steps == 0 ? count : kept_values(count % 2 == 0 ? count / 2 : count, steps - 1);
}
template <int COUNT, int STEPS, class T>
__device__ __forceinline__ int sum_over_lanes(T* x, int offset, int lane) {
  if constexpr (STEPS == 0) {
    return 0;
  } else if constexpr (COUNT % 2 == 0) {
    const bool high = lane & offset;
#pragma unroll
    for (int q = 0; q < COUNT / 2; ++q) {
      const T sent = select(high, x[q], x[q + COUNT / 2]), kept = select(high, x[q + COUNT / 2], x[q]);
      x[q] = kept + __shfl_xor_sync(all_lanes, sent, offset);
    }
    return (high ? COUNT / 2 : 0) + sum_over_lanes<COUNT / 2, STEPS - 1>(x, offset / 2, lane);
  } else {
#pragma unroll
    for (int q = 0; q < COUNT; ++q) x[q] = x[q] + __shfl_xor_sync(all_lanes, x[q], offset);
    return sum_over_lanes<COUNT, STEPS - 1>(x, offset / 2, lane);
  }
}

// The reflector that takes x to a multiple of the first unit vector: H = I - tau v v^H, H x = beta e_1, where v is x except for its first
// entry. T's subdiagonal entry is e = beta, or |beta| for a complex x; then phase = beta / |beta|.
template <class T>
struct Reflector {
  T v0;              // first entry of v
  real_t<T> tau, e;  // tau = 0: H = I
  T phase;
};
//   alpha   first entry of x
//   tail    sum of |x_i|^2 over the other entries
template <class R>
__device__ __forceinline__ Reflector<R> make_reflector(R alpha, R tail) {
  if (!(tail > Limits<R>::no_reflector)) return {alpha, 0, alpha, 1};
  const R squares = fma(alpha, alpha, tail), norm = sqrt(squares), beta = alpha > 0 ? -norm : norm;
  const R v0 = alpha - beta;
  return {v0, R(2) / fma(v0, v0, tail), beta, 1};
}
template <class R>
__device__ __forceinline__ Reflector<DeviceComplex<R>> make_reflector(DeviceComplex<R> alpha, R tail) {
  R size = hypot(alpha.re, alpha.im);
  if (!(size > Limits<R>::no_phase)) size = 0;
  const DeviceComplex<R> unit =
      size > 0 ? DeviceComplex<R>(alpha.re / size, alpha.im / size) : DeviceComplex<R>(1);
  if (!(tail > Limits<R>::no_reflector)) return {alpha, 0, size, unit};
  const R squares = fma(size, size, tail), norm = sqrt(squares);
  const DeviceComplex<R> v0 = alpha + norm * unit;
  return {v0, R(2) / add_real_product(v0, v0, tail), norm, -unit};
}

// Number of the eigenvalue w[i] in ascending order; equal values keep their order.
template <class R>
__device__ __forceinline__ int rank_of(const R* w, int n, int i) {
  const R mine = w[i];
  int before = 0;
  for (int j = 0; j < n; ++j) before += w[j] < mine || (w[j] == mine && j < i);
  return before;
}

// Reports the status of a matrix. One thread calls it.
template <class T>
__device__ __forceinline__ void report_status(const Chunk<T>& chunk, std::int64_t id, int info) {
  if (chunk.status) chunk.status[id] = info;
  if (info != 0 && chunk.failures) {
    atomicAdd(chunk.failures, 1ull);
    atomicMin(chunk.failures + 1, static_cast<unsigned long long>(id));
  }
}

}  // namespace eigen_g::batched
