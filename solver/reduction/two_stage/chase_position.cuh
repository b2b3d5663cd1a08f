// A position of the bulge chase (band_to_tridiagonal.cu): D, F, and the work of a sweep on them, by one thread block. Also the head.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

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
  static constexpr int rows = (b + 31) / 32;      // rows that a lane has: lane, lane + 32, ...
  static constexpr int mail = b + 8;              // packets of a mailbox: b values and one more
  static constexpr int entries = rows * columns;  // entries of D, and of F, that a thread has
  // Elements of a position's D and F in device memory.
  static constexpr std::int64_t state = 2ll * entries * threads;
};

// Where the D of a position is while it is worked on. F is always in registers.
enum class Diagonal { in_registers, in_shared };
// Bytes of dynamic shared memory of a block.
template <class T, int b>
constexpr std::size_t shared_bytes(Diagonal place) {
  return place == Diagonal::in_shared ? sizeof(T) * Shape<b>::entries * Shape<b>::threads : 0;
}

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
  T total_u[b], w[b];          // u and w
  T next_v[b], next_tau;       // v and tau of H_{k+1}
  // The two are used in turns, because a warp reads its sweep's while others begin the next sweep.
  struct alignas(16) Turn {
    T v[b];                // v of H_k
    T row[b];              // F's first row on its way to D
    T column[b], next[b];  // the first columns of D and F
    T received[b], beta;   // the column and beta of position k + 1
  } turns[2];
};

// A thread's part of D and F: rows lane + 32 r, columns 8 warp + q.
template <class T, int b, Diagonal place>
struct Registers {
  T diagonal[place == Diagonal::in_shared ? 1 : Shape<b>::rows][Shape<b>::columns];
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

// 1 / sqrt(x) and 1 / x with about 20 correct bits. x must not be subnormal or near overflow.
__device__ __forceinline__ float rough_inverse_root(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else  // under emulation
  return 1 / sqrt(x);
#endif
}
__device__ __forceinline__ double rough_inverse_root(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
#else
  return (1 + 0x1p-21) / sqrt(x);
#endif
}
__device__ __forceinline__ float rough_inverse(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}
__device__ __forceinline__ double rough_inverse(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
#else
  return (1 - 0x1p-21) / x;
#endif
}
// Steps from about 20 correct bits to all but one or two ulp.
template <class R>
inline constexpr int steps_to_precision = sizeof(R) > sizeof(float) ? 2 : 1;

template <class R>
__device__ __forceinline__ R inverse_step(R y, R x) {
  return ::fma(y, ::fma(-x, y, R{1}), y);
}
template <class R>
__device__ __forceinline__ R inverse_of(R x) {
  R y = rough_inverse(x);
#pragma unroll
  for (int k = 0; k < steps_to_precision<R>; ++k) y = inverse_step(y, x);
  return y;
}

// root = sqrt(x), inverse = 1 / sqrt(x), inverse_of_sum = 1 / (a + sqrt(x)) for a >= 0, with errors of one or two ulp. The steps of the three
// run side by side, and subnormal and large x are left out, so that they take less time than the usual functions.
template <class R>
struct Roots {
  R root, inverse, inverse_of_sum;
};
template <class R>
__device__ __forceinline__ Roots<R> roots_of(R x, R a) {
  const R rough = rough_inverse_root(x);
  R root = x * rough, half = rough / 2, of_sum = rough_inverse(a + root);
#pragma unroll
  for (int k = 0; k < steps_to_precision<R>; ++k) {
    if (k > 0) of_sum = inverse_step(of_sum, a + root);
    const R rest = ::fma(-root, half, R(0.5));
    root = ::fma(root, rest, root);
    half = ::fma(half, rest, half);
  }
  root = ::fma(::fma(-root, root, x), half, root);
  return {root, 2 * half, inverse_step(of_sum, a + root)};
}

// tau and scale = 1 / (alpha - beta), for beta = -sign(alpha) roots.root, with the roots of |alpha|.
template <class R>
__device__ __forceinline__ void reflector_scalars(R alpha, R, const Roots<R>& roots, R& tau, R& scale) {
  tau = ::fma(fabs(alpha), roots.inverse, R{1});
  scale = copysign(roots.inverse_of_sum, alpha);
}
template <class R>
__device__ __forceinline__ void reflector_scalars(DeviceComplex<R> alpha, R beta, const Roots<R>& roots,
                                                  DeviceComplex<R>& tau, DeviceComplex<R>& scale) {
  tau = {::fma(fabs(alpha.re), roots.inverse, R{1}), alpha.im * copysign(roots.inverse, alpha.re)};
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
    const Roots<R> roots = roots_of(add_real_product(alpha, alpha, square), R(fabs(real_of(alpha))));
    beta = -copysign(roots.root, real_of(alpha));
    reflector_scalars(alpha, beta, roots, tau, scale);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) x[r] = choose(lane + 32 * r == first, T{1}, x[r] * scale);
}

// Looks at a mail again and again until it is complete in all lanes of the warp.
template <class Mail>
__device__ __forceinline__ void complete(Mail& mail) {
  while (__any_sync(all_lanes, mail.incomplete())) mail.look_at();
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
// A warp's part of both messages of a sweep: lanes 0 ... 7 have the part of v for the warp's columns, lanes 8 ... 15 the same part of the
// column, lane 17 its one more, beta, and the other lanes tau.
template <class T, int b>
struct OwnPart {
  static constexpr int part = Shape<b>::columns;
  const Packet<T>* from;
  unsigned tag;
  Packet<T> packet;

  OwnPart() = default;
  // tag: that of v. with_column: position k + 1 has sent one.
  __device__ __forceinline__ OwnPart(const Packet<T>* mail, unsigned tag, bool with_column, int warp,
                                     int lane)
      : from(mail + b), tag(tag) {
    const bool of_column = with_column && ((lane >= part && lane < 2 * part) || lane == 2 * part + 1);
    if (lane < 2 * part) from = mail + warp * part + lane % part;
    if (of_column) from += Shape<b>::mail;
    if (of_column) --this->tag;
  }
  __device__ __forceinline__ void look_at() { packet = look(from); }
  __device__ __forceinline__ bool incomplete() const { return !arrived(packet, tag); }
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

template <class T, int b, Diagonal diagonal_place>
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

  // Sweep s at position k. first_place = (s + 1) mod b; tile: the group's first tile; j: index of the sweep in its group. same_position: the
  // calls of this object are for one position.
  //
  // The chase waits for messages, so the work before a message is short: a warp receives the part of v for its own columns only, one warp sums u
  // and computes the next reflector, and another one sums y and computes w. The updates follow, while the messages are on their way.
  template <bool same_position>
  __device__ __forceinline__ void work(std::int64_t k, std::int64_t s, int first_place, std::int64_t tile,
                                       int j) {
    const unsigned tag = static_cast<unsigned>(s) + 1;
    const std::int64_t row = s + 1 + k * b;
    Packet<T>* const mail = c.mail + (k + 1) * 2 * S::mail;
    const bool more = row + b < c.n;  // position k + 1 takes part in this sweep
    const int old = first_place == 0 ? b - 1 : first_place - 1, first_warp = first_place / columns;
    typename Shared<T, b>::Turn& turn = shared.turns[turn_of_next];
    turn_of_next ^= 1;
    const bool with_column = s > 0 && row + b - 1 < c.n;
    if (!same_position || s == c.first) look_for(mail, tag, with_column);
    move_row(turn, old, s > 0);
    if (warp == first_warp) pick_first(turn, first_place);
    const T tau = receive_and_multiply(turn, old, s > 0, with_column);
    __syncthreads();

    const int role = (warp - first_warp + warps) % warps;
    if (role == 1) next_reflector(turn, tau, first_place, old, more, mail, tag);
    if (role == 2) send_column(turn, tau, first_place, old, mail - S::mail, tag);
    if (c.out.v && role == 3 && row < c.n - !is_complex<T>)
      keep(turn, tau, first_place, c.out.sweep(c.tiles, s) + k * b, c.n - row, tile + k, j);
    __syncthreads();
    if (same_position) look_for(mail, tag + 1, row + b < c.n);  // a look takes longer than an update
    if (s > 0) place_column(turn, old);
    update(turn, tau);
  }

 private:
  __device__ __forceinline__ T& diagonal(int r, int q) {
    if constexpr (diagonal_place == Diagonal::in_shared)
      return diagonals[(r * columns + q) * S::threads];
    else
      return state.diagonal[r][q];
  }
  // The entries of an array in shared memory at the lane's rows.
  __device__ __forceinline__ void at_rows(const T (&x)[b], T (&own)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) own[r] = b % 32 == 0 || lane + 32 * r < b ? x[lane + 32 * r] : T{0};
  }
  // The entries of an array in shared memory at the warp's columns. With D in shared memory and b <= 64 a thread has few registers, so `own` points to the
  // array, whose entries must not change meanwhile.
  static constexpr bool few_registers = diagonal_place == Diagonal::in_shared && b <= 64;
  using OwnColumns = std::conditional_t<few_registers, const T*, T[columns]>;
  __device__ __forceinline__ void at_columns(const T (&x)[b], OwnColumns& own) const {
    if constexpr (few_registers)
      own = x + warp * columns;
    else
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
      T part[warps];
#pragma unroll
      for (int w = 0; w < warps; ++w) part[w] = parts[w][place];
#pragma unroll
      for (int step = 1; step < warps; step *= 2)
#pragma unroll
        for (int w = 0; w + step < warps; w += 2 * step) part[w] = part[w] + part[w + step];
      total[r] = b % 32 == 0 || lane + 32 * r < b ? part[0] : T{0};
    }
  }

  using Turn = typename Shared<T, b>::Turn;

  // Moves the position from sweep s - 1 to sweep s: slot `old`, the first until now, becomes the last. F's row in this slot goes to D. The slot's
  // columns of D and F are written when position k + 1 has sent the rest of them; until then they do not count.
  __device__ __forceinline__ void move_row(Turn& turn, int old, bool moved) {
    if (!moved) {
      if (lane < columns) turn.row[warp * columns + lane] = 0;
      return;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (old < 32 * r || old >= 32 * (r + 1)) continue;
      const bool moves = lane + 32 * r == old;
      if (moves)
#pragma unroll
        for (int q = 0; q < columns; ++q) turn.row[warp * columns + q] = state.below[r][q];
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        diagonal(r, q) = choose(moves, state.below[r][q], diagonal(r, q));
        state.below[r][q] = choose(moves, T{0}, state.below[r][q]);
      }
    }
  }
  // Copies the first columns of D and F to shared memory.
  __device__ __forceinline__ void pick_first(Turn& turn, int first_place) {
    T in_diagonal[rows], below[rows];
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
    set_rows(turn.column, in_diagonal);
    set_rows(turn.next, below);
  }

  __device__ __forceinline__ void look_for(const Packet<T>* mail, unsigned tag, bool with_column) {
    own = OwnPart<T, b>(mail, tag, with_column, warp, lane);
    own.look_at();
  }
  // Receives v, tau, and the column from position k + 1, and leaves them in shared memory, with each warp's partial sums of y = D v and u = F v
  // without the column in slot `old`. Returns tau.
  __device__ __forceinline__ T receive_and_multiply(Turn& turn, int old, bool moved, bool with_column) {
    complete(own);
    const T received = value(own.packet);
    const T counting = choose(moved && warp * columns + lane == old, T{0}, received);
    T y[rows] = {}, u[rows] = {};
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T v_q = __shfl_sync(all_lanes, counting, q);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        u[r] = fma(state.below[r][q], v_q, u[r]);
        y[r] = fma(diagonal(r, q), v_q, y[r]);
      }
    }
    set_rows(shared.u[warp], u);
    set_rows(shared.y[warp], y);
    if (lane < columns)
      turn.v[warp * columns + lane] = received;
    else if (lane < 2 * columns)
      turn.received[warp * columns + lane - columns] = choose(with_column, received, T{0});
    else if (lane == 2 * columns + 1 && warp == 0)
      turn.beta = choose(with_column, received, T{0});
    return __shfl_sync(all_lanes, received, 2 * columns);
  }
  // The columns of D and F in slot `old`. The first entry that was received belongs to D, and beta to F.
  __device__ __forceinline__ void last_of_diagonal(const Turn& turn, int old, T (&column)[rows]) const {
    at_rows(turn.row, column);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      column[r] = choose(lane + 32 * r == old, turn.received[old], conj_of(column[r]));
  }
  __device__ __forceinline__ void last_of_below(const Turn& turn, int old, T (&column)[rows]) const {
    at_rows(turn.received, column);
#pragma unroll
    for (int r = 0; r < rows; ++r) column[r] = choose(lane + 32 * r == old, turn.beta, column[r]);
  }
  __device__ __forceinline__ void place_column(const Turn& turn, int old) {
    if (warp != old / columns) return;
    T in_diagonal[rows], in_below[rows];
    last_of_diagonal(turn, old, in_diagonal);
    last_of_below(turn, old, in_below);
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        const bool here = q == old % columns;
        diagonal(r, q) = choose(here, in_diagonal[r], diagonal(r, q));
        state.below[r][q] = choose(here, in_below[r], state.below[r][q]);
      }
  }

  // Computes H_{k+1}, with v(first) = 1, and sends it to position k + 1. One warp calls this.
  __device__ __forceinline__ void next_reflector(const Turn& turn, T tau, int first_place, int old, bool more,
                                                 Packet<T>* mail, unsigned tag) {
    T u[rows], x[rows], first[rows], last[rows], next_tau;
    real_t<T> beta;
    at_rows(turn.next, first);
    last_of_below(turn, old, last);
    const T v_last = turn.v[old];
    sum(shared.u, u);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      u[r] = fma(last[r], v_last, u[r]);
      x[r] = b % 32 == 0 || lane + 32 * r < b ? fma(-tau, u[r], first[r]) : T{0};
    }
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
  __device__ __forceinline__ void send_column(const Turn& turn, T tau, int first_place, int old,
                                              Packet<T>* mail, unsigned tag) {
    T v[rows], w[rows], column[rows], last[rows];
    at_rows(turn.v, v);
    at_rows(turn.column, column);
    last_of_diagonal(turn, old, last);
    const T v_last = turn.v[old];
    sum(shared.y, w);
#pragma unroll
    for (int r = 0; r < rows; ++r) w[r] = fma(last[r], v_last, w[r]);
    const T first_of_y = at_place(w, first_place), factor = conj_of(tau * first_of_y);
    real_t<T> product = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      product = add_real_product(v[r], w[r], product);
      column[r] = fma(-v[r], factor,
                      fma(-tau, w[r], column[r]));  // the terms without `half`: v is 1 at the first place
    }
    const real_t<T> half = real_product(tau, tau) / 2 * warp_sum(product);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (b % 32 == 0 || lane + 32 * r < b)
        publish(mail + lane + 32 * r, fma(T{2 * half}, v[r], column[r]), tag);
      w[r] = fma(tau, w[r], -half * v[r]);
    }
    set_rows(shared.w, w);
  }

  __device__ __forceinline__ void keep(const Turn& turn, T tau, int first_place, T* to, std::int64_t count,
                                       std::int64_t tile, int j) const {
    T v[rows];
    at_rows(turn.v, v);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r,
                entry = place >= first_place ? place - first_place : place - first_place + b;
      if ((b % 32 == 0 || place < b) && entry < count) store_streaming(to + entry, v[r]);
    }
    if (lane == 0) store_streaming(c.out.tau + tile * c.tiles.width + j, tau);
  }

  // D := D - v w^H - w v^H;  F := F - tau u v^H, then F := F - conj(tau') v' (v'^H F)
  __device__ __forceinline__ void update(const Turn& turn, T tau) {
    T v[rows], w[rows], u[rows], next_v[rows], z[columns];
    OwnColumns columns_v, columns_w;
    at_rows(shared.total_u, u);
    at_rows(shared.next_v, next_v);
    at_columns(turn.v, columns_v);
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
    const T sums = -conj_of(next_tau) * eight_sums(z, lane);
    at_rows(turn.v, v);
    at_rows(shared.w, w);
    at_columns(shared.w, columns_w);
#pragma unroll
    for (int q = 0; q < columns; ++q)
#pragma unroll
      for (int r = 0; r < rows; ++r)
        diagonal(r, q) = fma(-w[r], conj_of(columns_v[q]), fma(-v[r], conj_of(columns_w[q]), diagonal(r, q)));
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T z_q = __shfl_sync(all_lanes, sums, 4 * q);
#pragma unroll
      for (int r = 0; r < rows; ++r) state.below[r][q] = fma(next_v[r], z_q, state.below[r][q]);
    }
  }

  const Chase<T>& c;
  Shared<T, b>& shared;
  T* diagonals;
  Registers<T, b, diagonal_place> state;
  OwnPart<T, b> own;
  int turn_of_next = 0;
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
    Letter<T, b> column{c.mail + Shape<b>::mail, static_cast<unsigned>(s), lane, {}, {}};
    column.look_at();
    complete(column);
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
template <class T, int b, bool several, Diagonal place>
__device__ __forceinline__ void pass_sweeps(const Chase<T>& c, Shared<T, b>& shared, T* diagonal_in_shared) {
  Position<T, b, place> position(c, shared, diagonal_in_shared);
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
      position.template work<!several>(k, s, first_place, tile, j);
      if constexpr (several) position.store(k);
    }
    first_place = first_place + 1 == b ? 0 : first_place + 1;
    ++j;
  }
  if (!several && begin >= 0 && c.last < c.n) position.store(begin);
}

}  // namespace eigen_g::chase
