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
#pragma once

#include <cmath>
#include <cstdint>

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
constexpr int gram_threads = 128, first_threads = 128, second_threads = 256;
constexpr int gram_shared = 8 * columns * gram_stride, first_shared = 8 * columns * (first_stride + 2),
              second_shared = 8 * columns * (second_stride + 3);

// The first factor fails if a pivot is at most this part of its diagonal entry. A panel of such a condition fails the second test, too.
constexpr double smallest_pivot = 1e-13;
// The second factor fails if a pivot, which is 1 up to rounding errors times the condition's square, differs from 1 by more.
constexpr double largest_deviation = 0.1;
// Range of squares without underflow or overflow of their sums and products.
constexpr double smallest_square = 1e-200, largest_square = 1e280;
// A column counts as tiny if its square is at most this factor times the negligible one.
constexpr double negligible_factor = 1024;

struct Memory {
  double *sums, *gram, *r1;  // clusters x gram_values; 2 x gram_values; 64 x 64: R1(k, c) at k 64 + c
  unsigned* counters;        // 2 x blocks_of_cluster; zero between panels
  unsigned* state;           // the first factor is good; the panel is done
};

struct Panel {
  std::int32_t rows;  // at least 128
  const double* p;
  std::int64_t ldp;
  double* q;  // Q1; its memory may not overlap any other
  std::int64_t ldq;
  double* v[2];  // may be the panel's memory
  std::int64_t ldv[2];
  double* w;
  std::int64_t ldw;
  double *tau, *band;
  std::int64_t ldb;
  const double* negligible;
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

// C -= X Y for a tile C. X(i, k) at x[k stride + i], Y(k, j) at y[k y_k + j y_j], C(i, j) at c[j stride + i], k < 8.
template <int stride>
__device__ inline void subtract_product(double* c, const double* x, const double* y, int y_k, int y_j) {
  const int lane = threadIdx.x % 32, i = lane / 4, k = lane % 4;
  double2 d{c[k * stride + i], c[(k + 4) * stride + i]};
#pragma unroll
  for (int s = 0; s < 8; s += 4)
    multiply_8x8x4(d, -x[(s + k) * stride + i], y[(s + k) * y_k + tile_column(i) * y_j]);
  c[k * stride + i] = d.x;
  c[(k + 4) * stride + i] = d.y;
}

// Row of tiles of tile t of a lower triangle that is stored by rows of tiles.
__device__ inline int row_of_tile(int t) {
  return (t >= 1) + (t >= 3) + (t >= 6) + (t >= 10) + (t >= 15) + (t >= 21) + (t >= 28);
}

// sums := X^T X by 128 threads; X(i, c) at x[c stride + i], 64 x 64. `sums` may overlap X.
template <int stride>
__device__ inline void gram_of_tile(const double* x, double* sums) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int low = warp, high = sides - 1 - warp;  // a warp has two rows of tiles, nine tiles in all
  double2 of_low[4] = {}, of_high[8] = {};
  const double* from = x + lane / 4 * stride + lane % 4;
#pragma unroll 2
  for (int k = 0; k < tile_rows; k += 4) {
    const double a_low = from[low * side * stride + k], a_high = from[high * side * stride + k];
#pragma unroll
    for (int b = 0; b < sides; ++b)
      if (b <= high) {
        const double y = from[b * side * stride + k];
        multiply_8x8x4(of_high[b], a_high, y);
        if (b < 4 && b <= low) multiply_8x8x4(of_low[b % 4], a_low, y);
      }
  }
  __syncthreads();
#pragma unroll
  for (int b = 0; b < sides; ++b) {
    if (b < 4 && b <= low) {
      double* const to = sums + (low * (low + 1) / 2 + b) * side * side + 2 * lane;
      to[0] = of_low[b % 4].x;
      to[1] = of_low[b % 4].y;
    }
    if (b <= high) {
      double* const to = sums + (high * (high + 1) / 2 + b) * side * side + 2 * lane;
      to[0] = of_high[b].x;
      to[1] = of_high[b].y;
    }
  }
}

// gram := sum of all blocks' sums. First the blocks of a cluster are added, in order, then the clusters, in order, by the blocks that are last.
// `sums` is at the beginning of shared memory; the value behind it is overwritten.
__device__ inline void add_blocks(double* sums, const Memory& at, int which, int clusters) {
  const int tid = threadIdx.x, block = blockIdx.x, rank = block % blocks_of_cluster,
            own = block / blocks_of_cluster;
  const int first = rank * gram_share;
  cluster_barrier();
  for (int e = tid; e < gram_share; e += gram_threads) {
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
  for (int e = tid; e < gram_share; e += gram_threads) {
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

// G to shared memory: G(i, j) at g[j stride + i] for i >= j, and its diagonal.
template <int stride, int threads>
__device__ inline void load_gram(const double* gram, double* g, double* diagonal) {
  for (int e = threadIdx.x; e < gram_values; e += threads) {
    const int tile = e / (side * side), a = row_of_tile(tile), b = tile - a * (a + 1) / 2;
    const int i = e / side % side, j = e % side;
    const double value = gram[e];
    g[(side * b + j) * stride + side * a + i] = value;
    if (a == b && i == j) diagonal[side * a + i] = value;
  }
}

// 64 rows of X to shared memory; zeros from row `rows` on.
template <int stride>
__device__ inline void load_rows(const double* x, std::int64_t ldx, std::int64_t first, std::int64_t rows,
                                 double* to, int thread, int threads) {
  const int i = thread % tile_rows;
  const bool any = first + i < rows;
  const double* const from = x + first + i;
#pragma unroll 16
  for (int c = thread / tile_rows; c < columns; c += threads / tile_rows)
    to[c * stride + i] = any ? from[c * ldx] : 0;
}

// G = R^T R and X := X R^-1. G is in rows 0 to 63 of g, X in the `more` rows below; then R(k, c) is at g[k stride + c]. A thread has a row.
// good(pivot, column) tests the pivots. Returns for the threads of X whether all are good; the other threads have no result.
template <int stride, int more, int threads, class Good>
__device__ inline bool cholesky(double* g, const Good& good) {
  const int row = threadIdx.x, warp = threadIdx.x / 32;
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
        all_good = all_good && good(d[t][t], k0 + t);
        const double inverse = rsqrt(d[t][t]);
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
    const int k = k0 / side, left = sides - 1 - k, of_g = left * (left + 1) / 2;
#pragma unroll 1
    for (int q = warp; q < of_g + more / side * left; q += threads / 32) {
      const bool in_g = q < of_g;
      const int below = in_g ? row_of_tile(q) : 0;
      const int a = in_g ? k + 1 + below : sides + (q - of_g) / left;
      const int b = k + 1 + (in_g ? q - below * (below + 1) / 2 : (q - of_g) % left);
      subtract_product<stride>(g + side * b * stride + side * a, g + k0 * stride + side * a,
                               g + k0 * stride + side * b, stride, 1);
    }
    __syncthreads();
  }
  return all_good;
}

// Launched in clusters of blocks_of_cluster, as first_kernel. Each of the last two kernels may start before the end of the one before.
static __global__ void __launch_bounds__(gram_threads) gram_kernel(Panel p, int clusters) {
  allow_next_kernel();
  double* const x = DynamicShared<double>::memory();
  load_rows<gram_stride>(p.p, p.ldp, static_cast<std::int64_t>(blockIdx.x) * tile_rows, p.rows, x,
                         threadIdx.x, gram_threads);
  __syncthreads();
  gram_of_tile<gram_stride>(x, x);
  add_blocks(x, p.at, 0, clusters);
}

static __global__ void __launch_bounds__(first_threads) first_kernel(Panel p, int clusters) {
  double* const g = DynamicShared<double>::memory();
  double* const diagonal = g + columns * first_stride;
  double* const state = diagonal + columns;
  const int tid = threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile_rows;
  allow_next_kernel();
  wait_for_previous_kernels();
  load_gram<first_stride, first_threads>(p.at.gram, g, diagonal);
  load_rows<first_stride>(p.p, p.ldp, first, p.rows, g + columns, tid, first_threads);
  double least = smallest_square;
  if (p.negligible) least = max(least, negligible_factor * *p.negligible);
  __syncthreads();
  const bool good = cholesky<first_stride, tile_rows, first_threads>(g, [&](double pivot, int c) {
    return pivot > least && pivot > smallest_pivot * diagonal[c] && diagonal[c] < largest_square;
  });
  if (tid == columns) {
    *state = good ? 1 : 0;
    if (blockIdx.x == 0) p.at.state[0] = good ? 1 : 0;
  }
  __syncthreads();
  if (*state == 0) return;  // in every block of the grid
  const int i = tid % tile_rows;
  if (first + i < p.rows)
    for (int c = tid / tile_rows; c < columns; c += 2)
      p.q[first + i + c * p.ldq] = g[c * first_stride + columns + i];
  if (blockIdx.x == 0)
    for (int c = tid / columns; c < columns; c += 2) p.at.r1[c * columns + i] = g[c * first_stride + i];
  gram_of_tile<first_stride>(g + columns, g);
  add_blocks(g, p.at, 1, clusters);
}

// Rows of shared memory: R2, then W; Q1's first 64 rows, then V1 below the diagonal and U; the block's rows of Q, then of V; the same of Q.
constexpr int at_w = 0, at_top = tile_rows, at_v = 2 * tile_rows, at_q = 3 * tile_rows;

// The elimination of Q - [S; 0]. in_top: the block's rows are the first ones.
__device__ inline void householder_vectors(double* g, double* signs, double* tau, bool in_top) {
  constexpr int stride = second_stride;
  enum Has { row_of_top, row_of_v, column_of_u, row_of_w };
  const int has = threadIdx.x / tile_rows, i = threadIdx.x % tile_rows, warp = threadIdx.x / 32;
#pragma unroll 1
  for (int k0 = 0; k0 < columns; k0 += side) {
    const bool any = has == row_of_v || has == row_of_w || i >= k0 + side;
    double d[side][side], x[side], q[side];
#pragma unroll
    for (int t = 0; t < side; ++t)
#pragma unroll
      for (int s = 0; s < side; ++s) d[s][t] = g[(k0 + t) * stride + at_top + k0 + s];
    // Where the thread's eight values are.
    double* const own = has == column_of_u ? g + i * stride + at_top + k0
                                           : g + k0 * stride + i +
                                                 (has == row_of_top ? at_top
                                                  : has == row_of_v ? at_v
                                                                    : at_w);
    const int step = has == column_of_u ? 1 : stride;
#pragma unroll
    for (int t = 0; t < side; ++t) {
      x[t] = own[t * step];
      q[t] = has == row_of_w ? g[(k0 + t) * stride + at_q + i] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int t = 0; t < side; ++t) {
      const double sign = d[t][t] >= 0 ? -1 : 1;
      d[t][t] -= sign;
      const double inverse = 1 / d[t][t];
      if (threadIdx.x == 0) {
        signs[k0 + t] = sign;
        tau[k0 + t] = -d[t][t] * sign;
      }
      if (has == row_of_top || has == row_of_v) x[t] *= inverse;
      if (has == row_of_w) x[t] += fma(-sign, q[t], in_top && i == k0 + t ? 1.0 : 0.0);
#pragma unroll
      for (int s = t + 1; s < side; ++s) {
        d[s][t] *= inverse;
        const double factor = has == row_of_top || has == row_of_v ? d[t][s] : d[s][t];
        x[s] = fma(-x[t], factor, x[s]);
#pragma unroll
        for (int u = t + 1; u < side; ++u) d[s][u] = fma(-d[s][t], d[t][u], d[s][u]);
      }
    }
    if (any) {
#pragma unroll
      for (int t = 0; t < side; ++t) own[t * step] = x[t];
    }
    if (has == row_of_top) {
#pragma unroll
      for (int s = 0; s < side; ++s)
        if (i == k0 + s)
#pragma unroll
          for (int t = 0; t < side; ++t) g[(k0 + t) * stride + at_top + i] = d[s][t];
    }
    __syncthreads();
    const int k = k0 / side, left = sides - 1 - k;
#pragma unroll 1
    for (int tile = warp; tile < (left + 2 * sides) * left; tile += second_threads / 32) {
      const int a = tile / left, b = k + 1 + tile % left;
      const int row = a < left           ? at_top + side * (k + 1 + a)
                      : a < left + sides ? at_v + side * (a - left)
                                         : at_w + side * (a - left - sides);
      const bool of_w = a >= left + sides;
      const double* const y =
          of_w ? g + k0 * stride + at_top + side * b : g + side * b * stride + at_top + k0;
      subtract_product<stride>(g + side * b * stride + row, g + k0 * stride + row, y, of_w ? stride : 1,
                               of_w ? 1 : stride);
    }
    __syncthreads();
  }
}

// One block more than there are tiles: the last one writes R, tau and the state.
static __global__ void __launch_bounds__(second_threads, 1) second_kernel(Panel p, int tiles) {
  constexpr int stride = second_stride;
  double* const g = DynamicShared<double>::memory();
  double* const diagonal = g + columns * stride;
  double* const signs = diagonal + columns;
  double* const tau = signs + columns;
  const int tid = threadIdx.x, i = tid % tile_rows, part = tid / tile_rows;
  const bool writes_r = static_cast<int>(blockIdx.x) == tiles;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile_rows;
  wait_for_previous_kernels();
  if (p.at.state[0] == 0) {
    if (writes_r && tid == 0) p.at.state[1] = 0;
    return;
  }
  load_gram<stride, second_threads>(p.at.gram + gram_values, g, diagonal);
  load_rows<stride>(p.q, p.ldq, 0, p.rows, g + at_top, tid, second_threads);
  load_rows<stride>(p.q, p.ldq, first, p.rows, g + at_v, tid, second_threads);
  __syncthreads();
  const bool good = cholesky<stride, 2 * tile_rows, second_threads>(
      g, [](double pivot, int) { return fabs(pivot - 1) <= largest_deviation; });
  if (tid == columns) *tau = good ? 1 : 0;
  __syncthreads();
  const bool done = *tau != 0;
  if (writes_r && tid == 0) p.at.state[1] = done ? 1 : 0;
  if (!done) return;
  const auto r_in_band = [&](int row) { return p.band + columns + row - i + i * p.ldb; };  // column i
  if (writes_r)
    for (int row = part; row <= i; row += second_threads / columns) {
      double sum = 0;
#pragma unroll 4
      for (int k = row; k <= i; ++k) sum = fma(g[row * stride + k], p.at.r1[k * columns + i], sum);
      *r_in_band(row) = sum;
    }
  __syncthreads();
  for (int c = part; c < columns; c += second_threads / tile_rows) {
    g[c * stride + at_q + i] = g[c * stride + at_v + i];
    g[c * stride + at_w + i] = 0;
  }
  __syncthreads();
  householder_vectors(g, signs, tau, blockIdx.x == 0);
  if (writes_r) {
    for (int row = part; row <= i; row += second_threads / columns) *r_in_band(row) *= signs[row];
    if (tid < columns) p.tau[tid] = tau[tid];
    return;
  }
  if (first + i >= p.rows) return;
  for (int c = part; c < columns; c += second_threads / tile_rows) {
    double v = g[c * stride + at_v + i];
    if (blockIdx.x == 0) v = i > c ? g[c * stride + at_top + i] : i == c ? 1 : 0;
    for (int k = 0; k < 2; ++k)
      if (p.v[k]) p.v[k][first + i + c * p.ldv[k]] = v;
    p.w[first + i + c * p.ldw] = g[c * stride + at_w + i];
  }
}

// Queues the three kernels by launch(kernel, blocks, blocks of a cluster, threads, bytes of shared memory, arguments...).
template <class Launch>
void queue_panel(const Launch& launch, const Panel& p) {
  const std::int64_t tiles = tiles_of(p.rows), clusters = clusters_of(p.rows);
  const std::int64_t blocks = clusters * blocks_of_cluster;
  launch(gram_kernel, blocks, blocks_of_cluster, gram_threads, gram_shared, p, static_cast<int>(clusters));
  launch(first_kernel, blocks, blocks_of_cluster, first_threads, first_shared, p, static_cast<int>(clusters));
  launch(second_kernel, tiles + 1, 1, second_threads, second_shared, p, static_cast<int>(tiles));
}

}  // namespace eigen_g::panel_by_cholesky
