// Band to tridiagonal: a block of threads has one position of the band, and the sweeps come by.
//
// Sweep s acts in position k = 0, 1, ... with reflector H_k on the b rows from r = s + 1 + k b on. The position's blocks are
// D, rows and columns r ..., symmetric, and F, the b rows below D in D's columns:
//
//   y = D v, u = F v                                     v, tau of H_k: from position k - 1
//   F := F - tau u v^T;  H_{k+1} from F's first column    beta, v', tau' to position k + 1
//   F := F - tau' v' (v'^T F)
//   w = tau y - (tau / 2)(tau v^T y) v;  D := D - v w^T - w v^T
//
// For the next sweep all windows move down by a row and a column. What leaves, D's first column and F's beta, goes to position
// k - 1, whose last columns they become; F's first row becomes D's last. Nothing else moves: D and F stay in registers, row and
// column i of the matrix in place i mod b, and f = (s + 1) mod b is every window's first place. Position -1, the head, has only
// the column that is being reduced: from it come d, e and every sweep's first reflector.
//
// Neighbours exchange messages in device memory; a double travels as two words, each with half of it and the sweep's number,
// and whoever needs it looks until the number is there: no flag, no fence, no barrier. One mailbox each way is enough: v of the
// next sweep is sent only after that sweep's column came, which is sent after v was read, and likewise the other way. A sweep
// follows the one before after two hops, so the time is about 2 (n + n / b) hops. Everybody must be resident, which a
// cooperative launch grants; where the positions are more than the blocks, each takes several, in order, and keeps those that
// it is not at in device memory.
//
// Sums go over the columns of a warp, then over warps, or over the rows of a lane, then over lanes: an order that b alone says.
// Rejected variants: data/perf/DECISIONS.md, "Chase".
#include <algorithm>
#include <array>
#include <cmath>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"

namespace eigen_g {

namespace {

constexpr unsigned all_lanes = ~0u;
constexpr double negligible_square = 0x1p-900;  // of entries within 2^-100 ... 2^100: far below rounding

// A number on its way: its halves, each with the sweep's number in the upper word.
struct alignas(16) Packet {
  unsigned long long low, high;
};

__device__ __forceinline__ void publish(Packet* to, double value, unsigned tag) {
  const unsigned long long bits = __double_as_longlong(value);
  const unsigned long long upper = static_cast<unsigned long long>(tag) << 32;
  const unsigned long long low = upper | (bits & 0xffffffffu), high = upper | bits >> 32;
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
}
__device__ __forceinline__ Packet look(const Packet* from) {
  Packet p;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(p.low), "=l"(p.high)
               : "l"(from)
               : "memory");
  return p;
}
__device__ __forceinline__ bool arrived(const Packet& p, unsigned tag) {
  return p.low >> 32 == tag && p.high >> 32 == tag;
}
__device__ __forceinline__ double value(const Packet& p) {
  return __longlong_as_double(static_cast<long long>(p.high << 32 | (p.low & 0xffffffffu)));
}

// The shape of a block that works on a band of width b.
template <int b>
struct Shape {
  static constexpr int columns = 8;  // of a warp
  static constexpr int warps = b / columns, threads = 32 * warps;
  static constexpr int rows = (b + 31) / 32;                      // of a lane: lane, lane + 32, ...
  static constexpr int mail = b + 8;                              // packets of a mailbox: b, and one more
  static constexpr bool diagonal_in_shared = b > 96;              // D; else in registers
  static constexpr int entries = rows * columns;                  // of D or F, a thread
  static constexpr std::int64_t state = 2ll * entries * threads;  // of a position, in memory
  static constexpr std::size_t shared_bytes = diagonal_in_shared ? sizeof(double) * entries * threads : 0;
};

// What a launch gets: sweeps first ... last - 1, the later ones in further launches.
template <class T>
struct Chase {
  const T* band;
  std::int64_t lda;
  std::int64_t n;
  std::int64_t first, last;
  int positions, per_block;  // the head included
  T* d;
  T* e;
  ChaseTiles tiles;
  ChaseReflectors<T> out;
  std::int64_t first_tile;  // of the group that sweep `first` is in
  Packet* mail;             // of a position: v and tau, then the column and beta
  T* state;
};

template <class T, int b>
struct Shared {
  static constexpr int warps = Shape<b>::warps;
  T y[warps][b], u[warps][b];  // partial sums
  T row[b];                    // that goes from F to D
  T column[b];                 // that leaves D
  T v[b], tau;
};

// D and F of a position, a thread's part: rows lane + 32 r, columns 8 warp + q.
template <class T, int b>
struct State {
  T diagonal[Shape<b>::diagonal_in_shared ? 1 : Shape<b>::rows][Shape<b>::columns];
  T below[Shape<b>::rows][Shape<b>::columns];
};

// By value: a conditional between two array elements would be one between their addresses, and keep the array in memory.
template <class T>
__device__ __forceinline__ T choose(bool condition, T yes, T no) {
  return condition ? yes : no;
}

template <class T>
__device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) x += __shfl_xor_sync(all_lanes, x, mask);
  return x;
}

// x[place / 32] of lane place % 32, for all.
template <class T, int rows>
__device__ __forceinline__ T at_place(const T (&x)[rows], int place) {
  T own = x[0];
#pragma unroll
  for (int r = 1; r < rows; ++r) own = choose(place / 32 == r, x[r], own);
  return __shfl_sync(all_lanes, own, place % 32);
}

// H x = beta e_first, by a warp. v: in x's place.
template <class T, int rows>
__device__ __forceinline__ void reflect(T (&x)[rows], int first, int lane, T& tau, T& beta) {
  T square = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (lane + 32 * r != first) square = fma(x[r], x[r], square);
  const T alpha = at_place(x, first);
  square = warp_sum(square);
  T scale = 0;
  beta = alpha;
  tau = 0;
  if (square >= static_cast<T>(negligible_square)) {
    beta = -copysign(sqrt(fma(alpha, alpha, square)), alpha);
    scale = 1 / (alpha - beta);
    tau = (beta - alpha) / beta;
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) x[r] = choose(lane + 32 * r == first, T{1}, x[r] * scale);
}

// A message of b numbers, by place, and one more. `count` rows of a lane; tag = number of the sweep it was sent in, from 1.
template <class T, int b>
__device__ __forceinline__ void receive(const Packet* mail, unsigned tag, int lane, T (&x)[Shape<b>::rows],
                                        T& one_more) {
  constexpr int rows = Shape<b>::rows;
  Packet p[rows], last;
  bool missing;
  do {
#pragma unroll
    for (int r = 0; r < rows; ++r) p[r] = look(mail + (b % 32 == 0 || lane + 32 * r < b ? lane + 32 * r : b));
    last = look(mail + b);
    missing = !arrived(last, tag);
#pragma unroll
    for (int r = 0; r < rows; ++r) missing = missing || !arrived(p[r], tag);
  } while (__any_sync(all_lanes, missing));
#pragma unroll
  for (int r = 0; r < rows; ++r) x[r] = b % 32 == 0 || lane + 32 * r < b ? static_cast<T>(value(p[r])) : 0;
  one_more = static_cast<T>(value(last));
}

// Sums over the lanes of 8 values: lane l ends with that of value l / 4.
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

  // Sweep 0's D and F from the band.
  __device__ __forceinline__ void load_band(std::int64_t k) {
    const std::int64_t row = 1 + k * b;
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const int j = (warp * columns + q + b - 1) % b;  // the column's number in the window
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int place = lane + 32 * r, i = (place + b - 1) % b;
        const bool exists = place < b;
        const std::int64_t lower = row + max(i, j), upper = row + min(i, j), under = row + b + i;
        diagonal(r, q) = exists && lower < c.n ? c.band[lower - upper + upper * c.lda] : 0;
        state.below[r][q] = exists && i <= j && under < c.n ? c.band[b + i - j + (row + j) * c.lda] : 0;
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
        __stcg(to + (r * columns + q) * S::threads, diagonal(r, q));
        __stcg(to + (S::entries + r * columns + q) * S::threads, state.below[r][q]);
      }
  }

  // Sweep s in position k; first_place = (s + 1) mod b; `tile` is the group's first one, j the sweep's number in the group.
  __device__ __forceinline__ void work(std::int64_t k, std::int64_t s, int first_place, std::int64_t tile,
                                       int j) {
    const unsigned tag = static_cast<unsigned>(s) + 1;
    const std::int64_t row = s + 1 + k * b;
    Packet* const mail = c.mail + (k + 1) * 2 * S::mail;
    const bool more = row + b < c.n;  // position k + 1 takes part
    if (s > 0) move(mail + S::mail, first_place == 0 ? b - 1 : first_place - 1, row + b - 1 < c.n, tag - 1);

    T v[rows], tau;
    receive<T, b>(mail, tag, lane, v, tau);
    multiply(v, first_place);
    __syncthreads();

    T u[rows], y[rows];
    sum(shared.u, u);
    const int first_warp = first_place / columns;
    if (warp == first_warp) next_reflector(u, tau, first_place, more, mail, tag);
    sum(shared.y, y);
    T product = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) product = fma(v[r], y[r], product);
    const T half = tau * tau * warp_sum(product) / 2;
#pragma unroll
    for (int r = 0; r < rows; ++r) y[r] = fma(tau, y[r], -half * v[r]);  // w
    if (warp == (first_warp + warps / 2) % warps) send_column(v, y, first_place, mail - S::mail, tag);
    if (c.out.v && warp == (first_warp + 1) % warps && row < c.n - 1) keep(v, tau, first_place, tile + k, j);
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
  // v of the warp's column q.
  __device__ __forceinline__ T of_column(const T (&v)[rows], int q) const {
    return at_place(v, warp * columns + q);
  }
  __device__ __forceinline__ void sum(const T (&parts)[warps][b], T (&total)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = b % 32 == 0 ? lane + 32 * r : min(lane + 32 * r, b - 1);
      T part[2] = {};
#pragma unroll
      for (int w = 0; w < warps; ++w) part[w % 2] += parts[w][place];
      total[r] = b % 32 == 0 || lane + 32 * r < b ? part[0] + part[1] : 0;
    }
  }

  // From sweep s - 1's windows to sweep s': place `old` is last now instead of first.
  __device__ __forceinline__ void move(const Packet* mail, int old, bool from_next, unsigned tag) {
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
    if (warp != old / columns) return;
    T column[rows] = {}, beta = 0;
    if (from_next) receive<T, b>(mail, tag, lane, column, beta);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r;
      const T above = b % 32 == 0 || place < b ? shared.row[place] : 0;
      const T in_diagonal = choose(place == old, column[r], above),
              in_below = choose(place == old, beta, column[r]);
#pragma unroll
      for (int q = 0; q < columns; ++q) {
        diagonal(r, q) = choose(q == old % columns, in_diagonal, diagonal(r, q));
        state.below[r][q] = choose(q == old % columns, in_below, state.below[r][q]);
      }
    }
  }

  // Partial y and u; D's first column to all.
  __device__ __forceinline__ void multiply(const T (&v)[rows], int first_place) {
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
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      T first = diagonal(r, 0);
#pragma unroll
      for (int q = 1; q < columns; ++q) first = choose(q == first_place % columns, diagonal(r, q), first);
      if (warp == first_place / columns && (b % 32 == 0 || lane + 32 * r < b))
        shared.column[lane + 32 * r] = first;
    }
  }

  // H_{k+1}, by the warp that has F's first column: v(first) = 1.
  __device__ __forceinline__ void next_reflector(const T (&u)[rows], T tau, int first_place, bool more,
                                                 Packet* mail, unsigned tag) {
    T x[rows], next_tau, beta;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      x[r] = state.below[r][0];
#pragma unroll
      for (int q = 1; q < columns; ++q) x[r] = choose(q == first_place % columns, state.below[r][q], x[r]);
      x[r] = fma(-tau, u[r], x[r]);
    }
    reflect(x, first_place, lane, next_tau, beta);
    Packet* const next = mail + 2 * S::mail;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (b % 32 == 0 || lane + 32 * r < b) {
        if (more) publish(next + lane + 32 * r, x[r], tag);
        shared.v[lane + 32 * r] = x[r];
      }
    if (lane == 0) {
      if (more) publish(next + b, next_tau, tag);
      publish(mail - S::mail + b, beta, tag);
      shared.tau = next_tau;
    }
  }

  // D's first column after the update, to position k - 1.
  __device__ __forceinline__ void send_column(const T (&v)[rows], const T (&w)[rows], int first_place,
                                              Packet* mail, unsigned tag) {
    const T w_first = at_place(w, first_place);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (b % 32 == 0 || lane + 32 * r < b)
        publish(mail + lane + 32 * r, fma(-v[r], w_first, shared.column[lane + 32 * r] - w[r]), tag);
  }

  __device__ __forceinline__ void keep(const T (&v)[rows], T tau, int first_place, std::int64_t tile,
                                       int j) const {
    T* const to = c.out.v + tile * c.tiles.tile_size() + c.tiles.column(j) + j % 8 + 1;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r;
      if (b % 32 == 0 || place < b)
        __stcs(to + (place >= first_place ? place - first_place : place - first_place + b), v[r]);
    }
    if (lane == 0) __stcs(c.out.tau + tile * c.tiles.width + j, tau);
  }

  __device__ __forceinline__ void update_diagonal(const T (&v)[rows], const T (&w)[rows]) {
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T v_q = of_column(v, q), w_q = of_column(w, q);
#pragma unroll
      for (int r = 0; r < rows; ++r) diagonal(r, q) = fma(-w[r], v_q, fma(-v[r], w_q, diagonal(r, q)));
    }
  }

  __device__ __forceinline__ void update_below(const T (&v)[rows], const T (&u)[rows], T tau) {
    T next_v[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) next_v[r] = b % 32 == 0 || lane + 32 * r < b ? shared.v[lane + 32 * r] : 0;
    const T next_tau = shared.tau;
    T z[columns];
#pragma unroll
    for (int q = 0; q < columns; ++q) {
      const T factor = -tau * of_column(v, q);
      z[q] = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        state.below[r][q] = fma(factor, u[r], state.below[r][q]);
        z[q] = fma(next_v[r], state.below[r][q], z[q]);
      }
    }
    const T own = -next_tau * eight_sums(z, lane);
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
  State<T, b> state;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
};

// Column s: d, e, and the sweep's first reflector to position 0. By a warp.
template <class T, int b>
__device__ void head(const Chase<T>& c, std::int64_t s, int first_place) {
  constexpr int rows = Shape<b>::rows;
  const int lane = threadIdx.x % 32, old = first_place == 0 ? b - 1 : first_place - 1;
  T x[rows], last, tau, beta;
  if (s == 0) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int place = lane + 32 * r;
      x[r] = place < b && place < c.n ? c.band[place] : 0;
    }
    last = b < c.n ? c.band[b] : 0;
  } else {
    receive<T, b>(c.mail + Shape<b>::mail, static_cast<unsigned>(s), lane, x, last);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (lane + 32 * r == old) {
      c.d[s] = x[r];
      x[r] = last;
    }
  if (s == c.n - 1) return;
  reflect(x, first_place, lane, tau, beta);
  Packet* const mail = c.mail + 2 * Shape<b>::mail;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (b % 32 == 0 || lane + 32 * r < b) publish(mail + lane + 32 * r, x[r], static_cast<unsigned>(s) + 1);
  if (lane == 0) {
    publish(mail + b, tau, static_cast<unsigned>(s) + 1);
    c.e[s] = beta;
  }
}

// The block's positions; where they are several, their D and F are in memory but while it is at them.
template <class T, int b, bool several>
__global__ void __launch_bounds__(Shape<b>::threads, b > 64    ? 1
                                                     : b == 64 ? 2
                                                     : b == 48 ? 2
                                                               : 4)
    chase_kernel(const __grid_constant__ Chase<T> c) {
  extern __shared__ double2 dynamic[];
  __shared__ Shared<T, b> shared;
  Position<T, b> position(c, shared, reinterpret_cast<T*>(dynamic));
  const int begin = static_cast<int>(blockIdx.x) * c.per_block - 1;  // -1: the head
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

// Positions that sweep s has, the head included.
std::int64_t positions_of(std::int64_t n, std::int64_t b, std::int64_t s) {
  return (n - 2 - s + b) / b + 1;
}

template <class T>
struct Workspace {
  Packet* mail;
  T* state;
  std::int64_t packets;

  Workspace(Arena& arena, std::int64_t n, std::int64_t b, std::int64_t state_of_position)
      : packets((positions_of(n, b, 0) + 1) * 2 * (b + 8)) {
    mail = arena.take<Packet>(packets);
    state = arena.take<T>(positions_of(n, b, 0) * state_of_position);
  }
};

template <class Act>
void with_bandwidth(std::int64_t b, Act&& act) {
  switch (b) {
    case 32:
      return act(std::integral_constant<int, 32>());
    case 48:
      return act(std::integral_constant<int, 48>());
    case 64:
      return act(std::integral_constant<int, 64>());
    case 96:
      return act(std::integral_constant<int, 96>());
    case 128:
      return act(std::integral_constant<int, 128>());
    default:
      throw InvalidArgument(Argument::other, "no bandwidth of the chase: " + std::to_string(b));
  }
}

template <class T, int b>
void run(const Queue& queue, MatrixView<const T> band, T* d, T* e, const ChaseReflectors<T>& out, Arena arena,
         int multiprocessors) {
  using S = Shape<b>;
  const std::int64_t n = band.cols;
  const ChaseTiles tiles(n, b);
  const Workspace<T> w(arena, n, b, S::state);
  const auto bytes = [](std::int64_t count, std::size_t size) {
    return static_cast<std::size_t>(count) * size;
  };
  EIGEN_G_CUDA(cudaMemsetAsync(w.mail, 0, bytes(w.packets, sizeof(Packet)), queue.stream()));
  if (out.v) {
    EIGEN_G_CUDA(cudaMemsetAsync(out.v, 0, bytes(tiles.v_count(), sizeof(T)), queue.stream()));
    EIGEN_G_CUDA(cudaMemsetAsync(out.tau, 0, bytes(tiles.tau_count(), sizeof(T)), queue.stream()));
  }
  const std::array<const void*, 2> kernels{reinterpret_cast<const void*>(chase_kernel<T, b, false>),
                                           reinterpret_cast<const void*>(chase_kernel<T, b, true>)};
  std::array<std::int64_t, 2> resident{};
  for (std::size_t i = 0; i < 2; ++i) {
    if (S::shared_bytes > 0) allow_shared_memory(kernels[i], S::shared_bytes);
    int blocks = 0;
    EIGEN_G_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels[i], S::threads, S::shared_bytes));
    resident[i] = static_cast<std::int64_t>(blocks) * multiprocessors;
  }
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t positions = positions_of(n, b, first);
    const bool several = positions > resident[0];
    const std::int64_t per_block = several ? (positions + resident[1] - 1) / resident[1] : 1;
    // With several positions a block, until one fewer is enough.
    const std::int64_t enough = several ? (per_block == 2 ? resident[0] : (per_block - 1) * resident[1]) : 0;
    const std::int64_t last = several ? std::min(n, std::max(first + 1, n - 1 - (enough - 1) * b)) : n;
    Chase<T> c{band.data,
               band.lda,
               n,
               first,
               last,
               static_cast<int>(positions),
               static_cast<int>(per_block),
               d,
               e,
               tiles,
               out,
               tiles.tiles_from(first / tiles.width + 1),
               w.mail,
               w.state};
    void* arguments[] = {&c};
    EIGEN_G_CUDA(cudaLaunchCooperativeKernel(
        kernels[several], dim3(static_cast<unsigned>((positions + per_block - 1) / per_block)),
        dim3(S::threads), arguments, S::shared_bytes, queue.stream()));
    first = last;
  }
}

}  // namespace

template <class T>
std::uint64_t band_to_tridiagonal_bytes(std::int64_t n, std::int64_t b, int) {
  return bytes_taken([&](Arena& arena) {
    with_bandwidth(b, [&](auto width) { Workspace<T>(arena, n, b, Shape<decltype(width)::value>::state); });
  });
}

template <class T>
void band_to_tridiagonal(const Queue& queue, std::int64_t b, MatrixView<const T> band_dev, real_t<T>* d_dev,
                         real_t<T>* e_dev, const ChaseReflectors<T>& out, Arena workspace,
                         int multiprocessors) {
  if (band_dev.cols == 0) return;
  with_bandwidth(b, [&](auto width) {
    run<T, decltype(width)::value>(queue, band_dev, d_dev, e_dev, out, workspace,
                                   multiprocessors > 0 ? multiprocessors : queue.multiprocessors());
  });
}

template std::uint64_t band_to_tridiagonal_bytes<double>(std::int64_t, std::int64_t, int);
template void band_to_tridiagonal<double>(const Queue&, std::int64_t, MatrixView<const double>, double*,
                                          double*, const ChaseReflectors<double>&, Arena, int);

}  // namespace eigen_g
