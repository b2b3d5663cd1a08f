// The kernel that reduces the columns of one panel to tridiagonal form; tridiagonalize.cu calls it for panel after panel.
//
// Real symmetric matrix. The panel starts at column p. A is the matrix as the last rank-2k update left it. The n x i matrices V and W
// hold the i reflectors of the panel so far and their update vectors; the current matrix is A - V W^T - W V^T.
// For column j = p + i let x be the part of the current column below the diagonal and q = j + 1 the row of its first element. Then
//
//   alpha = x_q,   beta = -sign(alpha) ||x||,   s = 1 / (alpha - beta),   tau = (beta - alpha) / beta,
//   v = s (x - beta e_q),   H = I - tau v v^T,   H x = beta e_q.
//
// The products of a column with the whole matrix are linear in x, so they start before ||x|| is known. Each column has two phases:
//
//   P (all blocks):  A x in partial sums (blas2/symv/symv_walk.cuh), and x^T A x from the same pass over A;
//                    f = V^T x, g = W^T x and ||x||^2 from their partial dot products
//   barrier
//   Q (each block has a slice of rows), with f1 = V(q, :), g1 = W(q, :) and b = A(:, q) - V g1 - W f1, the current column q:
//                    h = A x - V g - W f
//                    y = A v - V (W^T v) - W (V^T v) = s (h - beta b)
//                    v^T y = s^2 (x^T A x - 2 f^T g - 2 beta h_q + beta^2 b_q)
//                    w = tau y - (tau / 2) (tau v^T y) v
//                    x' = b - v w_q - w v_q,  column q after this step, and its partial dot products with V, W and itself
//   barrier
//
// Hermitian matrix: the reduction is H^H A H, and every transpose is conjugated. beta = -sign(Re alpha) ||x|| is real,
// tau = (beta - alpha) / beta, and s is complex, also if x has only one element. The equations become
//
//   b = A(:, q) - V conj(g1) - W conj(f1),   v^H y = |s|^2 (x^H A x - 2 Re f^H g - 2 beta Re h_q + beta^2 b_q),
//   w = tau y - |tau|^2 / 2 (v^H y) v,       x' = b - v conj(w_q) - w.
//
// Between panels: x already holds the first column of the next panel. If the rank-2k update also computed A x for it
// (syr2k_lower_and_product), phase P of the first column does not pass over A. A does not change within a panel. Therefore a block
// loads its first elements of A before the barrier behind which x is complete.
//
// Cost of a column: one pass over A, one pass over the block's own rows of V and W, two barriers.
// Shared memory holds the first columns of V and W, usually all of them, during the whole panel. The other columns are read through L2.
// A part of L2 keeps a part of A from column to column.
// The order of every sum depends only on n and the grid, so repeated runs on the same GPU give the same bits.
//
// The squares in ||x|| neither overflow nor underflow, because the driver keeps max |A| within 2^-100 ... 2^100
// (float: 2^-8 ... 2^8). If the squares of a tail of x sum to less than negligible_square_of(A), the tail is below A's rounding
// error and counts as zero (tau = 0).
//
// How the time of a column divides, and rejected variants: data/perf/DECISIONS.md, "Panel kernel".
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "blas2/symv/symv_walk.cuh"
#include "hybrid/device_complex.cuh"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/stream/grid_barrier.cuh"
#include "solver/reduction/one_stage/reflector_scalars.cuh"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g::reduction {

inline constexpr int threads = 256;
inline constexpr int warps = threads / 32;
inline constexpr int blocks_per_multiprocessor = 2;
inline constexpr int max_panel_columns = 64;
inline constexpr int fetched_rows = 8;  // partial sums of a row that a thread loads at the same time
// Columns and rows of V and W that a thread loads at the same time from L2.
inline constexpr int far_columns = 4, far_rows = 4;
static_assert(2 * max_panel_columns <= threads, "a thread takes a dot");

// Arrays that the blocks exchange; device memory, a part of the workspace. "padded n" is n rounded up to tridiagonalize_row_multiple.
template <class T>
struct Exchange {
  T* x;                             // padded n: the column being reduced; rows <= j are zero
  T* w;                             // padded n x panel columns: W
  std::int64_t ldw;                 // padded n
  blas2::SymvPartials<T> partials;  // partial sums of A x
  T* dots;       // blocks x dot_stride: each block's part of f, g (2 panel columns) and of ||tail of x||^2
  T* quadratic;  // blocks: each block's part of x^T A x
  T* products;   // f, g
  unsigned* arrivals;  // counters of the barrier; zero at each launch
};
inline constexpr int dot_stride = 2 * max_panel_columns + 2;
inline constexpr int square_dot = 2 * max_panel_columns;  // index of ||tail||^2 among the dot products

template <class T>
struct Panel {
  T* a;
  std::int64_t lda;
  std::int32_t n;
  std::int32_t first;       // p, the panel's first column
  std::int32_t columns;     // columns to reduce
  std::int32_t held;        // columns of V, and of W, that shared memory holds
  std::int32_t slice_rows;  // rows of a block's slice in phase Q
  std::int32_t shift;       // the walk over A starts this number of rows and columns before row and column 0
  real_t<T>*d, *e;
  T* tau;
  std::int32_t kept_of_256;  // share of A that stays in L2 from column to column, in 1/256
  const T* product;  // A x for the first column if the update computed it, with ex.quadratic; else null
  const real_t<T>* negligible;  // a tail with a smaller sum of squares counts as zero
  blas2::SymvPartition partition;
  Exchange<T> exchange;
};

// Bytes of the shared memory that stays valid for a whole panel: the tail of x', then `held` columns of V and W in the slice's rows.
template <class T>
constexpr std::size_t lasting_bytes(std::int64_t slice_rows, std::int64_t held) {
  return static_cast<std::size_t>(slice_rows * (held > 0 ? 2 * held + 2 : 1)) * sizeof(T);
}

template <class T, int n>
struct Totals {
  T value[n];
};

// The sum of each value over the block, the same in all threads. `scratch` has room for `warps` values per sum. The caller places a
// barrier between two uses of it.
template <class T, class... Values>
__device__ Totals<T, sizeof...(Values)> block_sums(T* scratch, Values... values) {
  constexpr int n = sizeof...(Values);
  Totals<T, n> totals{{values...}};
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2)
#pragma unroll
    for (int i = 0; i < n; ++i) totals.value[i] += __shfl_xor_sync(~0u, totals.value[i], mask);
  if (threadIdx.x % 32 == 0)
#pragma unroll
    for (int i = 0; i < n; ++i) scratch[i * warps + threadIdx.x / 32] = totals.value[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < n; ++i) {
    totals.value[i] = 0;
#pragma unroll
    for (int k = 0; k < warps; ++k) totals.value[i] += scratch[i * warps + k];
  }
  return totals;
}

// block_sums() of one value of type T and two real values. The order is part of the design: double's machine code depends on it.
template <class T>
struct MixedSums {
  T whole;
  real_t<T> first, second;
};
template <bool whole_first, class R>
__device__ MixedSums<R> mixed_sums(R* scratch, R whole, R first, R second) {
  const auto sums =
      whole_first ? block_sums(scratch, whole, first, second) : block_sums(scratch, first, whole, second);
  return {sums.value[whole_first ? 0 : 1], sums.value[whole_first ? 1 : 0], sums.value[2]};
}
template <bool, class R>
__device__ MixedSums<DeviceComplex<R>> mixed_sums(R* scratch, DeviceComplex<R> whole, R first, R second) {
  const auto sums = block_sums(scratch, whole.re, whole.im, first, second);
  return {{sums.value[0], sums.value[1]}, sums.value[2], sums.value[3]};
}

// A thread's part of a sum over all blocks k: the values p[k * stride] of two blocks. Both loads are issued before sum() waits for
// the first.
template <class T>
struct Share {
  T first, second;
  __device__ T sum() const { return first + second; }
};
inline constexpr int max_blocks = 2 * threads;
template <class T>
__device__ Share<T> share_of_blocks(const T* p, int stride) {
  const int blocks = static_cast<int>(gridDim.x), k = threadIdx.x;
  return {k < blocks ? __ldcg(p + k * stride) : 0,
          k + threads < blocks ? __ldcg(p + (k + threads) * stride) : 0};
}

// V and W in the rows of a block's slice. Shared memory holds the first columns for the whole panel; the others are read from L2.
template <class T, bool resident>  // resident: shared memory holds all columns
class OwnRows {
 public:
  __device__ OwnRows(const Panel<T>& panel, T* shared)
      : panel_(panel),
        shared_(shared),
        held_(resident ? panel.columns : panel.held),
        stride_(2 * held_ + 1) {}

  // The number of held columns among the first `columns`.
  __device__ int held_of(int columns) const {
    if constexpr (resident)
      return columns;
    else
      return min(columns, held_);
  }
  // The element of V or W in row `own` of the slice and in column k, which must be held.
  __device__ T v(std::int32_t own, int k) const { return shared_[own * stride_ + k]; }
  __device__ T w(std::int32_t own, int k) const { return shared_[own * stride_ + held_ + k]; }
  // An element of V or W in any column k, from L2.
  __device__ T far_v(std::int32_t own, int k) const {
    return __ldcg(panel_.a + row(own) + (panel_.first + k) * panel_.lda);
  }
  __device__ T far_w(std::int32_t own, int k) const {
    return __ldcg(panel_.exchange.w + row(own) + k * panel_.exchange.ldw);
  }
  __device__ void keep(std::int32_t own, int k, T v, T w) {
    if (resident || k < held_) {
      shared_[own * stride_ + k] = v;
      shared_[own * stride_ + held_ + k] = w;
    }
  }

 private:
  __device__ std::int64_t row(std::int32_t own) const {
    return panel_.first + blockIdx.x * panel_.slice_rows + own;
  }
  const Panel<T>& panel_;
  T* shared_;
  int held_, stride_;  // stride_ is odd, so that accesses along rows and along columns have no bank conflicts
};

// The threads of a block in phase Q, `groups` groups of `lanes` threads. The slice is processed `lanes` rows at a time. The threads with
// the same `lane` in all groups work on one row; group g takes the columns g, g + groups, ... of V and W.
struct Slice {
  int t, block, blocks;
  std::int32_t first, rows;
  int lanes, groups, group, lane;

  template <class T>
  __device__ explicit Slice(const Panel<T>& panel)
      : t(threadIdx.x),
        block(blockIdx.x),
        blocks(gridDim.x),
        first(panel.first + block * panel.slice_rows),
        rows(max(0, min(panel.slice_rows, panel.n - first))),
        lanes(min(threads, (panel.slice_rows + 31) / 32 * 32)),
        groups(threads / lanes),
        group(t / lanes),
        lane(t % lanes) {}
};

// Shared memory that only one phase uses at a time.
template <class Shape>
union Passing {
  using T = typename Shape::T;
  typename Shape::Shared walk;
  struct {
    T h[threads], b[threads];
  } rows;
  T dots[threads];
  __device__ Passing() {}
};
// Shared memory by which one phase passes values to the next.
template <class T>
struct Shared {
  T (&scratch)[2][3 * warps];
  real_t<T> (&squares)[threads];
  T (&first_dot)[threads];
  T (&f)[max_panel_columns], (&g)[max_panel_columns], (&f1)[max_panel_columns], (&g1)[max_panel_columns];
};

// `scratch` as memory for sums of real numbers.
template <class T>
__device__ real_t<T>* reals(T* scratch) {
  return reinterpret_cast<real_t<T>*>(scratch);
}

template <class T>
struct Head {
  T alpha = 0;
  real_t<T> a_qq = 0;
};
template <class T>
struct Reflector {
  real_t<T> beta;
  T s, tau;
};
template <class T>
struct Scalars {
  T h_q;
  real_t<T> b_q, half;  // half = |tau|^2 v^H y / 2
  T w_q;
};
template <class T>
struct Entries {
  T v, w, x;
};

// Reads column p as the update left it: writes x and d_p. Returns the block's part of ||tail of x||^2.
template <class T>
__device__ __forceinline__ real_t<T> take_first_column(const Panel<T>& panel, const Slice& slice,
                                                       const Shared<T>& shared) {
  real_t<T> square = 0;
  for (std::int32_t own = slice.t; own < slice.rows; own += threads) {
    const std::int32_t row = slice.first + own;
    const T value = __ldcg(panel.a + row + panel.first * panel.lda);
    if (row == panel.first) panel.d[row] = real_of(value);
    panel.exchange.x[row] = row > panel.first ? value : 0;
    if (row > panel.first + 1) square = add_real_product(value, value, square);
  }
  return block_sums(reals(shared.scratch[0]), square).value[0];
}

// P: loads the values that the other blocks wrote for column i. All threads get alpha and a_qq. Shared memory gets f1 and g1, conjugated
// as the equation of b needs them, and the thread's terms of ||tail||^2 and of the dot product (of f or g) that this block sums.
template <class T>
__device__ __forceinline__ void fetch_head(const Panel<T>& panel, const Slice& slice, int i, std::int32_t q,
                                           const Shared<T>& shared, Head<T>& head) {
  const Exchange<T>& ex = panel.exchange;
  const int t = slice.t, block = slice.block;
  head.alpha = __ldcg(ex.x + q);
  head.a_qq = real_of(__ldcg(panel.a + q + q * panel.lda));
  const T v_q = t < i ? __ldcg(panel.a + q + (panel.first + t) * panel.lda) : 0;
  const T w_q = t < i ? __ldcg(ex.w + q + t * ex.ldw) : 0;
  const Share<T> square = share_of_blocks(ex.dots + square_dot, dot_stride);
  const Share<T> dot = block < 2 * i ? share_of_blocks(ex.dots + block, dot_stride) : Share<T>{0, 0};
  if (t < i) {
    shared.f1[t] = conj_of(v_q);
    shared.g1[t] = conj_of(w_q);
  }
  shared.squares[t] = real_of(square.sum());
  shared.first_dot[t] = dot.sum();
}

// P: sums ||tail||^2 and the block's dot product of f or g. Publishes the dot product and the block's part of x^T A x. Returns ||tail||^2.
template <class T>
__device__ __forceinline__ real_t<T> sum_dots(const Panel<T>& panel, const Slice& slice, int i, bool given,
                                              const Shared<T>& shared, real_t<T> quadratic) {
  const Exchange<T>& ex = panel.exchange;
  const int t = slice.t, block = slice.block, blocks = slice.blocks;
  const auto sums =
      mixed_sums<true>(reals(shared.scratch[0]), shared.first_dot[t], shared.squares[t], quadratic);
  if (t == 0 && !given) {
    if (block < 2 * i) ex.products[block] = sums.whole;
    ex.quadratic[block] = sums.second;
  }
  for (int dot = block + blocks; dot < 2 * i; dot += blocks) {  // with fewer blocks than products
    T sum = share_of_blocks(ex.dots + dot, dot_stride).sum();
    __syncthreads();
    sum = block_sums(shared.scratch[0], sum).value[0];
    if (t == 0) ex.products[dot] = sum;
  }
  return sums.first;
}

template <class R>
__device__ __forceinline__ Reflector<DeviceComplex<R>> reflector_of(DeviceComplex<R> alpha, R tail_square,
                                                                    R negligible) {
  R beta = alpha.re;
  DeviceComplex<R> s = 0, tau = 0;
  const R square = fma(alpha.im, alpha.im, tail_square);
  if (square >= negligible) {
    beta = -copysign(sqrt(fma(alpha.re, alpha.re, square)), alpha.re);
    const R difference = alpha.re - beta, factor = 1 / fma(difference, difference, alpha.im * alpha.im);
    s = {difference * factor, -alpha.im * factor};
    tau = {-difference / beta, -alpha.im / beta};
  }
  return {beta, s, tau};
}
template <class T>
__device__ __forceinline__ Reflector<T> reflector_of(T alpha, T tail_square, T negligible) {
  T beta = alpha, s = 0, tau = 0;
  if (tail_square >= negligible) {
    beta = -copysign(sqrt(fma(alpha, alpha, tail_square)), alpha);
    s = 1 / (alpha - beta);
    tau = (beta - alpha) / beta;
  }
  return {beta, s, tau};
}

// Q: computes h_q, b_q, `half` and w_q, the same in all blocks. Each thread passes its own values: f and g of column t, and terms of
// x^T A x and of (A x)_q. On return shared.f and shared.g hold f and g, and a barrier of the block has made them visible.
template <class T>
__device__ __forceinline__ Scalars<T> scalars_of(const Slice& slice, int i, real_t<T> a_qq,
                                                 const Reflector<T>& reflector, const Shared<T>& shared, T ft,
                                                 T gt, real_t<T> quadratic, T h_q) {
  using R = real_t<T>;
  const int t = slice.t;
  const auto [beta, s, tau] = reflector;
  R f1_g1 = 0;
  if (t < i) {
    shared.f[t] = ft;
    shared.g[t] = gt;
    quadratic -= twice_real_product(ft, gt);
    h_q -= conj_of(shared.f1[t]) * gt + conj_of(shared.g1[t]) * ft;
    f1_g1 = real_product(shared.f1[t], shared.g1[t]);
  }
  const auto sums = mixed_sums<false>(reals(shared.scratch[1]), h_q, quadratic, f1_g1);
  h_q = sums.whole;
  const R b_q = a_qq - 2 * sums.second;
  const R v_dot_y = real_product(s, s) * (sums.first + beta * (beta * b_q - 2 * real_of(h_q)));
  const R half = half_of(tau, v_dot_y);
  const T w_q = tau * s * (h_q - beta * b_q) - half;
  return {h_q, b_q, half, w_q};
}

// Q, row `own` of the slice: h -= V g + W f and b -= V g1 + W f1, over the held columns of this thread's group.
template <class T, bool resident>
__device__ __forceinline__ void subtract_held(const OwnRows<T, resident>& own_rows, const Slice& slice,
                                              int held, std::int32_t own, const Shared<T>& shared, T& h,
                                              T& b) {
  for (int k = slice.group; k < held; k += slice.groups) {
    const T v = own_rows.v(own, k), w = own_rows.w(own, k);
    h = fma(-v, shared.g[k], fma(-w, shared.f[k], h));
    b = fma(-v, shared.g1[k], fma(-w, shared.f1[k], b));
  }
}
// Q: this subtraction over `far_columns` columns from L2: columns first, first + groups, ... of this thread's group.
template <class T, bool resident>
__device__ __forceinline__ void subtract_far(const OwnRows<T, resident>& own_rows, const Slice& slice,
                                             int first, int i, std::int32_t own, const Shared<T>& shared,
                                             T& h, T& b) {
  T v[far_columns], w[far_columns];
#pragma unroll
  for (int c = 0; c < far_columns; ++c) {
    const int k = first + c * slice.groups;
    v[c] = k < i ? own_rows.far_v(own, k) : 0;
    w[c] = k < i ? own_rows.far_w(own, k) : 0;
  }
#pragma unroll
  for (int c = 0; c < far_columns; ++c) {
    const int k = min(first + c * slice.groups, i - 1);
    h = fma(-v[c], shared.g[k], fma(-w[c], shared.f[k], h));
    b = fma(-v[c], shared.g1[k], fma(-w[c], shared.f1[k], b));
  }
}

// Q: v, w and x' in one row >= q. The thread of row q also writes d_q.
template <class T>
__device__ __forceinline__ Entries<T> entries_of(const Panel<T>& panel, std::int32_t row, std::int32_t q,
                                                 const Reflector<T>& reflector, const Scalars<T>& scalars,
                                                 T x_row, T h, T b) {
  const auto [beta, s, tau] = reflector;
  T v = 0, w = 0, x = 0;
  if (row == q) {
    v = 1;
    w = scalars.w_q;
    panel.d[q] = scalars.b_q - 2 * real_of(scalars.w_q);
  } else {
    v = s * x_row;
    w = fma(tau * s, h - beta * b, -scalars.half * v);
    x = b - fma(v, conj_of(scalars.w_q), w);
  }
  return {v, w, x};
}

// Q: the block's part of the dot products of x' with the held columns of V and W. The threads are divided evenly among the dot
// products. Dot product d is with column d of V for d < held, else with column d - held of W.
template <class T, bool resident>
__device__ __forceinline__ void dots_of_held(const OwnRows<T, resident>& own_rows, const Slice& slice,
                                             int columns, int held, const T* tail, T* scratch,
                                             T* block_dots) {
  const int t = slice.t, dots = 2 * held, parts = threads / dots, dot = t % dots, part = t / dots;
  T sum = 0;
  if (part < parts)
    for (std::int32_t own = part; own < slice.rows; own += parts)
      sum = fma(conj_of(dot < held ? own_rows.v(own, dot) : own_rows.w(own, dot - held)), tail[own], sum);
  scratch[t] = sum;
  __syncthreads();
  if (t < dots) {
    for (int k = 1; k < parts; ++k) sum += scratch[t + k * dots];
    block_dots[t < held ? t : t + (columns - held)] = sum;
  }
}
// Q: these dot products for the columns held ... i, which are in L2. A warp takes one column at a time, so that its loads are consecutive.
template <class T, bool resident>
__device__ __forceinline__ void dots_of_far(const OwnRows<T, resident>& own_rows, const Slice& slice, int i,
                                            int held, std::int32_t q, const T* tail, T* block_dots) {
  const int t = slice.t;
  for (int k = held + t / 32; k <= i; k += warps) {
    T sum_v = 0, sum_w = 0;
    for (std::int32_t first = t % 32; first < slice.rows; first += 32 * far_rows) {
      T v[far_rows], w[far_rows], x[far_rows];
#pragma unroll
      for (int r = 0; r < far_rows; ++r) {
        const std::int32_t own = first + 32 * r;
        const bool stored = own < slice.rows && slice.first + own > q;
        v[r] = stored ? own_rows.far_v(own, k) : 0;
        w[r] = stored ? own_rows.far_w(own, k) : 0;
        x[r] = stored ? tail[own] : 0;
      }
#pragma unroll
      for (int r = 0; r < far_rows; ++r) {
        sum_v = fma(conj_of(v[r]), x[r], sum_v);
        sum_w = fma(conj_of(w[r]), x[r], sum_w);
      }
    }
    for (int mask = 16; mask > 0; mask /= 2) {
      sum_v += __shfl_xor_sync(~0u, sum_v, mask);
      sum_w += __shfl_xor_sync(~0u, sum_w, mask);
    }
    if (t % 32 == 0) {
      block_dots[k] = sum_v;
      block_dots[i + 1 + k] = sum_w;
    }
  }
}

template <class Shape, bool resident>
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    reduce_panel_kernel(const __grid_constant__ Panel<typename Shape::T> panel) {
  using T = typename Shape::T;
  T* const lasting = DynamicShared<T>::memory();
  __shared__ Passing<Shape> passing;
  __shared__ T scratch[2][3 * warps];
  __shared__ real_t<T> squares[threads];
  __shared__ T first_dot[threads];
  __shared__ T f[max_panel_columns], g[max_panel_columns], f1[max_panel_columns], g1[max_panel_columns];
  const Shared<T> shared{scratch, squares, first_dot, f, g, f1, g1};

  using Sums = blas2::SymvPartialSums<Shape>;
  const Exchange<T>& ex = panel.exchange;
  const Slice slice(panel);
  const int t = slice.t, block = slice.block;
  T* const tail = lasting;  // x' in the rows of the slice
  OwnRows<T, resident> own_rows(panel, lasting + panel.slice_rows);

  __shared__ blas2::SymvCut cut[2];
  if (t < 2) cut[t] = panel.partition.cut(block + t);
  const std::int32_t shift = panel.shift;
  const blas2::SymvInput<T> input{
      panel.a - shift * (1 + panel.lda), panel.lda, ex.x - shift, 1, shift, panel.kept_of_256};
  blas2::SymvWalk<Shape, true> walk(panel.partition, input, ex.partials, passing.walk);
  const bool walks = block < panel.partition.blocks();
  GridBarrier barrier(ex.arrivals);

  if (!panel.product) {
    const real_t<T> total = take_first_column(panel, slice, shared);
    if (t == 0) {
      ex.dots[block * dot_stride + square_dot] = total;
      barrier.arrive();
    }
    if (walks) walk.load_ahead(cut[0], cut[1], panel.first + 1 + shift);
    barrier.wait();
  }

  for (int i = 0; i < panel.columns; ++i) {
    const std::int32_t j = panel.first + i, q = j + 1;

    // P. The values of the other blocks are loaded after the walk's first loads are issued.
    Head<T> head;
    const auto fetch = [&] { fetch_head(panel, slice, i, q, shared, head); };
    walk.clear_quadratic();
    const bool given = i == 0 && panel.product;
    if (walks && !given)
      walk(block, cut[0], cut[1], q + shift, fetch, [](int, int, int) {});
    else
      fetch();
    const real_t<T> tail_square = sum_dots(panel, slice, i, given, shared, real_of(walk.quadratic()));
    if (t == 0) barrier.arrive();

    // While the other blocks arrive: the reflector's scalars, and the addresses of the partial sums for q and the slice's first rows.
    const Reflector<T> reflector = reflector_of(head.alpha, tail_square, __ldg(panel.negligible));
    const Sums sums_of_q(panel.partition, ex.partials, q + shift);
    const Sums sums_of_first(panel.partition, ex.partials,
                             max(panel.first, min(slice.first + slice.lane, panel.n - 1)) + shift);
    barrier.wait();

    // Q: all loads for the scalars and for the slice's first rows are issued together.
    const Share<T> quadratic = share_of_blocks(ex.quadratic, 1);
    const T ft = t < i ? __ldcg(ex.products + t) : 0, gt = t < i ? __ldcg(ex.products + i + t) : 0;
    const auto h_q = sums_of_q.template fetch<1>(t, threads, !given);
    const std::int32_t first_row = slice.first + slice.lane;
    const bool has_first = slice.group < slice.groups && slice.lane < slice.rows && first_row >= q;
    const bool leads_first = has_first && slice.group == 0;
    const T first_a = leads_first ? __ldcg(panel.a + first_row + q * panel.lda) : 0;
    const T first_x = leads_first ? __ldcg(ex.x + first_row) : 0;
    const auto first_h =
        sums_of_first.template fetch<fetched_rows>(slice.group, slice.groups, has_first && !given);
    const auto product = [&](std::int32_t of_row, bool wanted) {
      return wanted ? __ldcg(panel.product + of_row) : 0;
    };
    const Scalars<T> scalars =
        scalars_of(slice, i, head.a_qq, reflector, shared, ft, gt, real_of(quadratic.sum()),
                   given ? product(q, t == 0) : sums_of_q.template add<1>(h_q, t, threads));

    // The rows of the slice, `lanes` at a time.
    real_t<T> square = 0;
    for (std::int32_t start = 0; start == 0 || start < slice.rows; start += slice.lanes) {
      const std::int32_t own = start + slice.lane, row = slice.first + own;
      const bool has_row = slice.group < slice.groups && own < slice.rows && row >= q;
      const bool leads = has_row && slice.group == 0;
      T a_row = first_a, x_row = first_x, h = 0, b = 0;
      if (start > 0 && leads) {
        a_row = __ldcg(panel.a + row + q * panel.lda);
        x_row = __ldcg(ex.x + row);
      }
      if (has_row)
        h = given        ? product(row, slice.group == 0)
            : start == 0 ? sums_of_first.add(first_h, slice.group, slice.groups)
                         : Sums(panel.partition, ex.partials, row + shift)
                               .template add<fetched_rows>(slice.group, slice.groups);
      const int held = own_rows.held_of(i);
      if (has_row) subtract_held(own_rows, slice, held, own, shared, h, b);
      if constexpr (!resident)
        if (has_row)
          for (int first = held + slice.group; first < i; first += far_columns * slice.groups)
            subtract_far(own_rows, slice, first, i, own, shared, h, b);
      passing.rows.h[t] = h;
      passing.rows.b[t] = b;
      __syncthreads();
      if (slice.group == 0 && own < slice.rows) {
        Entries<T> entries{0, 0, 0};
        if (leads) {
          for (int k = 1; k < slice.groups; ++k) {
            h += passing.rows.h[t + k * slice.lanes];
            b += passing.rows.b[t + k * slice.lanes];
          }
          b += a_row;
          entries = entries_of(panel, row, q, reflector, scalars, x_row, h, b);
          panel.a[row + j * panel.lda] = entries.v;
          ex.w[row + i * ex.ldw] = entries.w;
          ex.x[row] = entries.x;
          if (row > q + 1) square = add_real_product(entries.x, entries.x, square);
        }
        own_rows.keep(own, i, entries.v, entries.w);
        tail[own] = entries.x;
      }
      __syncthreads();
    }
    if (block == 0 && t == 0) {
      panel.e[j] = reflector.beta;
      panel.tau[j] = reflector.tau;
    }
    const real_t<T> block_square = block_sums(reals(scratch[0]), square).value[0];
    T* const block_dots = ex.dots + block * dot_stride;
    if (t == 0) block_dots[square_dot] = block_square;
    if (i + 1 == panel.columns) break;

    const int held = own_rows.held_of(i + 1);
    if (resident || held > 0) dots_of_held(own_rows, slice, i + 1, held, tail, passing.dots, block_dots);
    if constexpr (!resident) dots_of_far(own_rows, slice, i, held, q, tail, block_dots);
    __syncthreads();
    if (t == 0) barrier.arrive();
    if (walks) walk.load_ahead(cut[0], cut[1], q + 1 + shift);
    barrier.wait();
  }
}

}  // namespace eigen_g::reduction
