// Cholesky QR of a panel of 64 columns, twice, and Householder vectors from its Q. Three kernels:
//
//   gram_kernel       G1 = P^T P
//   first_kernel      G1 = R1^T R1, Q1 = P R1^-1, G2 = Q1^T Q1
//   second_kernel     G2 = R2^T R2, Q = Q1 R2^-1, R = R2 R1
//                     Q - [S; 0] = V U, without pivots; S is diagonal with entries 1 and -1, and U is upper triangular
//                     I - V T V^T has the first columns Q S, and P = (Q S) (S R): T = -U S V1^-T, where V1 is V's top
//                     W = V T = -(Q - [S; 0]) S V1^-T
//
// S_jj is the sign that differs from the pivot's, so no pivot of U is smaller than 1. A thread block has 64 rows of the panel. Each block
// factors the small matrices itself by the same operations; so no block waits for another one within a kernel.
//
// A small matrix and the rows of the panel that are multiplied with its inverse are below each other in shared memory. A step eliminates
// eight columns: each thread factors the block on the diagonal and solves one row; then tensor cores update the columns that follow.
//
// If every entry of E = G2 - I is so small that products of two entries do not count, R2 = I + U and R2^-1 = I - U. U has the entries of E
// above the diagonal, and half of them on it. Then the second factor needs no elimination.
#pragma once

#include <cmath>
#include <cstdint>

#include "hybrid/fast_inverse.hpp"
#include "hybrid/multiply_8x8x4.cuh"
#include "hybrid/stream/cluster.cuh"
#include "hybrid/stream/dependent_launch.cuh"
#include "hybrid/stream/dynamic_shared.cuh"

namespace eigen_g::panel_by_cholesky {

constexpr int columns = 64, tile_rows = 64;  // columns of a panel, its rows in a block
constexpr int side = 8;  // a tile of the tensor cores has 8 x 8 entries, and a step has 8 columns
constexpr int sides = columns / side;
constexpr int blocks_of_cluster = 8;
constexpr int gram_values = sides * (sides + 1) / 2 * side * side;  // the tiles on and below the diagonal
constexpr int gram_share =
    gram_values / blocks_of_cluster;  // each block of a cluster adds this number of entries
static_assert(gram_values % blocks_of_cluster == 0);

// Strides of columns in shared memory: 4 more than a multiple of 16, so that the tensor cores' operands are in different banks.
constexpr int gram_stride = tile_rows + 4, first_stride = columns + tile_rows + 4,
              second_stride = 4 * tile_rows + 4;
constexpr int threads = 256, warps = threads / 32;
static_assert(warps == sides);  // a warp has a row of tiles of each matrix
constexpr int gram_shared = 8 * columns * gram_stride, first_shared = 8 * columns * (first_stride + 2),
              second_shared = 8 * columns * (second_stride + 3 + 2 * side);

// The first factor fails if a pivot is at most this part of its diagonal entry. A panel of such a condition fails the second test, too.
constexpr double smallest_pivot = 1e-13;
// The second factor fails if a pivot, which is 1 up to rounding errors times the condition's square, differs from 1 by more.
constexpr double largest_deviation = 0.1;
// R2 = I + U if no entry of G2 - I is larger: the sum of 64 products of two such entries is below the unit roundoff.
constexpr double small_deviation = 0x1p-31;
static_assert(columns * small_deviation * small_deviation < 0x1p-54);
// Range of squares without underflow or overflow of their sums and products.
constexpr double smallest_square = 1e-200, largest_square = 1e280;
// A column counts as tiny if its square is at most this factor times the negligible one.
constexpr double negligible_factor = 1024;

struct Memory {
  double *sums, *gram,
      *r1;  // clusters x gram_values; 2 x gram_values; 64 x 64: R1(k, c) at k 64 + c, zeros for c < k
  unsigned* counters;  // 2 x blocks_of_cluster; zero between panels
  unsigned* state;     // the first factor is good; the panel is done
};

// T is the type of the panel and of the result: float or double. All arithmetic is in double.
template <class T>
struct Panel {
  std::int32_t rows;  // at least 128
  const T* p;
  std::int64_t ldp;
  double* q;  // Q1; its memory may not overlap any other
  std::int64_t ldq;
  T* v[2];  // may be the panel's memory
  std::int64_t ldv[2];
  T* w;
  std::int64_t ldw;
  T *tau, *band;
  std::int64_t ldb;
  const T* negligible;
  Memory at;
};

constexpr std::int64_t tiles_of(std::int64_t rows) {
  return (rows + tile_rows - 1) / tile_rows;
}
constexpr std::int64_t clusters_of(std::int64_t rows) {
  return (tiles_of(rows) + blocks_of_cluster - 1) / blocks_of_cluster;
}

// The arrays of a reduction whose panels have at most `rows` rows; the counters are first.
template <class Arena>
Memory memory_in(Arena& arena, std::int64_t rows) {
  Memory at{};
  at.counters = arena.template take<unsigned>(2 * blocks_of_cluster);
  at.state = arena.template take<unsigned>(2);
  at.sums = arena.template take<double>(clusters_of(rows) * gram_values);
  at.gram = arena.template take<double>(2 * gram_values);
  at.r1 = arena.template take<double>(columns * columns);
  return at;
}

// Columns of a tile in the order of the tensor cores: D's two values of a lane are then in different banks of the lanes.
__device__ inline int tile_column(int k) {
  return k / 2 + k % 2 * (side / 2);
}

// The tiles (k, b) of a matrix Y, b > k, as the tensor cores' second operand. Y(k, j) at y[k y_k + j y_j]; `y` is at the tile (k, 0).
struct TilesOfRow {
  double values[sides][2];
};
__device__ inline TilesOfRow load_tiles(const double* y, int y_k, int y_j, int k) {
  const int lane = threadIdx.x % 32;
  const double* const from = y + lane % 4 * y_k + tile_column(lane / 4) * y_j;
  TilesOfRow tiles{};
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k) {
      tiles.values[b][0] = from[side * b * y_j];
      tiles.values[b][1] = from[4 * y_k + side * b * y_j];
    }
  return tiles;
}

// C(b) -= X Y(k, b) for the tiles b = k + 1 ... last of a row of tiles: C(b)(i, j) at row[(8 b + j) stride + i], X = C(k).
template <int stride>
__device__ inline void subtract_products(double* row, const TilesOfRow& y, int k, int last) {
  const int lane = threadIdx.x % 32;
  double* const own = row + lane % 4 * stride + lane / 4;
  const double x0 = -own[side * k * stride], x1 = -own[(side * k + 4) * stride];
  double2 d[sides] = {};
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k && b <= last) d[b] = {own[side * b * stride], own[(side * b + 4) * stride]};
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k && b <= last) multiply_8x8x4(d[b], x0, y.values[b][0]);
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k && b <= last) multiply_8x8x4(d[b], x1, y.values[b][1]);
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k && b <= last) {
      own[side * b * stride] = d[b].x;
      own[(side * b + 4) * stride] = d[b].y;
    }
}

// Row of tiles of tile t of a lower triangle that is stored by rows of tiles.
__device__ inline int row_of_tile(int t) {
  return (t >= 1) + (t >= 3) + (t >= 6) + (t >= 10) + (t >= 15) + (t >= 21) + (t >= 28);
}

// sums := X^T X; X(i, c) at x[c stride + i], 64 x 64. `sums` may overlap X.
template <int stride>
__device__ inline void gram_of_tile(const double* x, double* sums) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int a = warp < 4 ? warp : 11 - warp;  // row of tiles; two warps of the same scheduler have nine tiles
  double2 sum[sides] = {};
  const double* const from = x + lane / 4 * stride + lane % 4;
#pragma unroll 4
  for (int k = 0; k < tile_rows; k += 4) {
    const double own = from[a * side * stride + k];
#pragma unroll
    for (int b = 0; b < sides; ++b)
      if (b <= a) multiply_8x8x4(sum[b], own, from[b * side * stride + k]);
  }
  __syncthreads();
#pragma unroll
  for (int b = 0; b < sides; ++b)
    if (b <= a) {
      double* const to = sums + (a * (a + 1) / 2 + b) * side * side + 2 * lane;
      to[0] = sum[b].x;
      to[1] = sum[b].y;
    }
}

// gram := sum of all blocks' sums. First the blocks of a cluster are added, in order, then the clusters, in order, by the blocks that are last.
// `sums` is at the beginning of shared memory; the value behind it is overwritten.
__device__ inline void add_blocks(double* sums, const Memory& at, int which, int clusters) {
  const int tid = threadIdx.x, block = blockIdx.x, rank = block % blocks_of_cluster,
            own = block / blocks_of_cluster;
  const int first = rank * gram_share;
  cluster_barrier();
  for (int e = tid; e < gram_share; e += threads) {
    double part[blocks_of_cluster], sum = 0;
#pragma unroll
    for (int r = 0; r < blocks_of_cluster; ++r) part[r] = *in_block_of_cluster(sums + first + e, r);
#pragma unroll
    for (int r = 0; r < blocks_of_cluster; ++r) sum += part[r];
    at.sums[static_cast<std::int64_t>(own) * gram_values + first + e] = sum;
  }
  __threadfence();
  cluster_barrier();  // no block ends while others read its shared memory
  unsigned* const counter = at.counters + which * blocks_of_cluster + rank;
  unsigned* const before = reinterpret_cast<unsigned*>(sums + gram_values);
  if (tid == 0) *before = atomicAdd(counter, 1U);
  __syncthreads();
  if (*before + 1 != static_cast<unsigned>(clusters)) return;
  __threadfence();
  for (int e = tid; e < gram_share; e += threads) {
    constexpr int batch = 8;
    double sum = 0;
    for (int c = 0; c < clusters; c += batch) {
      double part[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        part[k] = c + k < clusters
                      ? __ldcg(at.sums + static_cast<std::int64_t>(c + k) * gram_values + first + e)
                      : 0;
#pragma unroll
      for (int k = 0; k < batch; ++k) sum += part[k];
    }
    at.gram[which * gram_values + first + e] = sum;
  }
  if (tid == 0) *counter = 0;
}

// A thread's entries of a Gram matrix. All loads of a kernel are issued before the first value is stored in shared memory.
constexpr int gram_a_thread = gram_values / threads;
static_assert(gram_values % threads == 0);
struct GramEntries {
  double values[gram_a_thread];

  __device__ explicit GramEntries(const double* gram) {
#pragma unroll
    for (int k = 0; k < gram_a_thread; ++k) values[k] = gram[threadIdx.x + k * threads];
  }
  // G(i, j) at g[j stride + i] for i >= j. Calls visit(i, j, value) for these entries and for the other entries of the tiles on the diagonal.
  template <int stride, class Visit>
  __device__ void store(double* g, const Visit& visit) const {
#pragma unroll
    for (int k = 0; k < gram_a_thread; ++k) {
      const int e = threadIdx.x + k * threads, tile = e / (side * side), a = row_of_tile(tile),
                b = tile - a * (a + 1) / 2, i = side * a + e / side % side, j = side * b + e % side;
      g[j * stride + i] = values[k];
      visit(i, j, values[k]);
    }
  }
};

// A thread's entries of 64 rows of X, in double; zeros from row `rows` on.
constexpr int columns_at_once = threads / tile_rows, columns_a_thread = columns / columns_at_once;
struct RowEntries {
  double values[columns_a_thread];

  template <class T>
  __device__ RowEntries(const T* x, std::int64_t ldx, std::int64_t first, std::int64_t rows) {
    const int i = threadIdx.x % tile_rows;
    const bool any = first + i < rows;
    const T* const from = x + first + i + threadIdx.x / tile_rows * ldx;
#pragma unroll
    for (int k = 0; k < columns_a_thread; ++k) values[k] = any ? double{from[k * columns_at_once * ldx]} : 0;
  }
  template <int stride>
  __device__ void store(double* to) const {
    double* const own = to + threadIdx.x / tile_rows * stride + threadIdx.x % tile_rows;
#pragma unroll
    for (int k = 0; k < columns_a_thread; ++k) own[k * columns_at_once * stride] = values[k];
  }
};

// G = R^T R and X := X R^-1. G is in rows 0 to 63 of g, X in the `more` rows below; then R(k, c) is at g[k stride + c]. A thread has a row.
// good(pivot, column) tests the pivots. Returns for the threads of X whether all are good; the other threads have no result.
template <int stride, int more, class Good>
__device__ inline bool cholesky(double* g, const Good& good) {
  const int row = threadIdx.x, warp = threadIdx.x / 32;
  static_assert(columns + more <= threads);
  bool all_good = true;
#pragma unroll 1
  for (int k0 = 0; k0 < columns; k0 += side) {
    const bool any = row >= k0 && row < columns + more;
    double d[side][side], x[side];
    if (any) {
#pragma unroll
      for (int t = 0; t < side; ++t) {
#pragma unroll
        for (int s = t; s < side; ++s) d[t][s] = g[(k0 + t) * stride + k0 + s];
        x[t] = g[(k0 + t) * stride + row];
      }
    }
    __syncthreads();
    if (any) {
#pragma unroll
      for (int t = 0; t < side; ++t) {
        all_good = all_good & good(d[t][t], k0 + t);
        const double inverse = inverse_root(d[t][t]);
        x[t] *= inverse;
#pragma unroll
        for (int s = t + 1; s < side; ++s) {
          d[t][s] *= inverse;
          x[s] = fma(-x[t], d[t][s], x[s]);
        }
#pragma unroll
        for (int s = t + 1; s < side; ++s)
#pragma unroll
          for (int u = s; u < side; ++u) d[s][u] = fma(-d[t][s], d[t][u], d[s][u]);
      }
#pragma unroll
      for (int t = 0; t < side; ++t)
        if (row >= k0 + t) g[(k0 + t) * stride + row] = x[t];
    }
    __syncthreads();
    const int k = k0 / side;
    const TilesOfRow y = load_tiles(g + k0 * stride, stride, 1, k);
#pragma unroll 1
    for (int a = warp; a < (columns + more) / side; a += warps)
      subtract_products<stride>(g + side * a, y, k, a < sides ? a : sides - 1);
    __syncthreads();
  }
  return all_good;
}

// Launched in clusters of blocks_of_cluster, as first_kernel. Each of the last two kernels may start before the end of the one before.
template <class T>
static __global__ void __launch_bounds__(threads) gram_kernel(Panel<T> p, int clusters) {
  allow_next_kernel();
  double* const x = DynamicShared<double>::memory();
  RowEntries(p.p, p.ldp, static_cast<std::int64_t>(blockIdx.x) * tile_rows, p.rows)
      .template store<gram_stride>(x);
  __syncthreads();
  gram_of_tile<gram_stride>(x, x);
  add_blocks(x, p.at, 0, clusters);
}

template <class T>
static __global__ void __launch_bounds__(threads) first_kernel(Panel<T> p, int clusters) {
  double* const g = DynamicShared<double>::memory();
  double* const smallest = g + columns * first_stride;  // pivots
  double* const state = smallest + columns;
  const int tid = threadIdx.x, i = tid % tile_rows, part = tid / tile_rows;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile_rows;
  allow_next_kernel();
  wait_for_previous_kernels();
  double least = smallest_square;
  if (p.negligible) least = max(least, negligible_factor * double{*p.negligible});
  const GramEntries gram(p.at.gram);
  const RowEntries entries(p.p, p.ldp, first, p.rows);
  gram.store<first_stride>(g, [&](int row, int column, double value) {
    if (row == column)
      smallest[row] = value < largest_square ? max(least, smallest_pivot * value) : largest_square;
  });
  entries.template store<first_stride>(g + columns);
  __syncthreads();
  const bool good =
      cholesky<first_stride, tile_rows>(g, [&](double pivot, int c) { return pivot > smallest[c]; });
  if (tid == columns) {
    *state = good ? 1 : 0;
    if (blockIdx.x == 0) p.at.state[0] = good ? 1 : 0;
  }
  __syncthreads();
  if (*state == 0) return;  // in every block of the grid
  if (first + i < p.rows)
    for (int c = part; c < columns; c += threads / tile_rows)
      p.q[first + i + c * p.ldq] = g[c * first_stride + columns + i];
  if (blockIdx.x == 0)
    for (int c = part; c < columns; c += threads / columns)
      p.at.r1[c * columns + i] = i >= c ? g[c * first_stride + i] : 0;
  gram_of_tile<first_stride>(g + columns, g);
  add_blocks(g, p.at, 1, clusters);
}

// Rows of shared memory: R2, then W; Q1's first 64 rows, then V1 below the diagonal and U; the block's rows of Q, then of V; the same of Q.
// In the block that writes R, R1^T is in the place of Q.
constexpr int at_w = 0, at_top = tile_rows, at_v = 2 * tile_rows, at_q = 3 * tile_rows;

// X := X (I - U) for the rows at_top and at_v, for U of R2 = I + U: E(i, j) at g[j stride + i] for i >= j.
__device__ inline void multiply_by_small_factor(double* g) {
  constexpr int stride = second_stride;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int k = lane % 4, column = tile_column(lane / 4);
  double* const top = g + at_top + side * warp + k * stride + lane / 4;
  double* const low = top + at_v - at_top;
  double2 of_top[sides], of_low[sides];
#pragma unroll
  for (int b = 0; b < sides; ++b) {
    of_top[b] = {top[side * b * stride], top[(side * b + 4) * stride]};
    of_low[b] = {low[side * b * stride], low[(side * b + 4) * stride]};
  }
#pragma unroll
  for (int s = 0; s < columns / 4; ++s) {
    const double x_top = -top[4 * s * stride], x_low = -low[4 * s * stride];
#pragma unroll
    for (int b = s / 2; b < sides; ++b) {
      const int row = 4 * s + k, to = side * b + column;
      double u = g[row * stride + (to >= row ? to : row)];
      if (b == s / 2) u = to > row ? u : to == row ? u / 2 : 0;
      multiply_8x8x4(of_top[b], x_top, u);
      multiply_8x8x4(of_low[b], x_low, u);
    }
  }
  __syncwarp();
#pragma unroll
  for (int b = 0; b < sides; ++b) {
    top[side * b * stride] = of_top[b].x;
    top[(side * b + 4) * stride] = of_top[b].y;
    low[side * b * stride] = of_low[b].x;
    low[(side * b + 4) * stride] = of_low[b].y;
  }
}

// The entries of a 64 x 64 matrix that a thread has after a product of the tensor cores: f(row, first column, values of two columns).
template <class F>
__device__ inline void each_pair(double2 (&sum)[sides], const F& f) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int b = 0; b < sides; ++b) f(side * warp + lane / 4, side * b + 2 * (lane % 4), sum[b]);
}

// The thread's entries of R2 R1, with R1(k, c) at g[k stride + at_q + c]. small: R2 = I + U.
__device__ inline void product_of_factors(const double* g, bool small, double2 (&sum)[sides]) {
  constexpr int stride = second_stride;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = side * warp + lane / 4, k = lane % 4;
#pragma unroll
  for (int b = 0; b < sides; ++b) sum[b] = {};
#pragma unroll 2
  for (int s = 2 * warp; s < columns / 4; ++s) {
    const int at = 4 * s + k;
    double x = at >= row ? g[row * stride + at] : 0;
    if (small && at == row) x = 1 + x / 2;
    const double* const y = g + at * stride + at_q + lane / 4;
#pragma unroll
    for (int b = 0; b < sides; ++b) multiply_8x8x4(sum[b], x, y[side * b]);
  }
}

// The factors of Q - [S; 0] and what the elimination needs of them, in shared memory.
struct Elimination {
  double* g;
  double *inverse_of_u, *inverse_of_l;  // inverses of the blocks on the diagonal, 8 x 8, by rows
  double *signs, *tau;
  bool in_top;  // the block's rows are the first ones
};

// The LU of the block k on the diagonal by one warp, and the inverses of its factors. Each lane has the whole block. One of 16 lanes has a row of
// U^-1 or a column of L^-1.
__device__ inline void factor_diagonal_block(const Elimination& e, int k) {
  constexpr int stride = second_stride;
  const int lane = threadIdx.x % 32, own = lane % side;
  const bool of_row = lane % (2 * side) < side;
  double* const block = e.g + side * k * stride + at_top + side * k;
  double d[side][side], x[side];
#pragma unroll
  for (int t = 0; t < side; ++t) {
    x[t] = t == own ? 1 : 0;
#pragma unroll
    for (int s = 0; s < side; ++s) d[s][t] = block[t * stride + s];
  }
  __syncwarp();
#pragma unroll
  for (int t = 0; t < side; ++t) {
    const double sign = d[t][t] >= 0 ? -1 : 1;
    d[t][t] -= sign;
    const double inverse = inverse_of(d[t][t]);
    if (lane == 0) {
      e.signs[side * k + t] = sign;
      e.tau[side * k + t] = -d[t][t] * sign;
    }
    if (of_row) x[t] *= inverse;
#pragma unroll
    for (int s = t + 1; s < side; ++s) {
      d[s][t] *= inverse;
      x[s] = fma(-x[t], of_row ? d[t][s] : d[s][t], x[s]);
#pragma unroll
      for (int u = t + 1; u < side; ++u) d[s][u] = fma(-d[s][t], d[t][u], d[s][u]);
    }
  }
  double* const inverses = (of_row ? e.inverse_of_u : e.inverse_of_l) + side * side * k;
#pragma unroll
  for (int t = 0; t < side; ++t) {
    if (lane < 2 * side) inverses[of_row ? own * side + t : t * side + own] = x[t];
    if (lane == t)
#pragma unroll
      for (int u = 0; u < side; ++u) block[u * stride + t] = d[t][u];
  }
}

// U(k, b) := L(k, k)^-1 A(k, b) for b > k, by one warp.
__device__ inline void finish_row_of_u(const Elimination& e, int k) {
  constexpr int stride = second_stride;
  const int lane = threadIdx.x % 32;
  const double* const l = e.inverse_of_l + side * side * k + lane / 4 * side + lane % 4;
  const double l0 = l[0], l1 = l[4];
  const TilesOfRow a = load_tiles(e.g + at_top + side * k, 1, stride, k);
  double* const to = e.g + lane % 4 * stride + at_top + side * k + lane / 4;
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k) {
      double2 d{};
      multiply_8x8x4(d, l0, a.values[b][0]);
      multiply_8x8x4(d, l1, a.values[b][1]);
      to[side * b * stride] = d.x;
      to[(side * b + 4) * stride] = d.y;
    }
}

// X := (X + M) Y^-1 for the tile k of a row of tiles, then C(b) -= X Y(k, b) for b > k. inverse: Y^-1(i, j) at i step_i + j step_j.
__device__ inline void eliminate_tile(double* row, double2 m, const double* inverse, int step_i, int step_j,
                                      const TilesOfRow& y, int k) {
  constexpr int stride = second_stride;
  const int lane = threadIdx.x % 32;
  double* const own = row + lane % 4 * stride + lane / 4;
  const double* const from = inverse + lane % 4 * step_i + tile_column(lane / 4) * step_j;
  double2 x{}, d[sides] = {};
  multiply_8x8x4(x, own[side * k * stride] + m.x, from[0]);
  multiply_8x8x4(x, own[(side * k + 4) * stride] + m.y, from[4 * step_i]);
  own[side * k * stride] = x.x;
  own[(side * k + 4) * stride] = x.y;
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k) d[b] = {own[side * b * stride], own[(side * b + 4) * stride]};
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k) multiply_8x8x4(d[b], -x.x, y.values[b][0]);
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k) multiply_8x8x4(d[b], -x.y, y.values[b][1]);
#pragma unroll
  for (int b = 1; b < sides; ++b)
    if (b > k) {
      own[side * b * stride] = d[b].x;
      own[(side * b + 4) * stride] = d[b].y;
    }
}

// Step k of the warp's rows of V1 or of V: X U = A.
__device__ inline void step_of_v(const Elimination& e, double* row, int k) {
  eliminate_tile(row, {}, e.inverse_of_u + side * side * k, side, 1,
                 load_tiles(e.g + at_top + side * k, 1, second_stride, k), k);
}

// Step k of the warp's rows of W: W V1^T = -(Q - [S; 0]) S.
__device__ inline void step_of_w(const Elimination& e, int k) {
  constexpr int stride = second_stride;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = side * warp + lane / 4, column = side * k + lane % 4;
  const double* const q = e.g + column * stride + at_q + row;
  const auto m = [&](int c, double value) {
    return fma(-e.signs[c], value, e.in_top && row == c ? 1.0 : 0.0);
  };
  eliminate_tile(e.g + at_w + side * warp, {m(column, q[0]), m(column + 4, q[4 * stride])},
                 e.inverse_of_l + side * side * k, 1, side,
                 load_tiles(e.g + side * k * stride + at_top, stride, 1, k), k);
}

// The elimination. Warp k has the row of tiles k of the top, and a row of tiles of V and of W. It factors block k on the diagonal; meanwhile the
// other warps do their steps of V and W, which are behind.
__device__ inline void householder_vectors(const Elimination& e) {
  const int warp = threadIdx.x / 32;
  int of_v = 0, of_w = 0;  // the next steps
#pragma unroll 1
  for (int k = 0; k <= sides; ++k) {
    if (k > 0 && k < sides && warp >= k) step_of_v(e, e.g + at_top + side * warp, k - 1);
    if (warp == k) {
      __syncwarp();
      factor_diagonal_block(e, k);
      __syncwarp();
      finish_row_of_u(e, k);
    } else {
#pragma unroll 1
      for (; of_v < k; ++of_v) step_of_v(e, e.g + at_v + side * warp, of_v);
#pragma unroll 1
      for (; of_w < k - 1; ++of_w) step_of_w(e, of_w);
    }
    __syncthreads();
  }
  step_of_w(e, of_w);
  __syncthreads();
}

// One block more than there are tiles: the last one writes R, tau and the state.
template <class T>
static __global__ void __launch_bounds__(threads, 1) second_kernel(Panel<T> p, int tiles) {
  constexpr int stride = second_stride;
  double* const g = DynamicShared<double>::memory();
  double* const signs = g + columns * stride;
  double* const tau = signs + columns;
  double* const inverses = tau + columns;
  double* const state = inverses + 2 * columns * side;  // G2 - I has a large entry; the second factor is good
  const int tid = threadIdx.x, i = tid % tile_rows, part = tid / tile_rows;
  const bool writes_r = static_cast<int>(blockIdx.x) == tiles;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile_rows;
  if (tid < 2) state[tid] = 0;
  wait_for_previous_kernels();
  if (p.at.state[0] == 0) {
    if (writes_r && tid == 0) p.at.state[1] = 0;
    return;
  }
  const GramEntries gram(p.at.gram + gram_values);
  const RowEntries top(p.q, p.ldq, 0, p.rows), own(p.q, p.ldq, first, p.rows);
  __syncthreads();
  gram.store<stride>(g, [&](int row, int column, double value) {
    if (!(fabs(row == column ? value - 1 : value) <= small_deviation)) state[0] = 1;
    if (row == column) tau[row] = value - 1;
  });
  top.store<stride>(g + at_top);
  own.store<stride>(g + at_v);
  if (writes_r) RowEntries(p.at.r1, columns, 0, columns).template store<stride>(g + at_q);
  __syncthreads();
  const bool small = state[0] == 0;
  if (small) {
    if (tid < columns) g[tid * stride + tid] = tau[tid];
    __syncthreads();
    multiply_by_small_factor(g);
  } else {
    const bool good = cholesky<stride, 2 * tile_rows>(
        g, [](double pivot, int) { return fabs(pivot - 1) <= largest_deviation; });
    if (tid == columns) state[1] = good ? 1 : 0;
  }
  __syncthreads();
  const bool done = small || state[1] != 0;
  if (writes_r && tid == 0) p.at.state[1] = done ? 1 : 0;
  if (!done) return;
  double2 r[sides] = {};
  if (writes_r) product_of_factors(g, small, r);
  __syncthreads();
  for (int c = part; c < columns; c += threads / tile_rows) {
    g[c * stride + at_q + i] = g[c * stride + at_v + i];
    g[c * stride + at_w + i] = 0;
  }
  __syncthreads();
  householder_vectors({g, inverses, inverses + columns * side, signs, tau, blockIdx.x == 0});
  if (writes_r) {
    each_pair(r, [&](int row, int column, double2 values) {
      T* const to = p.band + columns + row - column + column * p.ldb;
      if (row <= column) to[0] = static_cast<T>(signs[row] * values.x);
      if (row <= column + 1) to[p.ldb - 1] = static_cast<T>(signs[row] * values.y);
    });
    if (tid < columns) p.tau[tid] = static_cast<T>(tau[tid]);
    return;
  }
  if (first + i >= p.rows) return;
  for (int c = part; c < columns; c += threads / tile_rows) {
    double v = g[c * stride + at_v + i];
    if (blockIdx.x == 0) v = i > c ? g[c * stride + at_top + i] : i == c ? 1 : 0;
    for (int k = 0; k < 2; ++k)
      if (p.v[k]) p.v[k][first + i + c * p.ldv[k]] = static_cast<T>(v);
    p.w[first + i + c * p.ldw] = static_cast<T>(g[c * stride + at_w + i]);
  }
}

// Queues the three kernels by launch(kernel, early, blocks, blocks of a cluster, bytes of shared memory, arguments...).
//   early  the kernel may start before the end of the one before
template <class T, class Launch>
void queue_panel(const Launch& launch, const Panel<T>& p) {
  const std::int64_t tiles = tiles_of(p.rows), clusters = clusters_of(p.rows);
  const std::int64_t blocks = clusters * blocks_of_cluster;
  launch(gram_kernel<T>, false, blocks, blocks_of_cluster, gram_shared, p, static_cast<int>(clusters));
  launch(first_kernel<T>, true, blocks, blocks_of_cluster, first_shared, p, static_cast<int>(clusters));
  launch(second_kernel<T>, true, tiles + 1, 1, second_shared, p, static_cast<int>(tiles));
}

}  // namespace eigen_g::panel_by_cholesky
