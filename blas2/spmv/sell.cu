#include "blas2/spmv/block_arguments.hpp"
#include "blas2/spmv/block_rows.cuh"
#include "blas2/spmv/sell.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256;
constexpr int warp = 32;

// X, and the rows of X that were gathered.
template <class T>
struct Rows {
  const T* rows;
  const T* hot_rows;
  std::int32_t hot;
};

template <class T, int k>
__device__ void sum_over_warp(T (&sum)[k]) {
#pragma unroll
  for (int d = warp / 2; d > 0; d /= 2) {
#pragma unroll
    for (int j = 0; j < k; ++j) sum[j] += __shfl_xor_sync(0xffffffffu, sum[j], d);
  }
}

// sum += the products of up to `in_flight` entries at distance `step`. Only the first `count` of them exist.
template <int in_flight, int step, bool has_hot, int k, class T>
__device__ void add_entries(T (&sum)[k], const std::int32_t* __restrict__ col, const T* __restrict__ value,
                            const Rows<T>& x, std::int64_t count) {
  std::int32_t c[in_flight];
  T v[in_flight];
#pragma unroll
  for (int u = 0; u < in_flight; ++u) {
    const bool stored = u < count;
    c[u] = stored ? __ldcs(col + u * step) : -1;
    v[u] = stored ? __ldcs(value + u * step) : T(0);
  }
#pragma unroll
  for (int u = 0; u < in_flight; ++u)
    if (c[u] >= 0) {
      const bool hot = has_hot && c[u] < x.hot;
      add_product<k>(sum, v[u], hot ? x.hot_rows : x.rows, has_hot && !hot ? c[u] - x.hot : c[u]);
    }
}

// partial(piece, :) := the sum of the piece. Lane l adds its entries l, l + 32, ...
template <class T, int k, bool has_hot>
__device__ void sum_piece(const SellView<T>& a, std::int64_t piece, int lane, const Rows<T>& x, T* partial) {
  constexpr int in_flight = 4;
  T sum[k] = {};
  const std::int64_t end = __ldg(a.piece_begin + piece + 1);
  for (std::int64_t p = __ldg(a.piece_begin + piece) + lane; p < end; p += warp * in_flight)
    add_entries<in_flight, warp, has_hot>(sum, a.col + p, a.value + p, x, (end - p + warp - 1) / warp);
  sum_over_warp(sum);
  if (lane == 0) {
#pragma unroll
    for (int j = 0; j < k; ++j) partial[piece * k + j] = sum[j];
  }
}

// Each warp of the first piece_blocks blocks handles a piece of a long row; each warp of the other blocks handles a slice.
template <class T, int k, bool has_hot>
__global__ void __launch_bounds__(threads)
    sell_kernel(SellView<T> a, unsigned piece_blocks, T alpha, Rows<T> x, T beta, T* __restrict__ y,
                T* __restrict__ partial, T gamma) {
  constexpr int in_flight = k == 1 ? 4 : 8;
  const int lane = threadIdx.x % warp;
  if (blockIdx.x < piece_blocks) {
    const std::int64_t piece = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / warp;
    if (piece < a.pieces) sum_piece<T, k, has_hot>(a, piece, lane, x, partial);
    return;
  }
  const std::int64_t slice = (std::int64_t{blockIdx.x - piece_blocks} * threads + threadIdx.x) / warp;
  if (slice >= a.slices) return;
  const std::int64_t begin = __ldg(a.slice_begin + slice);
  const auto width = static_cast<std::int32_t>((__ldg(a.slice_begin + slice + 1) - begin) / warp);
  const std::int64_t position = slice * warp + lane;
  std::int64_t row = -1;
  if (position < a.rows) row = a.order ? __ldg(a.order + position) : position;
  T sum[k] = {};
  const std::int32_t* col = a.col + begin + lane;
  const T* value = a.value + begin + lane;
  for (std::int32_t j = 0; j < width; j += in_flight, col += in_flight * warp, value += in_flight * warp)
    add_entries<in_flight, warp, has_hot>(sum, col, value, x, width - j);
  if (row >= 0) store_row<k>(y, row, sum, alpha, beta, gamma, x.rows);
}

// Computes y for the long rows: one warp for each row adds the sums of its pieces in a fixed order.
template <class T, int k>
__global__ void __launch_bounds__(threads)
    long_row_kernel(SellView<T> a, T alpha, const T* partial, const T* x, T beta, T* y, T gamma) {
  const std::int64_t r = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / warp;
  const int lane = threadIdx.x % warp;
  if (r >= a.long_rows) return;
  T sum[k] = {};
  for (std::int64_t p = a.first_piece[r] + lane; p < a.first_piece[r + 1]; p += warp) {
#pragma unroll
    for (int j = 0; j < k; ++j) sum[j] += partial[p * k + j];
  }
  sum_over_warp(sum);
  if (lane == 0) store_row<k>(y, std::int64_t{a.long_row[r]}, sum, alpha, beta, gamma, x);
}

unsigned blocks_of_warps(std::int64_t warps) {
  return static_cast<unsigned>((warps * warp + threads - 1) / threads);
}

template <class T, int k>
__global__ void __launch_bounds__(threads)
    gather_kernel(std::int32_t count, const std::int32_t* col, const T* x, T* hot_x) {
  const std::int32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count * k) hot_x[i] = x[std::int64_t{col[i / k]} * k + i % k];
}

template <class T, int k>
void launch(const Queue& queue, const Sell<T>& matrix, T alpha, const T* x, T beta, T* y, T gamma) {
  const SellView<T> a = matrix.view();
  if (a.hot > 0) {
    gather_kernel<T, k><<<(a.hot * k + threads - 1) / threads, threads, 0, queue.stream()>>>(
        a.hot, a.hot_col, x, matrix.hot_x());
    EIGEN_G_LAUNCHED();
  }
  const unsigned piece_blocks = blocks_of_warps(a.pieces), blocks = piece_blocks + blocks_of_warps(a.slices);
  const auto with = [&](auto kernel) {
    kernel<<<blocks, threads, 0, queue.stream()>>>(a, piece_blocks, alpha, Rows<T>{x, matrix.hot_x(), a.hot},
                                                   beta, y, matrix.partial(), gamma);
  };
  if (a.hot > 0) {
    with(sell_kernel<T, k, true>);
  } else {
    with(sell_kernel<T, k, false>);
  }
  EIGEN_G_LAUNCHED();
  if (a.long_rows == 0) return;
  long_row_kernel<T, k><<<blocks_of_warps(a.long_rows), threads, 0, queue.stream()>>>(
      a, alpha, matrix.partial(), x, beta, y, gamma);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
void sell_multiply(const Queue& queue, int k, same_t<T> alpha, const Sell<T>& a, const same_t<T>* x_dev,
                   same_t<T> beta, T* y_dev, same_t<T> gamma) {
  require_block(k, x_dev, y_dev);
  if (a.view().rows == 0) return;
  if (k == 1) {
    launch<T, 1>(queue, a, alpha, x_dev, beta, y_dev, gamma);
  } else {
    launch<T, 4>(queue, a, alpha, x_dev, beta, y_dev, gamma);
  }
}

EIGEN_G_INSTANTIATE(real_types, sell_multiply);

}  // namespace eigen_g::blas2
