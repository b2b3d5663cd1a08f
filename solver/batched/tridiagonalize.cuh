// A = Q T Q^H for the matrices of a chunk, Q = H_1 H_2 ..., with each matrix in registers:
//
//   tridiagonalize_in_warps    NP = 8, 16 or 32: a warp has a matrix, with both triangles
//   tridiagonalize_in_blocks   NP = 48, 64, 96 or 128: a thread block has a matrix, the lower triangle in blocks of TX x TX entries
//
// NP is the padded order; the rows from n on are zero. A is scaled by 2^-exponent, so that its largest entry is between 1 and 2, and T belongs
// to the scaled matrix. Each kernel writes d, e, tau, phase, exponent and info of Work and the reflectors. info is -1 for a NaN or an
// infinity; the matrix then counts as zero.
// Source: LAPACK zhetd2, with v_1 not scaled to one.
#pragma once

#include "solver/batched/arithmetic.cuh"

namespace eigen_g::batched {

// Writes e, tau and phase for the reflector of column k. One thread calls it for all k in turn; `phase` is the product of the phases so far.
template <class T>
__device__ __forceinline__ void store_reflector(const Work<T>& work, std::int64_t row, int k,
                                                const Reflector<T>& h, T& phase) {
  work.e[row + k] = h.e;
  work.tau[row + k] = h.tau;
  if constexpr (is_complex<T>) {
    phase = phase * h.phase;
    work.phase[row + k + 1] = phase;
  }
}
// Writes exponent, info, and the entries of e, tau and phase that belong to no reflector. One thread calls it.
template <class T>
__device__ __forceinline__ void store_constants(const Work<T>& work, std::int64_t matrix, int n, int exponent,
                                                bool finite) {
  work.exponent[matrix] = exponent;
  work.info[matrix] = finite ? 0 : -1;
  work.e[matrix * work.ld + n - 1] = 0;
  work.tau[matrix * work.ld + n - 1] = 0;
  if constexpr (is_complex<T>) work.phase[matrix * work.ld] = T(1);
}

// Lane (tx, ty) of a warp has rows ty + 4 i and columns tx + 8 j of its matrix.
inline constexpr int warps_a_block = 4;
template <class T, int NP>
EIGEN_G_HOST_DEVICE constexpr int tridiagonalize_in_warps_shared() {
  return warps_a_block * 3 * NP * static_cast<int>(sizeof(T));
}
template <class T, int NP>
__global__ void __launch_bounds__(32 * warps_a_block, sizeof(T) == 8 ? 4 : 1)
    tridiagonalize_in_warps(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  using L = Limits<R>;
  constexpr int TX = 8, TY = 4, TR = NP / TY, TC = NP / TX;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tx = lane % TX, ty = lane / TX;
  const std::int64_t matrix = static_cast<std::int64_t>(blockIdx.x) * warps_a_block + warp;
  if (matrix >= chunk.count) return;
  T* const xs = reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory()) +
                warp * 3 * NP;  // [2][NP]: a column, in turns
  T* const ys = xs + 2 * NP;    // [NP]
  const std::int64_t id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id);
  const Reflectors<T> vs(work, matrix);
  const Triangle<T> source(chunk.a.of(id), chunk.lda.of(id), chunk.upper);

  T a[TR][TC];
  R largest = 0;
#pragma unroll
  for (int i = 0; i < TR; ++i)
#pragma unroll
    for (int j = 0; j < TC; ++j) {
      const int r = ty + TY * i, c = tx + TX * j;
      a[i][j] = r < n && c < n ? source(r, c) : T(0);
      const R size = largest_part(a[i][j]);
      if (!(size <= L::largest)) largest = R(INFINITY);
      if (size > largest) largest = size;
    }
  largest = warp_max(largest);
  const bool finite = largest <= L::largest;
  const int exponent = finite ? scale_exponent(largest) : 0;
  const R scale = scalbn(R(1), -exponent);
  if (lane == 0) store_constants(work, matrix, n, exponent, finite);
#pragma unroll
  for (int i = 0; i < TR; ++i)
#pragma unroll
    for (int j = 0; j < TC; ++j) a[i][j] = finite ? scale * a[i][j] : T(0);

  T phase = T(1);
#pragma unroll
  for (int j = 0; j < TC; ++j) {
#pragma unroll 1
    for (int kk = 0; kk < TX; ++kk) {
      const int k = j * TX + kk;
      if (k >= n) break;
      T* const x = xs + (k & 1) * NP;  // the column below its diagonal
      if (tx == kk) {
#pragma unroll
        for (int i = 0; i < TR; ++i) {
          const int r = ty + TY * i;
          x[r] = r > k ? a[i][j] : T(0);
          if (r == k) work.d[row + k] = real_of(a[i][j]);
        }
      }
      if (k == n - 1) break;
      __syncwarp();
      const T below = lane < NP && lane != k + 1 ? x[lane % NP] : T(0);
      const Reflector<T> h = make_reflector(x[k + 1], warp_sum(real_product(below, below)));
      if (lane == 0) store_reflector(work, row, k, h, phase);
      if (work.v && lane > k && lane < n) vs(lane, k) = select(lane == k + 1, h.v0, below);
      if (h.tau == 0) continue;

      T v[TC], rows[TR];
#pragma unroll
      for (int q = j; q < TC; ++q) v[q] = select(tx + TX * q == k + 1, h.v0, x[tx + TX * q]);
#pragma unroll
      for (int i = 0; i < TR; ++i) {
        rows[i] = T(0);
#pragma unroll
        for (int q = j; q < TC; ++q) rows[i] = fma(a[i][q], v[q], rows[i]);
      }
      const int first = sum_over_lanes<TR, 3>(rows, TX / 2, lane);
#pragma unroll
      for (int q = 0; q < kept_values(TR, 3); ++q) {  // lanes with the same sum write the same bits
        const int r = ty + TY * (first + q);
        ys[r] = r > k ? rows[q] : T(0);
      }
      __syncwarp();
      const T mine = select(lane == k + 1, h.v0, below);
      const R dot = warp_sum(lane < NP ? real_product(mine, ys[lane % NP]) : R(0));
      const R half = R(0.5) * h.tau * (h.tau * dot);
      T w[TC];  // A := A - v w^H - w v^H with w = tau y - half v
#pragma unroll
      for (int q = j; q < TC; ++q) {
        w[q] = conj_of(add_scaled(-half, v[q], h.tau * ys[tx + TX * q]));
        v[q] = conj_of(v[q]);
      }
#pragma unroll
      for (int i = 0; i < TR; ++i) {
        const int r = ty + TY * i;
        const T vr = select(r == k + 1, h.v0, x[r]), wr = add_scaled(-half, vr, h.tau * ys[r]);
#pragma unroll
        for (int q = j; q < TC; ++q) a[i][q] = fma(-wr, v[q], fma(-vr, w[q], a[i][q]));
      }
      __syncwarp();
    }
  }
}

// Threads of tridiagonalize_in_blocks() in a row and in a column.
EIGEN_G_HOST_DEVICE constexpr int threads_across(int np) {
  return np <= 64 ? 8 : 16;
}
template <class T, int NP>
EIGEN_G_HOST_DEVICE constexpr int tridiagonalize_registers() {
  constexpr int entries = NP / threads_across(NP) == 8 ? 36 : 21, words = sizeof(T) / 4;
  return words == 1      ? (entries == 36 ? 96 : 80)
         : words == 2    ? (entries == 36 ? 128 : 96)
         : entries == 36 ? 255
                         : 168;
}
template <class T, int NP>
EIGEN_G_HOST_DEVICE constexpr int tridiagonalize_shared() {
  constexpr int threads = threads_across(NP) * threads_across(NP);
  return (4 * NP + threads / 32 * NP) * static_cast<int>(sizeof(T)) + (NP + 31) / 32 * 8 + threads / 32 * 8;
}

// Thread (tx, ty) has blocks (i, j), i >= j: entry (ty + TX i, tx + TX j) of the matrix. The blocks on the diagonal are whole. A product
// with A takes both halves: sums over tx for the rows, and over ty for the columns. Three barriers a column.
template <class T, int NP>
__global__ void EIGEN_G_REGISTERS(threads_across(NP) * threads_across(NP), 1,
                                  (tridiagonalize_registers<T, NP>()))
    tridiagonalize_in_blocks(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  using L = Limits<R>;
  constexpr int TX = threads_across(NP), TC = NP / TX, warps = TX * TX / 32, rows_of_warps = (NP + 31) / 32;
  constexpr int row_steps = TX == 16 ? 4 : 3, column_steps = TX == 16 ? 1 : 2;
  static_assert(TC * TX == NP);
  T* const xs = reinterpret_cast<T*>(
      DynamicShared<pair_t<R>>::memory());  // [2][NP]: a column of A below its diagonal, in turns
  T* const ys = xs + 2 * NP;                // [NP]
  T* const row_sums = ys + NP;              // [NP]
  T* const column_sums = row_sums + NP;     // [warps][NP]
  R* const part = reinterpret_cast<R*>(column_sums + warps * NP);  // [rows_of_warps]
  R* const maxima = part + rows_of_warps;                          // [warps]
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, tx = tid % TX, ty = tid / TX;
  const std::int64_t matrix = blockIdx.x, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id);
  const Reflectors<T> vs(work, matrix);
  const Triangle<T> source(chunk.a.of(id), chunk.lda.of(id), chunk.upper);

  T a[TC][TC];
  R largest = 0;
#pragma unroll
  for (int i = 0; i < TC; ++i)
#pragma unroll
    for (int j = 0; j <= i; ++j) {
      const int r = ty + TX * i, c = tx + TX * j;
      a[i][j] = r < n && c < n ? source(r, c) : T(0);
      const R size = largest_part(a[i][j]);
      if (!(size <= L::largest)) largest = R(INFINITY);
      if (size > largest) largest = size;
    }
  largest = warp_max(largest);
  if (lane == 0) maxima[warp] = largest;
  __syncthreads();  // all of A is read before the first reflector is stored
#pragma unroll
  for (int q = 0; q < warps; ++q) largest = maxima[q] > largest ? maxima[q] : largest;
  const bool finite = largest <= L::largest;
  const int exponent = finite ? scale_exponent(largest) : 0;
  const R scale = scalbn(R(1), -exponent);
  if (tid == 0) store_constants(work, matrix, n, exponent, finite);
#pragma unroll
  for (int i = 0; i < TC; ++i)
#pragma unroll
    for (int j = 0; j <= i; ++j) a[i][j] = finite ? scale * a[i][j] : T(0);

  T phase = T(1);
#pragma unroll
  for (int j = 0; j < TC; ++j) {
#pragma unroll 1
    for (int kk = 0; kk < TX; ++kk) {
      const int k = j * TX + kk;
      if (k >= n) break;
      T* const x = xs + (k & 1) * NP;
      if (tx == kk) {
#pragma unroll
        for (int i = 0; i < TC; ++i) {
          const int r = ty + TX * i;
          T value = T(0);
          if (i > j) value = a[i][j];
          if (i == j) {
            if (r > k) value = a[i][j];
            if (r == k) work.d[row + k] = real_of(a[i][j]);
          }
          x[r] = value;
        }
      }
      if (k == n - 1) break;
      __syncthreads();
      R squares = 0;
#pragma unroll
      for (int q = 0; q < rows_of_warps; ++q) {
        const int r = lane + 32 * q;
        if ((NP % 32 == 0 || r < NP) && r != k + 1) squares = add_real_product(x[r], x[r], squares);
      }
      const Reflector<T> h = make_reflector(x[k + 1], warp_sum(squares));
      if (tid == 0) store_reflector(work, row, k, h, phase);
      if (work.v && tid > k && tid < n) vs(tid, k) = select(tid == k + 1, h.v0, x[tid]);
      if (h.tau == 0) continue;

      T v[TC], rows[TC], columns[TC];
#pragma unroll
      for (int q = j; q < TC; ++q) {
        v[q] = x[tx + TX * q];
        if (q <= j + 1 && tx + TX * q == k + 1) v[q] = h.v0;
      }
#pragma unroll
      for (int q = 0; q < TC; ++q) rows[q] = columns[q] = T(0);
#pragma unroll
      for (int i = j; i < TC; ++i) {
        T vr = x[ty + TX * i];
        if (i <= j + 1 && ty + TX * i == k + 1) vr = h.v0;
#pragma unroll
        for (int q = j; q <= i; ++q) {
          rows[i] = fma(a[i][q], v[q], rows[i]);
          if (q < i) columns[q] = fma(conj_of(a[i][q]), vr, columns[q]);
        }
      }
      const int first_row = sum_over_lanes<TC, row_steps>(rows, TX / 2, lane);
#pragma unroll
      for (int q = 0; q < kept_values(TC, row_steps); ++q) row_sums[ty + TX * (first_row + q)] = rows[q];
      const int first_column = sum_over_lanes<TC, column_steps>(columns, 16, lane);
#pragma unroll
      for (int q = 0; q < kept_values(TC, column_steps); ++q)
        column_sums[warp * NP + tx + TX * (first_column + q)] = columns[q];
      __syncthreads();
      if (warp < rows_of_warps) {
        R dot = 0;
        if (NP % 32 == 0 || tid < NP) {
          T y = row_sums[tid];
#pragma unroll
          for (int q = 0; q < warps; ++q) y = y + column_sums[q * NP + tid];
          if (tid <= k) y = T(0);
          ys[tid] = y;
          dot = real_product(select(tid == k + 1, h.v0, x[tid]), y);
        }
        dot = warp_sum(dot);
        if (lane == 0) part[warp] = dot;
      }
      __syncthreads();
      R dot = part[0];
#pragma unroll
      for (int q = 1; q < rows_of_warps; ++q) dot += part[q];
      const R half = R(0.5) * h.tau * (h.tau * dot);
      T w[TC];  // A := A - v w^H - w v^H with w = tau y - half v
#pragma unroll
      for (int q = j; q < TC; ++q) {
        w[q] = conj_of(add_scaled(-half, v[q], h.tau * ys[tx + TX * q]));
        v[q] = conj_of(v[q]);
      }
#pragma unroll
      for (int i = j; i < TC; ++i) {
        const int r = ty + TX * i;
        T vr = x[r];
        if (i <= j + 1 && r == k + 1) vr = h.v0;
        const T wr = add_scaled(-half, vr, h.tau * ys[r]);
#pragma unroll
        for (int q = j; q <= i; ++q) a[i][q] = fma(-wr, v[q], fma(-vr, w[q], a[i][q]));
      }
    }
  }
}

}  // namespace eigen_g::batched
