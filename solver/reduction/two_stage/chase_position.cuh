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
struct Shared {
  static constexpr int warps = Shape<b>::warps;
  T y[warps][b], u[warps][b];  // partial sums of y and u, by warp
  T row[b];                    // F's first row on its way to D
  T column[b], next[b];        // the first columns of D and F
  T v[b], tau;                 // v and tau of H_{k+1}
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
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fmaf(y / 2, fmaf(-x * y, y, 1.0f), y);
}
__device__ __forceinline__ float inverse_of(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fmaf(y, fmaf(-x, y, 1.0f), y);
}
__device__ __forceinline__ double inverse_root(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
#pragma unroll
  for (int k = 0; k < 2; ++k) y = fma(y / 2, fma(-x * y, y, 1.0), y);
  return y;
}
__device__ __forceinline__ double inverse_of(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
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

// A message of b values and one more. tag: 1 + the sweep in which it is sent.
template <class T>
struct Message {
  const Packet<T>* mail;
  unsigned tag;
};
template <class T, int b>
struct Letter {
  static constexpr int rows = Shape<b>::rows;
  T x[rows], one_more;
  Packet<T> packets[rows], last;

  __device__ __forceinline__ bool look_for(const Message<T>& message, int lane) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
      packets[r] = look(message.mail + (b % 32 == 0 || lane + 32 * r < b ? lane + 32 * r : b));
    last = look(message.mail + b);
    bool missing = !arrived(last, message.tag);
#pragma unroll
    for (int r = 0; r < rows; ++r) missing = missing || !arrived(packets[r], message.tag);
    return missing;
  }
  __device__ __forceinline__ void open(int lane) {
#pragma unroll
    for (int r = 0; r < rows; ++r) x[r] = b % 32 == 0 || lane + 32 * r < b ? value(packets[r]) : T{0};
    one_more = value(last);
  }
};
template <class T, int b>
__device__ __forceinline__ void receive(const Message<T>& message, int lane, T (&x)[Shape<b>::rows],
                                        T& one_more) {
  Letter<T, b> letter;
  while (__any_sync(all_lanes, letter.look_for(message, lane))) {
  }
  letter.open(lane);
#pragma unroll
  for (int r = 0; r < Shape<b>::rows; ++r) x[r] = letter.x[r];
  one_more = letter.one_more;
}
// Receives two messages by polling for both together. One after the other would take one more memory latency.
template <class T, int b>
__device__ __forceinline__ void receive(const Message<T>& first, const Message<T>& second, int lane,
                                        T (&x)[Shape<b>::rows], T& one_more, T (&y)[Shape<b>::rows],
                                        T& y_more) {
  Letter<T, b> one, two;
  bool missing;
  do {
    missing = one.look_for(first, lane);
    missing = two.look_for(second, lane) || missing;
  } while (__any_sync(all_lanes, missing));
  one.open(lane);
  two.open(lane);
#pragma unroll
  for (int r = 0; r < Shape<b>::rows; ++r) x[r] = one.x[r], y[r] = two.x[r];
  one_more = one.one_more;
  y_more = two.one_more;
}

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
  __device__ __forceinline__ void work(std::int64_t k, std::int64_t s, int first_place, std::int64_t tile,
                                       int j) {
    const unsigned tag = static_cast<unsigned>(s) + 1;
    const std::int64_t row = s + 1 + k * b;
    Packet<T>* const mail = c.mail + (k + 1) * 2 * S::mail;
    const bool more = row + b < c.n;  // position k + 1 takes part in this sweep
    const int old = first_place == 0 ? b - 1 : first_place - 1;
    if (s > 0) move_row(old);
    pick_first(first_place);
    T v[rows], tau;
    receive_column(mail, tag, old, s > 0, row + b - 1 < c.n, v, tau);
    multiply(v);
    __syncthreads();

    T u[rows], y[rows];
    sum(shared.u, u);
    const int first_warp = first_place / columns;
    if (warp == first_warp) next_reflector(u, tau, first_place, more, mail, tag);
    sum(shared.y, y);
    real_t<T> product = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) product = add_real_product(v[r], y[r], product);
    const real_t<T> half = real_product(tau, tau) * warp_sum(product) / 2;
#pragma unroll
    for (int r = 0; r < rows; ++r) y[r] = fma(tau, y[r], -half * v[r]);  // w
    if (warp == (first_warp + warps / 2) % warps) send_column(v, y, first_place, mail - S::mail, tag);
    if (c.out.v && warp == (first_warp + 1) % warps && row < c.n - !is_complex<T>)
      keep(v, tau, first_place, c.out.sweep(c.tiles, s) + k * b, c.n - row, tile + k, j);
    update_diagonal(v, y);
    __syncthreads();
    update_below(v, u, tau);
  }

 private:
  __device__ __forceinline__ T& diagonal(int r, int q) {
    if constexpr (S::diagonal_in_shared)
      return diagonals[(r * columns + q) * S::threads];
    else
      return state.diagonal[r][q];
  }
  // v at column q of the warp.
  __device__ __forceinline__ T of_column(const T (&v)[rows], int q) const {
    T own = v[0];  // the columns of a warp are within one set of 32
#pragma unroll
    for (int r = 1; r < rows; ++r) own = choose(warp * columns / 32 == r, v[r], own);
    return __shfl_sync(all_lanes, own, warp * columns % 32 + q);
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

  // Moves the position from sweep s - 1 to sweep s: slot `old`, the first until now, becomes the last. F's row in this slot goes to D.
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
    __syncthreads();
  }
  // Copies the first columns of D and F to shared memory. The warps that need them after the products read them there.
  __device__ __forceinline__ void pick_first(int first_place) {
    if (warp != first_place / columns) return;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      T in_diagonal = diagonal(r, 0), in_below = state.below[r][0];
#pragma unroll
      for (int q = 1; q < columns; ++q) {
        in_diagonal = choose(q == first_place % columns, diagonal(r, q), in_diagonal);
        in_below = choose(q == first_place % columns, state.below[r][q], in_below);
      }
      if (b % 32 == 0 || lane + 32 * r < b) {
        shared.column[lane + 32 * r] = in_diagonal;
        shared.next[lane + 32 * r] = in_below;
      }
    }
  }
  // Receives v and tau. The warp with slot `old` also receives its column, and writes slot `old` of the columns of D and F.
  __device__ __forceinline__ void receive_column(const Packet<T>* mail, unsigned tag, int old, bool moved,
                                                 bool from_next, T (&v)[rows], T& tau) {
    if (!moved || warp != old / columns) return receive<T, b>({mail, tag}, lane, v, tau);
    T column[rows] = {}, beta = 0;
    if (from_next)
      receive<T, b>({mail, tag}, {mail + S::mail, tag - 1}, lane, v, tau, column, beta);
    else
      receive<T, b>({mail, tag}, lane, v, tau);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r;
      const T above = b % 32 == 0 || place < b ? conj_of(shared.row[place]) : T{0};
      const T in_diagonal = choose(place == old, column[r], above),
              in_below = choose(place == old, beta, column[r]);
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        diagonal(r, q) = choose(q == old % columns, in_diagonal, diagonal(r, q));
        state.below[r][q] = choose(q == old % columns, in_below, state.below[r][q]);
      }
    }
  }

  // Each warp's partial sums of y = D v and u = F v.
  __device__ __forceinline__ void multiply(const T (&v)[rows]) {
    T y[rows] = {}, u[rows] = {};
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T v_q = of_column(v, q);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        y[r] = fma(diagonal(r, q), v_q, y[r]);
        u[r] = fma(state.below[r][q], v_q, u[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (b % 32 == 0 || lane + 32 * r < b) {
        shared.y[warp][lane + 32 * r] = y[r];
        shared.u[warp][lane + 32 * r] = u[r];
      }
  }

  // Computes H_{k+1}, with v(first) = 1, and sends it to position k + 1. Only the warp with F's first column calls this.
  __device__ __forceinline__ void next_reflector(const T (&u)[rows], T tau, int first_place, bool more,
                                                 Packet<T>* mail, unsigned tag) {
    T x[rows], next_tau;
    real_t<T> beta;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      x[r] = b % 32 == 0 || lane + 32 * r < b ? fma(-tau, u[r], shared.next[lane + 32 * r]) : T{0};
    }
    reflect(x, first_place, lane, next_tau, beta);
    Packet<T>* const next = mail + 2 * S::mail;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (b % 32 == 0 || lane + 32 * r < b) {
        if (more) publish(next + lane + 32 * r, x[r], tag);
        shared.v[lane + 32 * r] = x[r];
      }
    if (lane == 0) {
      if (more) publish(next + b, next_tau, tag);
      publish(mail - S::mail + b, T{beta}, tag);
      shared.tau = next_tau;
    }
  }

  // Sends D's first column, after its update, to position k - 1.
  __device__ __forceinline__ void send_column(const T (&v)[rows], const T (&w)[rows], int first_place,
                                              Packet<T>* mail, unsigned tag) {
    const T w_first = conj_of(at_place(w, first_place));
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (b % 32 == 0 || lane + 32 * r < b)
        publish(mail + lane + 32 * r, fma(-v[r], w_first, shared.column[lane + 32 * r] - w[r]), tag);
  }

  __device__ __forceinline__ void keep(const T (&v)[rows], T tau, int first_place, T* to, std::int64_t count,
                                       std::int64_t tile, int j) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r,
                entry = place >= first_place ? place - first_place : place - first_place + b;
      if ((b % 32 == 0 || place < b) && entry < count) store_streaming(to + entry, v[r]);
    }
    if (lane == 0) store_streaming(c.out.tau + tile * c.tiles.width + j, tau);
  }

  __device__ __forceinline__ void update_diagonal(const T (&v)[rows], const T (&w)[rows]) {
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T v_q = conj_of(of_column(v, q)), w_q = conj_of(of_column(w, q));
#pragma unroll
      for (int r = 0; r < rows; ++r) diagonal(r, q) = fma(-w[r], v_q, fma(-v[r], w_q, diagonal(r, q)));
    }
  }

  __device__ __forceinline__ void update_below(const T (&v)[rows], const T (&u)[rows], T tau) {
    T next_v[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      next_v[r] = b % 32 == 0 || lane + 32 * r < b ? shared.v[lane + 32 * r] : T{0};
    const T next_tau = shared.tau;
    T z[columns];
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T factor = -tau * conj_of(of_column(v, q));
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
    receive<T, b>({c.mail + Shape<b>::mail, static_cast<unsigned>(s)}, lane, x, last);
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

}  // namespace eigen_g::chase
