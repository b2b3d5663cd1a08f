// Householder tridiagonalization of a small matrix that stays in the registers of one cluster of thread blocks. One launch reduces all columns.
//
// A step is as in tridiagonalize_on_chip.cu: k is the column, q = k + 1, and x is the part of column k below the diagonal.
//
//   each warp          h_i = (A x)_i and r_i = A(i, q) for its own rows i >= q; sends both to all blocks
//   each warp          y = A v = s (h - beta r);   v^H y;   w = tau y - half v
//                      x' = r - v conj(w_q) - w    the next column
//                      A := A - v w^H - w v^H      its own rows, and h' = A x' in the same pass
//
// Each warp computes all of v, y, w and x' itself, by the same operations in the same order. So a step has no barrier, neither of a block nor of the
// cluster. It waits once, for the messages (hybrid/stream/cluster_mail.cuh).
//
// A lane has the columns lane + 32 u, u = 0, 1, ...; a warp has the rows together r + its number, r = 0, 1, ..., where `together` is the number of warps
// of the cluster. A matrix of a smaller order is at the end of these rows and columns: i is the index in the registers, and
// i - shift the index in A. Phase f has the steps with q in 32 f ... 32 f + 31. Its code leaves out the columns u < f and the rows that are finished.
//
// Two sets of places for messages alternate, each with its own gate. No message overwrites one that is still to be read: a warp sends in step k + 2 after it
// has received all of step k + 1, and the other warps send in step k + 1 after they have read step k. A warp leaves in the step of its last row before it
// waits, because no warp waits for it after that.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "hybrid/device_complex.cuh"
#include "hybrid/fast_inverse.hpp"
#include "hybrid/multiply_8x8x4.cuh"
#include "hybrid/stream/cluster.cuh"
#include "hybrid/stream/cluster_mail.cuh"
#include "hybrid/warp_sum.cuh"
#include "solver/reduction/one_stage/reflector_scalars.cuh"

namespace eigen_g::in_cluster {

// T: the device's type. A matrix has up to 32 * groups rows.
template <class T_, int groups_, int blocks_, int warps_>
struct Shape {
  using T = T_;
  static constexpr int groups = groups_, blocks = blocks_, warps = warps_, threads = 32 * warps;
  static constexpr int order = 32 * groups, together = blocks * warps, rows = order / together;
  static_assert(order % together == 0);
};

template <class T>
struct Problem {
  T* a;
  std::int64_t lda;
  int n;  // at least 1
  real_t<T>*d, *e;
  T* tau;
  real_t<T> default_negligible;
  const real_t<T>* negligible;  // null: the default
  bool clears;                  // zeros in rows 0 ... j of each column j
};

template <class T>
struct alignas(2 * sizeof(T) < 16 ? 2 * sizeof(T) : 16) Message {
  T h, r;
};

template <class S>
struct Shared {
  Message<typename S::T> mail[2][S::order];
  MailGate gates[2];
};

// A warp's place, and what a thread keeps from step to step.
template <class S>
struct Thread {
  using T = typename S::T;
  int lane, row;  // row: of slot 0
  int shift;
  bool last;     // the warp has the matrix's last row
  bool expects;  // the warp whose rows are the block's last ones
  T x[S::groups], v[S::groups], w[S::groups];
  T x_row[S::rows], v_row[S::rows], w_row[S::rows];
  T a[S::rows][S::groups];
};

constexpr int power_of_two_from(int count) {
  int power = 1;
  while (power < count) power *= 2;
  return power;
}

// The constants of a phase: the first row of a warp that is not finished, the number of these rows, the lanes that send a row, and the messages of
// each of these lanes.
template <class S, int phase_>
struct Phase {
  static constexpr int phase = phase_, first = 32 * phase / S::together, live = S::rows - first;
  static constexpr int sums = power_of_two_from(live), lanes = 32 / sums,
                       sends = (S::blocks + lanes - 1) / lanes;
};

template <class T>
struct Reflector {
  real_t<T> beta;
  T s, tau;
};

// The reflector of alpha and ||tail||^2, without a branch. The arithmetic is in double for each type.
template <class R>
__device__ __forceinline__ Reflector<R> reflect(R alpha, R tail, R negligible) {
  const double a = alpha, square = fma(a, a, static_cast<double>(tail)), inverse = inverse_root(square);
  const double first = square * inverse, norm = fma(fma(-first, first, square), 0.5 * inverse, first);
  const double beta = -copysign(norm, a), difference = a - beta;
  const bool any = tail >= negligible;
  return {any ? static_cast<R>(beta) : alpha, any ? static_cast<R>(inverse_of(difference)) : R(0),
          any ? static_cast<R>(fabs(difference) * inverse) : R(0)};
}
template <class R>
__device__ __forceinline__ Reflector<DeviceComplex<R>> reflect(DeviceComplex<R> alpha, R tail, R negligible) {
  const double re = alpha.re, im = alpha.im, others = fma(im, im, static_cast<double>(tail));
  const double square = fma(re, re, others), inverse = inverse_root(square);
  const double first = square * inverse, norm = fma(fma(-first, first, square), 0.5 * inverse, first);
  const double beta = -copysign(norm, re), difference = re - beta,
               factor = inverse_of(fma(difference, difference, im * im)), of_beta = -copysign(inverse, re);
  const bool any = static_cast<R>(others) >= negligible;
  return {any ? static_cast<R>(beta) : alpha.re,
          {any ? static_cast<R>(difference * factor) : R(0), any ? static_cast<R>(-im * factor) : R(0)},
          {any ? static_cast<R>(-difference * of_beta) : R(0), any ? static_cast<R>(-im * of_beta) : R(0)}};
}

// yes ? x : y without a branch. The compiler would move the shuffle of a chosen float into both branches.
__device__ __forceinline__ float choose(bool yes, float x, float y) {
#ifdef __CUDA_ARCH__
  float chosen;
  asm("{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.u32 p, %3, 0;\n\t"
      "selp.f32 %0, %1, %2, p;\n\t"
      "}"
      : "=f"(chosen)
      : "f"(x), "f"(y), "r"(static_cast<unsigned>(yes)));
  return chosen;
#else
  return yes ? x : y;
#endif
}
__device__ __forceinline__ double choose(bool yes, double x, double y) {
  return yes ? x : y;
}
template <class R>
__device__ __forceinline__ DeviceComplex<R> choose(bool yes, DeviceComplex<R> x, DeviceComplex<R> y) {
  return {choose(yes, x.re, y.re), choose(yes, x.im, y.im)};
}

// The scales of a step. y is A v for complex T, and A v / s for real T, which saves a product for each row.
//   of_y, of_w   times h - beta r is y; times y is tau A v
//   of_half      times the real part of v^H y is half
template <class R>
struct Scales {
  R of_w, of_half;
  __device__ Scales(R s, R tau) : of_w(tau * s), of_half(R(0.5) * tau * tau * s) {}
  __device__ R of_y(R x) const { return x; }
};
template <class R>
struct Scales<DeviceComplex<R>> {
  DeviceComplex<R> s, of_w;
  R of_half;
  __device__ Scales(DeviceComplex<R> s, DeviceComplex<R> tau)
      : s(s), of_w(tau), of_half(R(0.5) * real_product(tau, tau)) {}
  __device__ DeviceComplex<R> of_y(DeviceComplex<R> x) const { return s * x; }
};

// The sum over four neighbouring lanes, and over a warp. Doubles are summed by the tensor cores, whose product takes as long as a shuffle and an
// addition.
__device__ __forceinline__ float sum_of_four(float x) {
  x = x + __shfl_xor_sync(~0u, x, 2);
  return x + __shfl_xor_sync(~0u, x, 1);
}
__device__ __forceinline__ double sum_of_four(double x) {
  double2 sum{0, 0};
  multiply_8x8x4(sum, x, 1);
  return sum.x;
}
template <class R>
__device__ __forceinline__ DeviceComplex<R> sum_of_four(DeviceComplex<R> x) {
  return {sum_of_four(x.re), sum_of_four(x.im)};
}
__device__ __forceinline__ float sum_of_warp(float x) {
  return warp_sum(x);
}
__device__ __forceinline__ double sum_of_warp(double x) {
  double2 pair{0, 0};
  multiply_8x8x4(
      pair, 0.25,
      sum_of_four(
          x));  // lane l: four times a quarter of the sums of the lanes 8 (l mod 4) ... + 3 and + 4 ... + 7
  return sum_of_four(pair.x + pair.y);
}

// The sums over a warp of `count` values, a power of two up to eight. In the end x[0] of lane l is the sum of value l / (32 / count).
template <class T, int count>
__device__ __forceinline__ void sums_of_warp(T (&x)[count], int lane) {
  static_assert(count <= 8);
  int mask = 16;
#pragma unroll
  for (int half = count / 2; half > 0; half /= 2, mask /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const bool upper = lane & mask;
      const T kept = choose(upper, x[i + half], x[i]), given = choose(upper, x[i], x[i + half]);
      x[i] = kept + __shfl_xor_sync(~0u, given, mask);
    }
#pragma unroll
  for (; mask > 2; mask /= 2) x[0] = x[0] + __shfl_xor_sync(~0u, x[0], mask);
  x[0] = sum_of_four(x[0]);
}

// Loads the warp's rows and x = A(:, 0). Elements outside of the rows and columns that a step reduces are zeros.
template <class S>
__device__ __forceinline__ void load(const Problem<typename S::T>& p, Thread<S>& t) {
  using T = typename S::T;
  const auto element = [&](int i, int j) {
    const int row = max(i - t.shift, 0), column = max(j - t.shift, 0);
    const T entry = reduction::of_lower(p.a[max(row, column) + min(row, column) * p.lda], row, column);
    return i > t.shift && j >= t.shift ? entry : T(0);
  };
#pragma unroll
  for (int r = 0; r < S::rows; ++r) {
    const int i = t.row + S::together * r;
#pragma unroll
    for (int u = 0; u < S::groups; ++u) {
      const int j = t.lane + 32 * u;
      t.a[r][u] = j > t.shift ? element(i, j) : T(0);
    }
    t.x_row[r] = element(i, t.shift);
    t.v_row[r] = t.w_row[r] = T(0);
  }
#pragma unroll
  for (int u = 0; u < S::groups; ++u) {
    t.x[u] = element(t.lane + 32 * u, t.shift);
    t.v[u] = t.w[u] = T(0);
  }
}

// Stores v of the step before q into its column. `phase` is that of q.
template <int phase, class S>
__device__ __forceinline__ void store_v(const Problem<typename S::T>& p, const Thread<S>& t, int q) {
  using T = typename S::T;
  T* const column = p.a + (q - 2 - t.shift) * p.lda;
#pragma unroll
  for (int u = 0; u < S::groups; ++u) {
    const int j = t.lane + 32 * u;
    if (j >= t.shift && (p.clears || j >= q - 1))
      column[j - t.shift] = u >= phase ? t.v[u] : j == q - 1 ? T(1) : T(0);
  }
}

// Reduces column k = q - 1. to: the places of the blocks to which the lane sends. Returns false if the warp has nothing more to do.
template <class P, class S>
__device__ __forceinline__ bool reduce_column(const Problem<typename S::T>& p, Thread<S>& t,
                                              Shared<S>& shared, const MailPlace (&to)[P::sends],
                                              real_t<typename S::T> negligible, int q) {
  using T = typename S::T;
  using R = real_t<T>;
  constexpr int phase = P::phase, first = P::first, lanes = P::lanes;
  const int lane = t.lane, from = q % 32, step = q - t.shift - 1, set = step % 2;

  R square = 0;
#pragma unroll
  for (int u = phase; u < S::groups; ++u)
    if (u > phase || lane > from) square = add_real_product(t.x[u], t.x[u], square);
  square = sum_of_warp(square);
  const T alpha = __shfl_sync(~0u, t.x[phase], from);

  T sums[P::sums];
#pragma unroll
  for (T& sum : sums) sum = T(0);
#pragma unroll
  for (int u = phase; u < S::groups; ++u)
#pragma unroll
    for (int r = first; r < S::rows; ++r) {
      t.a[r][u] = fma(-t.v_row[r], conj_of(t.w[u]), fma(-t.w_row[r], conj_of(t.v[u]), t.a[r][u]));
      sums[r - first] = fma(t.a[r][u], t.x[u], sums[r - first]);
    }
  Message<T> message{T(0), T(0)};
#pragma unroll
  for (int r = first; r < S::rows; ++r) {
    const T entry = __shfl_sync(~0u, t.a[r][phase], from);
    if (lane / lanes == r - first) message.r = entry;
  }
  sums_of_warp(sums, lane);
  message.h = sums[0];
  const int row = t.row + S::together * (first + lane / lanes);
  if (row >= q && lane / lanes < P::live)
#pragma unroll
    for (int b = 0; b < P::sends; ++b)
      if (lane % lanes + lanes * b < S::blocks)
        send_mail(to[b], static_cast<int>(sizeof message) * (set * S::order + row), message,
                  static_cast<int>(offsetof(Shared<S>, gates)) + static_cast<int>(sizeof(MailGate)) * set);

  if (step > 0 && q % S::together == t.row) store_v<phase>(p, t, q);
  const Reflector<T> reflector = reflect(alpha, square, negligible);
  const T s = reflector.s, tau = reflector.tau;
  const Scales<T> scales(s, tau);
  const T w_scale_of_phase = lane >= from ? scales.of_w : T(0);
#pragma unroll
  for (int u = phase; u < S::groups; ++u) t.v[u] = s * t.x[u];
  if (lane <= from) t.v[phase] = lane == from ? T(1) : T(0);
#pragma unroll
  for (int r = first; r < S::rows; ++r) t.v_row[r] = s * t.x_row[r];
  if (t.row + S::order - S::together == q && !t.last) return false;

  wait_for_mail(&shared.gates[set], static_cast<unsigned>(step) / 2 % 2);
  if (t.expects && lane == 0 && q + 2 < S::order)
    expect_mail(&shared.gates[set], static_cast<unsigned>(S::order - q - 2) * sizeof message);
  const Message<T>* const mail = shared.mail[set];
  const auto y_of = [&](const Message<T>& m) {
    return scales.of_y(reduction::minus_scaled(m.h, reflector.beta, m.r));
  };
  // With w_q = tau y_q - half, x' = r - tau y + v (2 half - conj(tau y_q)). The messages of finished rows are still there; their w and x are zeros.
  const Message<T> of_q = mail[q];
  const T tau_y_q = scales.of_w * y_of(of_q), minus_conj = -conj_of(tau_y_q);
  T y[S::groups], r_of[S::groups];
  R products[2] = {0, 0};
#pragma unroll
  for (int u = phase; u < S::groups; ++u) {
    const Message<T> m = mail[lane + 32 * u];
    y[u] = y_of(m), r_of[u] = m.r;
    products[u % 2] = add_real_product(t.v[u], y[u], products[u % 2]);
  }
  const R product = sum_of_warp(products[0] + products[1]);
#pragma unroll
  for (int u = phase; u < S::groups; ++u) {
    t.w[u] = (u > phase ? scales.of_w : w_scale_of_phase) * y[u];
    t.x[u] = r_of[u] - t.w[u];
  }
#pragma unroll
  for (int r = first; r < S::rows; ++r) {  // finished rows are computed, too, but not used
    const Message<T> m = mail[t.row + S::together * r];
    t.w_row[r] = scales.of_w * y_of(m);
    t.x_row[r] = m.r - t.w_row[r];
  }
  const R half = scales.of_half * product;
  const T factor = reduction::minus_scaled(minus_conj, -2 * scales.of_half, T(product));
#pragma unroll
  for (int u = phase; u < S::groups; ++u) {
    t.w[u] = reduction::minus_scaled(t.w[u], half, t.v[u]);
    t.x[u] = fma(factor, t.v[u], t.x[u]);
  }
  if (lane <= from) t.x[phase] = T(0);
#pragma unroll
  for (int r = first; r < S::rows; ++r) {
    t.w_row[r] = reduction::minus_scaled(t.w_row[r], half, t.v_row[r]);
    t.x_row[r] = fma(factor, t.v_row[r], t.x_row[r]);
  }
  if (t.last && lane == 0) {
    p.d[step + 1] = real_of(of_q.r) - 2 * (real_of(tau_y_q) - half);
    p.e[step] = reflector.beta;
    p.tau[step] = tau;
  }
  return true;
}

// The steps of a phase from q on. Returns false if the warp has nothing more to do.
template <int phase, class S>
__device__ __forceinline__ bool reduce_columns(const Problem<typename S::T>& p, Thread<S>& t,
                                               Shared<S>& shared, real_t<typename S::T> negligible, int& q) {
  using P = Phase<S, phase>;
  MailPlace to[P::sends];
#pragma unroll
  for (int b = 0; b < P::sends; ++b)
    to[b] = place_in_cluster(&shared, (t.lane % P::lanes + P::lanes * b) % S::blocks);
#pragma unroll 1
  for (; q < 32 * (phase + 1); ++q)
    if (!reduce_column<P>(p, t, shared, to, negligible, q)) return false;
  return true;
}
template <class S, int... phases>
__device__ __forceinline__ bool reduce_all(const Problem<typename S::T>& p, Thread<S>& t, Shared<S>& shared,
                                           real_t<typename S::T> negligible, int& q,
                                           std::integer_sequence<int, phases...>) {
  return (reduce_columns<phases>(p, t, shared, negligible, q) && ...);
}

// The work of all threads of the cluster.
template <class S>
__device__ __forceinline__ void reduce(const Problem<typename S::T>& p, Shared<S>& shared) {
  using T = typename S::T;
  const int warp = threadIdx.x / 32, block = blockIdx.x;
  Thread<S> t;
  t.lane = threadIdx.x % 32;
  t.row = S::warps * block + warp;
  t.shift = S::order - p.n;
  t.last = t.row == S::together - 1;
  t.expects = warp == S::warps - 1;
  int q = t.shift + 1;
  if (threadIdx.x == 0)
    for (int set = 0; set < 2; ++set) {
      open_mail(&shared.gates[set]);
      expect_mail(&shared.gates[set], static_cast<unsigned>(max(S::order - q - set, 0)) * sizeof(Message<T>));
    }
  for (int i = threadIdx.x; i < 2 * S::order; i += S::threads)
    shared.mail[i / S::order][i % S::order] = {T(0), T(0)};
  const bool any = t.row + S::order - S::together >= q;  // the warp has rows below the first one
  if (any) load(p, t);
  if (t.last && t.lane == 0) p.d[0] = real_of(p.a[0]);
  cluster_barrier();  // all of A is loaded, so it may be overwritten
  if (any) {
    const real_t<T> negligible = p.negligible ? *p.negligible : p.default_negligible;
    if (reduce_all(p, t, shared, negligible, q, std::make_integer_sequence<int, S::groups>()))
      store_v<S::groups>(p, t, q);  // the warp of the last row
  }
  if (t.last && p.clears)
    for (int i = t.lane; i < p.n; i += 32) p.a[i + (p.n - 1) * p.lda] = T(0);
  cluster_barrier();  // no block ends while messages come to its shared memory
}

}  // namespace eigen_g::in_cluster
