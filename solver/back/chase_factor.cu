// T of a tile: a thread block forms S = V^T V above the diagonal, then a thread a row of T (dlarft):
//
//   T(r, i) = -tau_i sum_{r <= l < i} T(r, l) S(l, i),    T(i, i) = tau_i.
#include "solver/back/chase_factor.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 128, side = 4;  // of a square of S, a thread

template <class T>
std::size_t shared_bytes(const ChaseTiles& tiles) {
  return sizeof(T) *
         static_cast<std::size_t>(tiles.tile_size() + (tiles.width + 1) * tiles.width + tiles.width);
}

template <class T>
__global__ void __launch_bounds__(threads)
    factor_kernel(ChaseTiles tiles, const T* all_v, const T* all_tau, T* all_factors) {
  extern __shared__ double2 memory[];
  const int width = static_cast<int>(tiles.width), b = static_cast<int>(tiles.b), ld = width + 1;
  const int size = static_cast<int>(tiles.tile_size());
  T* const v = reinterpret_cast<T*>(memory);
  T* const s = v + size;  // S(l, i) at [l + i ld], l < i; T(r, l) at [l + r ld], l >= r
  T* const tau = s + ld * width;
  const T* const from = all_v + static_cast<std::int64_t>(blockIdx.x) * size;
  for (int k = threadIdx.x; k < size; k += threads) v[k] = from[k];
  for (int k = threadIdx.x; k < width; k += threads)
    tau[k] = all_tau[static_cast<std::int64_t>(blockIdx.x) * width + k];
  __syncthreads();

  // Squares of S; column i of V begins at row 8 (i / 8) of the tile.
  const int squares = width / side;
  for (int k = threadIdx.x; k < squares * squares; k += threads) {
    const int row = k % squares * side, column = k / squares * side;
    if (row > column) continue;
    const T *left[side], *right[side];  // row 0 of the tile
#pragma unroll
    for (int c = 0; c < side; ++c) {
      left[c] = v + tiles.column(row + c) - (row + c) / 8 * 8;
      right[c] = v + tiles.column(column + c) - (column + c) / 8 * 8;
    }
    T sum[side][side] = {};
    for (int r = column / 8 * 8; r < row / 8 * 8 + b + 8; ++r) {
      T x[side], y[side];
#pragma unroll
      for (int c = 0; c < side; ++c) {
        x[c] = left[c][r];
        y[c] = right[c][r];
      }
#pragma unroll
      for (int i = 0; i < side; ++i)
#pragma unroll
        for (int j = 0; j < side; ++j) sum[i][j] = fma(x[i], y[j], sum[i][j]);
    }
#pragma unroll
    for (int i = 0; i < side; ++i)
#pragma unroll
      for (int j = 0; j < side; ++j)
        if (row + i < column + j) s[row + i + (column + j) * ld] = sum[i][j];
  }
  __syncthreads();

  const int r = threadIdx.x;
  if (r < width) {
    s[r + r * ld] = tau[r];
    for (int i = r + 1; i < width; ++i) {
      T sum[2] = {};
      for (int l = r; l < i; ++l) sum[l % 2] = fma(s[l + r * ld], s[l + i * ld], sum[l % 2]);
      s[i + r * ld] = -tau[i] * (sum[0] + sum[1]);
    }
  }
  __syncthreads();

  T* const to = all_factors + static_cast<std::int64_t>(blockIdx.x) * chase_factor_size(width);
  for (int k = threadIdx.x; k < width * width; k += threads) {
    const int i = k / width, l = k % width;
    if (i / 8 <= l / 8) to[chase_factor_place(width, i, l)] = l >= i ? -s[l + i * ld] : 0;
  }
}

}  // namespace

template <class T>
void chase_factors(const Queue& queue, const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                   std::int64_t first_group, std::int64_t last_group, T* factors_dev) {
  if (first_group > last_group) return;
  const std::int64_t before = tiles.tiles_from(last_group + 1),
                     count = tiles.tiles_from(first_group) - before;
  allow_shared_memory(factor_kernel<T>, shared_bytes<T>(tiles));
  factor_kernel<T><<<static_cast<unsigned>(count), threads, shared_bytes<T>(tiles), queue.stream()>>>(
      tiles, reflectors.v + before * tiles.tile_size(), reflectors.tau + before * tiles.width, factors_dev);
  EIGEN_G_LAUNCHED();
}

template void chase_factors<double>(const Queue&, const ChaseTiles&, const ChaseReflectors<const double>&,
                                    std::int64_t, std::int64_t, double*);

}  // namespace eigen_g
