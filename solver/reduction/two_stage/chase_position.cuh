// A position of the bulge chase (band_to_tridiagonal.cu): D, F, and the work of a sweep on them, by one thread block. Also the head.
#pragma once

#include <cmath>
#include <cstdint>

#include "hybrid/device_complex.cuh"
#include "hybrid/stream/mail_complex.cuh"
#include "hybrid/warp_sum.cuh"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g::chase {

inline constexpr unsigned all_lanes = ~0u;

// The shape of a thread block that works on a band of width b.
template <int b>
struct Shape {
  static constexpr int columns = 8;  // columns of D and F that a warp has
  static constexpr int warps = b / columns, threads = 32 * warps;
  static constexpr int rows = (b + 31) / 32;          // rows that a lane has: lane, lane + 32, ...
  static constexpr int mail = b + 8;                  // packets of a mailbox: b values and one more
  static constexpr bool diagonal_in_shared = b > 96;  // D is in shared memory instead of registers
  static constexpr int entries = rows * columns;      // entries of D, and of F, that a thread has
  // Elements of a position's D and F in device memory.
  static constexpr std::int64_t state = 2ll * entries * threads;
  static constexpr std::size_t shared_bytes = diagonal_in_shared ? sizeof(double) * entries * threads : 0;
};

// Parameters of a launch, which processes sweeps first ... last - 1; later sweeps are in further launches. T is the device's type.
template <class T>
struct Chase {
  const T* band;
  std::int64_t lda;
  std::int64_t n;
  std::int64_t first, last;
  int positions, per_block;  // both include the head
  real_t<T>* d;
  real_t<T>* e;
  ChaseTiles tiles;
  ChaseReflectors<T> out;
  std::int64_t first_tile;  // first tile of the group of sweep `first`
  // Two mailboxes for each position: v and tau from position k - 1; column and beta from k + 1.
  Packet<T>* mail;
  T* state;
};

template <class T, int b>
struct alignas(16) Shared {
  static constexpr int warps = Shape<b>::warps;
  T y[warps][b], u[warps][b];  // partial sums of y = D v and u = F v, by warp
  T v[b];                      // of H_k
  T total_u[b], w[b];          // u and w
  T next_v[b];                 // of H_{k+1}
  T row[b];                    // F's first row on its way to D
  T column[b];                 // D's first column
  T next_tau;                  // of H_{k+1}
};

// A thread's part of D and F: rows lane + 32 r, columns 8 warp + q.
template <class T, int b>
struct Registers {
  T diagonal[Shape<b>::diagonal_in_shared ? 1 : Shape<b>::rows][Shape<b>::columns];
  T below[Shape<b>::rows][Shape<b>::columns];
};

// Selects by value. With ?: on two array elements the compiler would select between their addresses and keep the array in local memory.
template <class T>
__device__ __forceinline__ T choose(bool condition, T yes, T no) {
  return condition ? yes : no;
}

template <class T>
__device__ __forceinline__ void store_streaming(T* to, T x) {
  __stcs(to, x);
}
template <class R>
__device__ __forceinline__ void store_streaming(DeviceComplex<R>* to, DeviceComplex<R> x) {
  __stcs(reinterpret_cast<pair_t<R>*>(to), pair_t<R>{x.re, x.im});
}
template <class T>
__device__ __forceinline__ void store_to_l2(T* to, T x) {
  __stcg(to, x);
}
template <class R>
__device__ __forceinline__ void store_to_l2(DeviceComplex<R>* to, DeviceComplex<R> x) {
  __stcg(reinterpret_cast<pair_t<R>*>(to), pair_t<R>{x.re, x.im});
}

// A(i, j); `stored` is the corresponding element of the lower triangle.
template <class R>
__device__ __forceinline__ R of_triangle(R stored, int, int) {
  return stored;
}
template <class R>
__device__ __forceinline__ DeviceComplex<R> of_triangle(DeviceComplex<R> stored, int i, int j) {
  return {stored.re, i < j ? -stored.im : i > j ? stored.im : 0};
}

// x[place / 32] of lane place % 32, in all lanes.
template <class T, int rows>
__device__ __forceinline__ T at_place(const T (&x)[rows], int place) {
  T own = x[0];
#pragma unroll
  for (int r = 1; r < rows; ++r) own = choose(place / 32 == r, x[r], own);
  return __shfl_sync(all_lanes, own, place % 32);
}

// inverse_root(x) = 1 / sqrt(x), inverse_of(x) = 1 / x, with an error of one or two ulp. x must not be subnormal or near overflow.
// Latency: a third of the latency of functions that accept every x.
__device__ __forceinline__ float inverse_root(float x) {
  float y;
#ifdef __CUDA_ARCH__
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
#else  // under emulation
  y = 1 / sqrt(x);
#endif
  return fmaf(y / 2, fmaf(-x * y, y, 1.0f), y);
}
__device__ __forceinline__ float inverse_of(float x) {
  float y;
#ifdef __CUDA_ARCH__
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
#else
  y = 1 / x;
#endif
  return fmaf(y, fmaf(-x, y, 1.0f), y);
}
__device__ __forceinline__ double inverse_root(double x) {
  double y;
#ifdef __CUDA_ARCH__
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
#else
  y = 1 / sqrt(x);
#endif
#pragma unroll
  for (int k = 0; k < 2; ++k) y = fma(y / 2, fma(-x * y, y, 1.0), y);
  return y;
}
__device__ __forceinline__ double inverse_of(double x) {
  double y;
#ifdef __CUDA_ARCH__
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
#else
  y = 1 / x;
#endif
#pragma unroll
  for (int k = 0; k < 2; ++k) y = fma(y, fma(-x, y, 1.0), y);
  return y;
}

// tau and scale = 1 / (alpha - beta), for beta = -sign(alpha) norm and inverse = 1 / norm.
template <class R>
__device__ __forceinline__ void reflector_scalars(R alpha, R beta, R inverse, R& tau, R& scale) {
  tau = fma(fabs(alpha), inverse, R{1});
  scale = inverse_of(alpha - beta);
}
template <class R>
__device__ __forceinline__ void reflector_scalars(DeviceComplex<R> alpha, R beta, R inverse,
                                                  DeviceComplex<R>& tau, DeviceComplex<R>& scale) {
  tau = {::fma(fabs(alpha.re), inverse, R{1}), alpha.im * copysign(inverse, alpha.re)};
  const DeviceComplex<R> pivot = alpha - DeviceComplex<R>(beta);
  scale = inverse_of(real_product(pivot, pivot)) * conj_of(pivot);
}
// `square` plus the square of the imaginary part of alpha. If the result is negligible, H = I: the column is (alpha, 0, ...), alpha real.
template <class R>
__device__ __forceinline__ R with_imaginary_part(R square, R) {
  return square;
}
template <class R>
__device__ __forceinline__ R with_imaginary_part(R square, DeviceComplex<R> alpha) {
  return ::fma(alpha.im, alpha.im, square);
}

// The reflector with H^H x = beta e_first, beta real. A whole warp calls it. Overwrites x with v.
template <class T, int rows>
__device__ __forceinline__ void reflect(T (&x)[rows], int first, int lane, T& tau, real_t<T>& beta) {
  using R = real_t<T>;
  R square = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (lane + 32 * r != first) square = add_real_product(x[r], x[r], square);
  const T alpha = at_place(x, first);
  square = warp_sum(square);
  T scale = 0;
  beta = real_of(alpha);
  tau = 0;
  if (with_imaginary_part(square, alpha) >= negligible_square<R>) {
    const R total = add_real_product(alpha, alpha, square), inverse = inverse_root(total);
    const R half = total * inverse / 2,
            norm = ::fma(::fma(-2 * half, 2 * half, total), inverse / 2, 2 * half);
    beta = -copysign(norm, real_of(alpha));
    reflector_scalars(alpha, beta, inverse, tau, scale);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) x[r] = choose(lane + 32 * r == first, T{1}, x[r] * scale);
}

#ifndef CHASE_LOOKS
#define CHASE_LOOKS 1
#endif
#ifndef CHASE_PAUSE
#define CHASE_PAUSE 300
#endif
// Looks at the mail again and again until it is complete in all lanes of the warp. A look takes several hundred cycles, so `looks` of them are on
// their way at staggered times.
template <int looks, class Mail>
__device__ __forceinline__ Mail poll(const Mail& unread) {
  Mail mail[looks];
#pragma unroll
  for (int i = 0; i < looks; ++i) {
#ifdef __CUDA_ARCH__
    if (i > 0)
      for (const unsigned begin = clock(); clock() - begin < CHASE_PAUSE;) {
      }
#endif
    mail[i] = unread;
    mail[i].look_at();
  }
  for (;;)
#pragma unroll
    for (int i = 0; i < looks; ++i) {
      if (!__any_sync(all_lanes, mail[i].incomplete())) return mail[i];
      mail[i].look_at();
    }
}

// A message of b values and one more. tag: 1 + the sweep in which it is sent.
template <class T, int b>
struct Letter {
  static constexpr int rows = Shape<b>::rows;
  const Packet<T>* from;
  unsigned tag;
  int lane;
  Packet<T> packets[rows], last;

  __device__ __forceinline__ void look_at() {
#pragma unroll
    for (int r = 0; r < rows; ++r)
      packets[r] = look(from + (b % 32 == 0 || lane + 32 * r < b ? lane + 32 * r : b));
    last = look(from + b);
  }
  __device__ __forceinline__ bool incomplete() const {
    bool missing = !arrived(last, tag);
#pragma unroll
    for (int r = 0; r < rows; ++r) missing = missing || !arrived(packets[r], tag);
    return missing;
  }
  __device__ __forceinline__ T entry(int r) const {
    return b % 32 == 0 || lane + 32 * r < b ? value(packets[r]) : T{0};
  }
};
// The part of v that belongs to the columns of a warp: lane q has entry q. The other lanes have tau.
template <class T, int b>
struct OwnPart {
  const Packet<T>* from;
  unsigned tag;
  Packet<T> packet;

  __device__ __forceinline__ OwnPart(const Packet<T>* mail, unsigned tag, int warp, int lane)
      : from(mail + (lane < Shape<b>::columns ? warp * Shape<b>::columns + lane : b)), tag(tag) {}
  OwnPart() = default;
  __device__ __forceinline__ void look_at() { packet = look(from); }
  __device__ __forceinline__ bool incomplete() const { return !arrived(packet, tag); }
};
// Both messages of a sweep together. One after the other would take one more memory latency.
template <class T, int b>
struct BothMessages {
  OwnPart<T, b> own;
  Letter<T, b> column;

  __device__ __forceinline__ void look_at() {
    own.look_at();
    column.look_at();
  }
  __device__ __forceinline__ bool incomplete() const { return own.incomplete() || column.incomplete(); }
};

// Sums 8 values over the lanes of a warp. Lane l returns the sum of value l / 4.
template <class T>
__device__ __forceinline__ T eight_sums(T (&z)[8], int lane) {
  int mask = 16;
#pragma unroll
  for (int half = 4; half > 0; half /= 2, mask /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const bool upper = lane & mask;
      const T kept = choose(upper, z[i + half], z[i]), given = choose(upper, z[i], z[i + half]);
      z[i] = kept + __shfl_xor_sync(all_lanes, given, mask);
    }
  z[0] += __shfl_xor_sync(all_lanes, z[0], 2);
  return z[0] + __shfl_xor_sync(all_lanes, z[0], 1);
}

template <class T, int b>
class Position {
  using S = Shape<b>;
  static constexpr int rows = S::rows, columns = S::columns, warps = S::warps;

 public:
  __device__ __forceinline__ Position(const Chase<T>& given, Shared<T, b>& shared_memory,
                                      T* diagonal_in_shared)
      : c(given), shared(shared_memory), diagonals(diagonal_in_shared + threadIdx.x) {}

  // Loads D and F for sweep 0 from the band.
  __device__ __forceinline__ void load_band(std::int64_t k) {
    const std::int64_t row = 1 + k * b;
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const int j = (warp * columns + q + b - 1) % b;  // index of the slot's column in D
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int place = lane + 32 * r, i = (place + b - 1) % b;
        const bool exists = place < b;
        const std::int64_t lower = row + max(i, j), upper = row + min(i, j), under = row + b + i;
        diagonal(r, q) =
            exists && lower < c.n ? of_triangle(c.band[lower - upper + upper * c.lda], i, j) : T{0};
        state.below[r][q] = exists && i <= j && under < c.n ? c.band[b + i - j + (row + j) * c.lda] : T{0};
      }
    }
  }
  __device__ __forceinline__ void load(std::int64_t k) {
    const T* from = c.state + k * S::state + threadIdx.x;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        diagonal(r, q) = __ldcg(from + (r * columns + q) * S::threads);
        state.below[r][q] = __ldcg(from + (S::entries + r * columns + q) * S::threads);
      }
  }
  __device__ __forceinline__ void store(std::int64_t k) {
    T* to = c.state + k * S::state + threadIdx.x;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        store_to_l2(to + (r * columns + q) * S::threads, diagonal(r, q));
        store_to_l2(to + (S::entries + r * columns + q) * S::threads, state.below[r][q]);
      }
  }

  // Sweep s at position k. first_place = (s + 1) mod b; tile: the group's first tile; j: index of the sweep in its group.
  //
  // What a message waits for is the chain of the chase: a warp receives the part of v for its own columns only, one warp sums u and computes
  // the next reflector, and another one sums y and computes w. What remains is done while the messages are on their way.
  __device__ __forceinline__ void work(std::int64_t k, std::int64_t s, int first_place, std::int64_t tile,
                                       int j) {
    const unsigned tag = static_cast<unsigned>(s) + 1;
    const std::int64_t row = s + 1 + k * b;
    Packet<T>* const mail = c.mail + (k + 1) * 2 * S::mail;
    const bool more = row + b < c.n;  // position k + 1 takes part in this sweep
    const int old = first_place == 0 ? b - 1 : first_place - 1;
    if (s > 0) move_row(old);
    __syncthreads();
    if (s > 0) move_column(old);
    const int first_warp = first_place / columns;
    T first_of_below[rows];
    if (warp == first_warp) pick_first(first_place, first_of_below);
    const T tau = receive_and_multiply(mail, tag, old, s > 0, row + b - 1 < c.n);
    __syncthreads();

    if (warp == first_warp) next_reflector(tau, first_place, first_of_below, more, mail, tag);
    if (warp == (first_warp + warps / 2) % warps) send_column(tau, first_place, mail - S::mail, tag);
    if (c.out.v && warp == (first_warp + 1) % warps && row < c.n - !is_complex<T>)
      keep(tau, first_place, c.out.sweep(c.tiles, s) + k * b, c.n - row, tile + k, j);
    __syncthreads();
    update_diagonal();
    update_below(tau);
  }

 private:
  __device__ __forceinline__ T& diagonal(int r, int q) {
    if constexpr (S::diagonal_in_shared)
      return diagonals[(r * columns + q) * S::threads];
    else
      return state.diagonal[r][q];
  }
  // The entries of an array in shared memory at the lane's rows, and at the warp's columns.
  __device__ __forceinline__ void at_rows(const T (&x)[b], T (&own)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) own[r] = b % 32 == 0 || lane + 32 * r < b ? x[lane + 32 * r] : T{0};
  }
  __device__ __forceinline__ void at_columns(const T (&x)[b], T (&own)[columns]) const {
#pragma unroll
    for (int q = 0; q < columns; ++q) own[q] = x[warp * columns + q];
  }
  __device__ __forceinline__ void set_rows(T (&x)[b], const T (&own)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (b % 32 == 0 || lane + 32 * r < b) x[lane + 32 * r] = own[r];
  }
  __device__ __forceinline__ void sum(const T (&parts)[warps][b], T (&total)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = b % 32 == 0 ? lane + 32 * r : min(lane + 32 * r, b - 1);
      T part[2] = {};
#pragma unroll
      for (int w = 0; w < warps; ++w) part[w % 2] += parts[w][place];
      total[r] = b % 32 == 0 || lane + 32 * r < b ? part[0] + part[1] : T{0};
    }
  }

  // Moves the position from sweep s - 1 to sweep s: slot `old`, the first until now, becomes the last. F's row in this slot goes to D, as a row
  // and then as a column; the column's own entry, and F's column, come from position k + 1.
  __device__ __forceinline__ void move_row(int old) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const bool moves = lane + 32 * r == old;
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        const T below = state.below[r][q];
        if (moves) shared.row[warp * columns + q] = below;
        diagonal(r, q) = choose(moves, below, diagonal(r, q));
        state.below[r][q] = choose(moves, T{0}, below);
      }
    }
  }
  __device__ __forceinline__ void move_column(int old) {
    if (warp != old / columns) return;
    T above[rows];
    at_rows(shared.row, above);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const T in_diagonal = choose(lane + 32 * r == old, T{0}, conj_of(above[r]));
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        diagonal(r, q) = choose(q == old % columns, in_diagonal, diagonal(r, q));
        state.below[r][q] = choose(q == old % columns, T{0}, state.below[r][q]);
      }
    }
  }
  // Copies the first column of D to shared memory, and that of F to `below`.
  __device__ __forceinline__ void pick_first(int first_place, T (&below)[rows]) {
    T in_diagonal[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      in_diagonal[r] = diagonal(r, 0);
      below[r] = state.below[r][0];
#pragma unroll
      for (int q = 1; q < columns; ++q) {
        in_diagonal[r] = choose(q == first_place % columns, diagonal(r, q), in_diagonal[r]);
        below[r] = choose(q == first_place % columns, state.below[r][q], below[r]);
      }
    }
    set_rows(shared.column, in_diagonal);
  }

  // Receives v and tau, and leaves each warp's partial sums of y = D v and u = F v in shared memory. The warp with slot `old` also receives its
  // column of F, with the last entry of D. Returns tau.
  __device__ __forceinline__ T receive_and_multiply(const Packet<T>* mail, unsigned tag, int old, bool moved,
                                                    bool from_next) {
    const OwnPart<T, b> unread(mail, tag, warp, lane);
    const bool receives_column = moved && from_next && warp == old / columns;
    T own, in_diagonal[rows] = {}, in_below[rows] = {};
    if (receives_column) {
      const BothMessages<T, b> both = poll<CHASE_LOOKS>(
          BothMessages<T, b>{unread, {mail + S::mail, tag - 1, lane, {}, {}}});
      own = value(both.own.packet);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const bool last = lane + 32 * r == old;
        in_diagonal[r] = choose(last, both.column.entry(r), T{0});
        in_below[r] = choose(last, value(both.column.last), both.column.entry(r));
      }
    } else {
      own = value(poll<CHASE_LOOKS>(unread).packet);
    }
    T y[rows] = {}, u[rows] = {};
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T v_q = __shfl_sync(all_lanes, own, q);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        u[r] = fma(state.below[r][q], v_q, u[r]);
        y[r] = fma(diagonal(r, q), v_q, y[r]);
      }
    }
    if (receives_column) {
      const T v_old = __shfl_sync(all_lanes, own, old % columns);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        u[r] = fma(in_below[r], v_old, u[r]);
        y[r] = fma(in_diagonal[r], v_old, y[r]);
      }
    }
    set_rows(shared.u[warp], u);
    set_rows(shared.y[warp], y);
    if (lane < columns) shared.v[warp * columns + lane] = own;
    if (receives_column)
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int q = 0; q < columns; ++q)
          if (q == old % columns) {
            diagonal(r, q) = diagonal(r, q) + in_diagonal[r];
            state.below[r][q] = in_below[r];
          }
    return __shfl_sync(all_lanes, own, columns);
  }

  // Computes H_{k+1}, with v(first) = 1, and sends it to position k + 1. Only the warp with F's first column calls this.
  __device__ __forceinline__ void next_reflector(T tau, int first_place, const T (&first_of_below)[rows],
                                                 bool more, Packet<T>* mail, unsigned tag) {
    T u[rows], x[rows], next_tau;
    real_t<T> beta;
    sum(shared.u, u);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      x[r] = b % 32 == 0 || lane + 32 * r < b ? fma(-tau, u[r], first_of_below[r]) : T{0};
    reflect(x, first_place, lane, next_tau, beta);
    Packet<T>* const next = mail + 2 * S::mail;
    if (more)
#pragma unroll
      for (int r = 0; r < rows; ++r)
        if (b % 32 == 0 || lane + 32 * r < b) publish(next + lane + 32 * r, x[r], tag);
    if (lane == 0) {
      if (more) publish(next + b, next_tau, tag);
      publish(mail - S::mail + b, T{beta}, tag);
      shared.next_tau = next_tau;
    }
    set_rows(shared.next_v, x);
    set_rows(shared.total_u, u);
  }

  // w = tau y - (|tau|^2 / 2)(v^H y) v. Sends D's first column, after its update, to position k - 1. One warp calls this.
  __device__ __forceinline__ void send_column(T tau, int first_place, Packet<T>* mail, unsigned tag) {
    T v[rows], w[rows], column[rows];
    sum(shared.y, w);
    at_rows(shared.v, v);
    at_rows(shared.column, column);
    const T first_of_y = at_place(w, first_place);
    real_t<T> product = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) product = add_real_product(v[r], w[r], product);
    const real_t<T> half = real_product(tau, tau) / 2 * warp_sum(product);
    const T w_first = conj_of(fma(tau, first_of_y, T{-half}));  // v is 1 there
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      w[r] = fma(tau, w[r], -half * v[r]);
      if (b % 32 == 0 || lane + 32 * r < b)
        publish(mail + lane + 32 * r, fma(-v[r], w_first, column[r] - w[r]), tag);
    }
    set_rows(shared.w, w);
  }

  __device__ __forceinline__ void keep(T tau, int first_place, T* to, std::int64_t count, std::int64_t tile,
                                       int j) const {
    T v[rows];
    at_rows(shared.v, v);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r,
                entry = place >= first_place ? place - first_place : place - first_place + b;
      if ((b % 32 == 0 || place < b) && entry < count) store_streaming(to + entry, v[r]);
    }
    if (lane == 0) store_streaming(c.out.tau + tile * c.tiles.width + j, tau);
  }

  __device__ __forceinline__ void update_diagonal() {
    T v[rows], w[rows], columns_v[columns], columns_w[columns];
    at_rows(shared.v, v);
    at_rows(shared.w, w);
    at_columns(shared.v, columns_v);
    at_columns(shared.w, columns_w);
#pragma unroll
    for (int q = 0; q < columns; ++q)
#pragma unroll
      for (int r = 0; r < rows; ++r)
        diagonal(r, q) = fma(-w[r], conj_of(columns_v[q]), fma(-v[r], conj_of(columns_w[q]), diagonal(r, q)));
  }

  __device__ __forceinline__ void update_below(T tau) {
    T u[rows], next_v[rows], columns_v[columns], z[columns];
    at_rows(shared.total_u, u);
    at_rows(shared.next_v, next_v);
    at_columns(shared.v, columns_v);
    const T next_tau = shared.next_tau;
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T factor = -tau * conj_of(columns_v[q]);
      z[q] = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        state.below[r][q] = fma(factor, u[r], state.below[r][q]);
        z[q] = fma(conj_of(next_v[r]), state.below[r][q], z[q]);
      }
    }
    const T own = -conj_of(next_tau) * eight_sums(z, lane);
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T z_q = __shfl_sync(all_lanes, own, 4 * q);
#pragma unroll
      for (int r = 0; r < rows; ++r) state.below[r][q] = fma(next_v[r], z_q, state.below[r][q]);
    }
  }

  const Chase<T>& c;
  Shared<T, b>& shared;
  T* diagonals;
  Registers<T, b> state;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
};

// The head at sweep s: writes d_s and e_s, and sends the sweep's first reflector to position 0. One warp calls it.
template <class T, int b>
__device__ void head(const Chase<T>& c, std::int64_t s, int first_place) {
  constexpr int rows = Shape<b>::rows;
  const int lane = threadIdx.x % 32, old = first_place == 0 ? b - 1 : first_place - 1;
  T x[rows], last, tau;
  real_t<T> beta;
  if (s == 0) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r;
      x[r] = place < b && place < c.n ? c.band[place] : T{0};
    }
    last = b < c.n ? c.band[b] : T{0};
  } else {
    const auto column =
        poll<CHASE_LOOKS>(Letter<T, b>{c.mail + Shape<b>::mail, static_cast<unsigned>(s), lane, {}, {}});
#pragma unroll
    for (int r = 0; r < rows; ++r) x[r] = column.entry(r);
    last = value(column.last);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (lane + 32 * r == old) {
      c.d[s] = real_of(x[r]);
      x[r] = last;
    }
  if (s == c.n - 1) return;
  reflect(x, first_place, lane, tau, beta);
  Packet<T>* const mail = c.mail + 2 * Shape<b>::mail;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (b % 32 == 0 || lane + 32 * r < b) publish(mail + lane + 32 * r, x[r], static_cast<unsigned>(s) + 1);
  if (lane == 0) {
    publish(mail + b, tau, static_cast<unsigned>(s) + 1);
    c.e[s] = beta;
  }
}

// Passes sweeps c.first ... c.last - 1 through the block's positions. several: a block has more than one position; it loads D and F of a
// position from device memory before each sweep and stores them after it.
template <class T, int b, bool several>
__device__ __forceinline__ void pass_sweeps(const Chase<T>& c, Shared<T, b>& shared, T* diagonal_in_shared) {
  Position<T, b> position(c, shared, diagonal_in_shared);
  const int begin = static_cast<int>(blockIdx.x) * c.per_block - 1;  // position -1 is the head
  const int end = min(begin + c.per_block, c.positions - 1);
  std::int64_t tile = c.first_tile, group = c.first / c.tiles.width;
  int first_place = static_cast<int>((c.first + 1) % b), j = static_cast<int>(c.first % c.tiles.width);
  if (!several && begin >= 0) {
    if (c.first == 0)
      position.load_band(begin);
    else
      position.load(begin);
  }
  for (std::int64_t s = c.first; s < c.last; ++s) {
    if (j == c.tiles.width) {
      j = 0;
      ++group;
      if (group < c.tiles.groups()) tile -= c.tiles.steps(group);
    }
    for (int k = begin; k < end; ++k) {
      if (k < 0) {
        if (threadIdx.x < 32) head<T, b>(c, s, first_place);
        continue;
      }
      if (s + 1 + static_cast<std::int64_t>(k) * b >= c.n) continue;
      if constexpr (several) {
        if (s == 0)
          position.load_band(k);
        else
          position.load(k);
      }
      position.work(k, s, first_place, tile, j);
      if constexpr (several) position.store(k);
    }
    first_place = first_place + 1 == b ? 0 : first_place + 1;
    ++j;
  }
  if (!several && begin >= 0 && c.last < c.n) position.store(begin);
}

}  // namespace eigen_g::chase
