// A = Q T Q^H for matrices of order 129 to 512: a block a matrix, with the matrix in the work array of its reflectors.
//
// Only the triangle below the diagonal is stored, in whole blocks of 64 x 64 entries; the diagonal is in registers. The update of A by the
// last `panel` reflectors waits until they are complete (LAPACK zlatrd). A product with A takes each block for its rows and for its
// columns. A warp multiplies a block of 64 rows and UNIT columns and stores the sums of its rows and of its columns; the sums of a row are
// then added in a fixed order. Three barriers a column.
//
// Source: LAPACK zhetrd, with v_1 not scaled to one.
#pragma once

#include "solver/batched/tridiagonalize.cuh"

namespace eigen_g::batched {

inline constexpr int strip_rows = 64;
EIGEN_G_HOST_DEVICE constexpr int in_strips(int n) {
  return (n + strip_rows - 1) / strip_rows * strip_rows;
}

template <class T, int NP>
EIGEN_G_HOST_DEVICE constexpr int reduction_threads() {
  return sizeof(T) == 16 ? 256 : NP;  // a complex double takes more registers
}

// NP: 256 or 512, the largest order.
template <class T, int NP, int THREADS = reduction_threads<T, NP>()>
struct ReductionPlan {
  static constexpr int threads = THREADS, warps = threads / 32, own_rows = (NP + threads - 1) / threads;
  static constexpr int unit = NP == 256 ? 16 : 64;  // columns that a warp multiplies at once
  static constexpr int panel = static_cast<int>(sizeof(T)) * NP > 4096 ? 4 : 16;
  static constexpr int registers = sizeof(T) == 16 && threads == 256 ? 255 : 128;
  static constexpr int row_slots = NP / unit, slots = row_slots + NP / strip_rows;  // sums of a row
  static constexpr int shared() {
    return (2 * panel + slots + 1) * NP * static_cast<int>(sizeof(T)) +
           2 * panel * static_cast<int>(sizeof(T)) + 3 * warps * static_cast<int>(sizeof(real_t<T>));
  }
};

// 16 bytes of a column.
template <class T>
struct alignas(16) ColumnPiece {
  static constexpr int values = 16 / static_cast<int>(sizeof(T));
  T of[values];
};

// The eight rows of a strip that a lane has: places of the first row of its pieces, 8 pieces' rows apart.
template <class T>
struct LaneRows {
  static constexpr int E = ColumnPiece<T>::values, pieces = 8 / E;
  static __device__ __forceinline__ int first(int lane, int piece) { return (piece * 8 + lane % 8) * E; }
  // Row of value q, 0 <= q < 8.
  static __device__ __forceinline__ int row(int lane, int q) { return first(lane, q / E) + q % E; }
  static __device__ __forceinline__ void load(T (&to)[8], const T* from, int lane) {
    load_from(to, from, lane, 0);
  }
  // With zeros for the pieces that have no row from `least` on.
  static __device__ __forceinline__ void load_from(T (&to)[8], const T* from, int lane, int least) {
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      ColumnPiece<T> piece{};
      if ((p + 1) * 8 * E > least) piece = *reinterpret_cast<const ColumnPiece<T>*>(from + first(lane, p));
#pragma unroll
      for (int e = 0; e < E; ++e) to[p * E + e] = piece.of[e];
    }
  }
  static __device__ __forceinline__ void store(const T (&from)[8], T* to, int lane) {
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      ColumnPiece<T> piece;
#pragma unroll
      for (int e = 0; e < E; ++e) piece.of[e] = from[p * E + e];
      *reinterpret_cast<ColumnPiece<T>*>(to + first(lane, p)) = piece;
    }
  }
};

// Sum over the block of what its warps' lanes have, for all threads; a barrier is inside.
template <int WARPS, class R>
__device__ __forceinline__ R block_sum(R x, R* parts) {
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  R sum = parts[0];
#pragma unroll
  for (int q = 1; q < WARPS; ++q) sum += parts[q];
  return sum;
}

template <class T, int NP, int THREADS = reduction_threads<T, NP>()>
__global__ void EIGEN_G_REGISTERS(THREADS, 1, (ReductionPlan<T, NP, THREADS>::registers))
    tridiagonalize_in_memory(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  using L = Limits<R>;
  using Plan = ReductionPlan<T, NP, THREADS>;
  using Rows = LaneRows<T>;
  constexpr int NB = Plan::panel, U = Plan::unit, TN = Plan::threads, WARPS = Plan::warps,
                OWN = Plan::own_rows, S = strip_rows;
  T* const vs =
      reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());  // [NB][NP]: reflectors of the panel
  T* const ws = vs + NB * NP;                                    // [NB][NP]: A - V W^H - W V^H
  T* const sums = ws + NB * NP;  // [slots][NP]: of the rows by column block, then of the columns by strip
  T* const ys = sums + Plan::slots * NP;                 // [NP]
  T* const dots = ys + NP;                               // [2][NB]: V^H v and W^H v
  R* const parts = reinterpret_cast<R*>(dots + 2 * NB);  // [3][warps]
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id), strips = in_strips(n) / S;
  const Reflectors<T> a(work, matrix);
  const Triangle<T> source(chunk.a.of(id), chunk.lda.of(id), chunk.upper);

  R largest = 0;
  for (int c = warp; c < n; c += WARPS)
    for (int r = c + lane; r < n; r += 32) {
      const R size = largest_part(source(r, c));
      if (!(size <= L::largest)) largest = R(INFINITY);
      if (size > largest) largest = size;
    }
  largest = warp_max(largest);
  if (lane == 0) parts[warp] = largest;
  __syncthreads();
#pragma unroll
  for (int q = 0; q < WARPS; ++q) largest = parts[q] > largest ? parts[q] : largest;
  const bool finite = largest <= L::largest;
  const int exponent = finite ? scale_exponent(largest) : 0;
  const R scale = scalbn(R(1), -exponent);
  if (tid == 0) store_constants(work, matrix, n, exponent, finite);
  for (int c = warp; c < strips * S; c += WARPS)
    for (int r = c / S * S + lane; r < strips * S; r += 32)
      a(r, c) = finite && r > c && r < n && c < n ? scale * source(r, c) : T(0);
  R diagonal[OWN], before[OWN] = {};  // before: as A is in memory, without the updates of the panel
#pragma unroll
  for (int q = 0; q < OWN; ++q) {
    const int r = tid + TN * q;
    diagonal[q] = finite && r < n ? scale * real_of(source(r, r)) : R(0);
  }
  for (int q = tid; q < 2 * NB * NP; q += TN) vs[q] = T(0);
  __syncthreads();

  T next[OWN];  // the next column of A
#pragma unroll
  for (int q = 0; q < OWN; ++q) next[q] = T(0);
  T phase = T(1), last_v0 = T(0);
  R last_tau = 0, last_half = 0;
  int k0 = 0;  // first column of the panel
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const int j = k - k0;
    if (j == 0) {
#pragma unroll
      for (int q = 0; q < OWN; ++q) before[q] = diagonal[q];
    }
    T* const v = vs + j * NP;
    T* const w = ws + j * NP;
    if (tid == k % TN) {
#pragma unroll
      for (int q = 0; q < OWN; ++q)
        if (k / TN == q) work.d[row + k] = diagonal[q];
    }
    if (k == n - 1) break;
    // Column k of A - V W^H - W V^H. The last w is not in memory for all threads.
    T x[OWN];
    R squares = 0;
#pragma unroll
    for (int q = 0; q < OWN; ++q) {
      const int r = tid + TN * q;
      x[q] = next[q];
      if (j == 0) x[q] = r > k && r < n ? a(r, k) : T(0);
    }
#pragma unroll 4
    for (int p = 0; p < j; ++p) {
      const bool last = p == j - 1;
      const T vk = conj_of(last ? last_v0 : vs[p * NP + k]),
              wk = conj_of(last ? add_scaled(-last_half, last_v0, last_tau * ys[k]) : ws[p * NP + k]);
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        x[q] = fma(-vs[p * NP + r], wk, fma(-ws[p * NP + r], vk, x[q]));
      }
    }
#pragma unroll
    for (int q = 0; q < OWN; ++q) {
      const int r = tid + TN * q;
      if (r <= k || r >= n) x[q] = T(0);
      if (TN <= NP || r < NP) v[r] = x[q];
      if (r > k + 1) squares = add_real_product(x[q], x[q], squares);
    }
    squares = block_sum<WARPS>(squares, parts);
    const Reflector<T> h = make_reflector(v[k + 1], squares);
    if (tid == 0) store_reflector(work, row, k, h, phase);
#pragma unroll
    for (int q = 0; q < OWN; ++q) {
      const int r = tid + TN * q;
      if (r == k + 1) x[q] = h.v0;
    }
    const auto store_column = [&] {
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        if (r > k && r < n) a(r, k) = x[q];
        next[q] = r > k + 1 && r < n ? a(r, k + 1) : T(0);
      }
    };
    R half = 0;
    const int first = (k + 1) / S, first_block = (k + 1) / U;
    // Units in the strips first...i-1.
    const auto units_before = [&](int i) {
      return ((i + first + 1) * (S / U) - 2 * first_block) * (i - first) / 2;
    };
    if (h.tau != 0) {
      {  // a warp has DOTS of the products. Others read v[k + 1] as it is, so that v_0 is not yet there.
        constexpr int DOTS = (2 * NB + WARPS - 1) / WARPS;
        T dot[DOTS];
#pragma unroll
        for (int q = 0; q < DOTS; ++q) dot[q] = T(0);
        for (int r = (k + 1) / 32 * 32 + lane; r < n; r += 32) {
          const T of_row = select(r == k + 1, h.v0, v[r]);
#pragma unroll
          for (int q = 0; q < DOTS; ++q) {
            const int p = warp + WARPS * q;
            if (p < 2 * j)
              dot[q] = fma(conj_of(p < j ? vs[p * NP + r] : ws[(p - j) * NP + r]), of_row, dot[q]);
          }
        }
        const int kept = sum_over_lanes<DOTS, 5>(dot, 16, lane);
#pragma unroll
        for (int q = 0; q < kept_values(DOTS, 5); ++q) {
          const int p = warp + WARPS * (kept + q);
          if (p < 2 * j) dots[p < j ? p : NB + p - j] = dot[q];
        }
      }
      // The units of a strip have the columns from first_block U to the strip's last row.
      const int units_end = units_before(strips);
#pragma unroll 1
      for (int u = warp; u < units_end; u += WARPS) {
        int i = first;
        while (u >= units_before(i + 1)) ++i;
        const int r0 = i * S, c0 = (first_block + u - units_before(i)) * U;
        T v_rows[8], rows[8];
        Rows::load(v_rows, v + r0, lane);
#pragma unroll
        for (int q = 0; q < 8; ++q) {
          rows[q] = T(0);
          if (r0 + Rows::row(lane, q) == k + 1) v_rows[q] = h.v0;
        }
#pragma unroll 1
        for (int c = U == 16 ? c0 : max(c0, (k + 1) / 16 * 16); c < c0 + U; c += 16) {
          T entries[4][8], columns[4];
#pragma unroll
          for (int q = 0; q < 4; ++q) Rows::load_from(entries[q], &a(r0, c + lane / 8 + 4 * q), lane, c - r0);
#pragma unroll
          for (int q = 0; q < 4; ++q) {
            const int column = c + lane / 8 + 4 * q;
            const T v_column = select(column == k + 1, h.v0, v[column]);
            T even = T(0), odd = T(0);
#pragma unroll
            for (int e = 0; e < 8; ++e) {
              rows[e] = fma(entries[q][e], v_column, rows[e]);
              T& sum = e % 2 == 0 ? even : odd;
              sum = fma(conj_of(entries[q][e]), v_rows[e], sum);
            }
            columns[q] = even + odd;
          }
          const int kept = sum_over_lanes<4, 3>(columns, 4, lane);
          sums[(Plan::row_slots + r0 / S) * NP + c + lane / 8 + 4 * kept] = columns[0];
        }
        const int kept = sum_over_lanes<8, 2>(rows, 16, lane);
#pragma unroll
        for (int q = 0; q < 2; ++q) sums[c0 / U * NP + r0 + Rows::row(lane, kept + q)] = rows[q];
      }
      __syncthreads();
      store_column();
      T y[OWN];
      R dot = 0;
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        y[q] = T(0);
        if (r > k && r < n) {
          T sum = before[q] * x[q];
          for (int slot = first_block; slot < (r / S + 1) * (S / U); ++slot) sum = sum + sums[slot * NP + r];
          for (int slot = Plan::row_slots + r / S; slot < Plan::row_slots + strips; ++slot)
            sum = sum + sums[slot * NP + r];
#pragma unroll 4
          for (int p = 0; p < j; ++p)
            sum = fma(-vs[p * NP + r], dots[NB + p], fma(-ws[p * NP + r], dots[p], sum));
          y[q] = sum;
          if (r == k + 1) v[r] = h.v0;
        }
        if (TN <= NP || r < NP) ys[r] = y[q];
        dot = dot + real_product(x[q], y[q]);
      }
      dot = block_sum<WARPS>(dot, parts + WARPS);
      half = R(0.5) * h.tau * (h.tau * dot);
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const T of_row = add_scaled(-half, x[q], h.tau * y[q]);  // w = tau y - half v
        if (TN <= NP || tid < NP) w[tid + TN * q] = of_row;
        diagonal[q] -= twice_real_product(x[q], of_row);
      }
    } else {
      __syncthreads();
      store_column();
#pragma unroll
      for (int q = 0; q < OWN; ++q) {
        const int r = tid + TN * q;
        if (TN <= NP || r < NP) v[r] = w[r] = ys[r] = T(0);
      }
      __syncthreads();
    }
    last_v0 = h.tau != 0 ? h.v0 : T(0);
    last_tau = h.tau;
    last_half = half;
    if (j < NB - 1) continue;

    // The entries below the diagonal of the columns behind the panel.
    __syncthreads();
    const int side = strips - first, tiles = side * (side + 1) / 2 * 4;
#pragma unroll 1
    for (int t = warp; t < tiles; t += WARPS) {
      int i = 0, at = t;
      while (at >= (i + 1) * 4) at -= ++i * 4;
      const int r0 = (first + i) * S, c0 = first * S + at * 16 + lane / 8;
      if (c0 - lane / 8 + 15 <= k) continue;
      T entries[4][8];
#pragma unroll
      for (int q = 0; q < 4; ++q) Rows::load(entries[q], &a(r0, c0 + 4 * q), lane);
#pragma unroll 1
      for (int p = 0; p < NB; ++p) {
        T v_rows[8], w_rows[8];
        Rows::load(v_rows, vs + p * NP + r0, lane);
        Rows::load(w_rows, ws + p * NP + r0, lane);
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const int c = c0 + 4 * q;
          const bool behind = c > k;
          const T vc = select(behind, conj_of(vs[p * NP + c]), T(0)),
                  wc = select(behind, conj_of(ws[p * NP + c]), T(0));
#pragma unroll
          for (int e = 0; e < 8; ++e) entries[q][e] = fma(-v_rows[e], wc, fma(-w_rows[e], vc, entries[q][e]));
        }
      }
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int c = c0 + 4 * q;
        if (r0 <= c)  // a block on the diagonal
#pragma unroll
          for (int e = 0; e < 8; ++e)
            if (r0 + Rows::row(lane, e) <= c) entries[q][e] = T(0);
        Rows::store(entries[q], &a(r0, c), lane);
      }
    }
    __syncthreads();
    k0 = k + 1;
  }
}

}  // namespace eigen_g::batched
