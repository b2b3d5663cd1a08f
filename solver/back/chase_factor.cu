// T of a tile. A thread block computes S = V^T V on and above the diagonal on the tensor core. Then each thread computes a row of T
// (dlarft):
//
//   T(r, i) = -tau_i sum_{r <= l < i} T(r, l) S(l, i),    T(i, i) = tau_i = 2 / S(i, i).
//
// |Q2^T Q2 - I| depends on the rounding here. Therefore tau is computed again from the stored v, and every sum goes from its small
// terms to its large ones.
#include "solver/back/chase_factor.hpp"

#include "gemm_df/tensor_core.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/back/chase_tile.cuh"

namespace eigen_g {

namespace {

constexpr int threads = 128;

std::size_t shared_bytes(const ChaseTiles& tiles) {
  return sizeof(double) *
         static_cast<std::size_t>(tiles.tile_size() + (tiles.width + 1) * tiles.width + tiles.width);
}

template <class T>
__global__ void __launch_bounds__(threads)
    factor_kernel(ChaseTiles tiles, ChaseReflectors<const T> reflectors, std::int64_t first_group,
                  std::int64_t before, double* all_factors, double* all_v) {
  extern __shared__ double2 memory[];
  const int width = static_cast<int>(tiles.width), b = static_cast<int>(tiles.b), ld = width + 1;
  const int size = static_cast<int>(tiles.tile_size());
  double* const v = reinterpret_cast<double*>(memory);
  double* const s = v + size;  // S(l, i) at [l + i ld], l < i; T(r, l) at [l + r ld], l >= r
  double* const tau = s + ld * width;
  const std::int64_t group = first_group + blockIdx.y, step = blockIdx.x;
  if (step >= tiles.steps(group)) return;
  const std::int64_t place = tiles.tile(group, step) - before;
  load_chase_tile(tiles, reflectors, group, step, v, tau);
  for (int k = threadIdx.x; k < size; k += threads) all_v[place * size + k] = v[k];

  // S by blocks of 16 x 8: rows i = 8 first ..., columns j = 8 square ..., summed over the rows in which both columns of V are nonzero.
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, band_squares = b / 8;
  const auto rows = [&](int square, int k) {  // rows 8 k + 2t and 8 k + 2t + 1 of column 8 square + g
    return k >= square && k <= square + band_squares
               ? *reinterpret_cast<const double2*>(v + tiles.column(8 * square + g) + 8 * (k - square) +
                                                   2 * t)
               : double2{0, 0};
  };
  const int squares = width / 8, blocks = width / 16 * squares;
  for (int block = threadIdx.x / 32; block < blocks; block += threads / 32) {
    const int first = block / squares * 2, square = block % squares;
    if (square < first) continue;
    double sum[4][4] = {};  // separate sums for every second square, and for even and odd rows
    for (int k = first + 1 + band_squares; k >= square; k -= 2)
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        if (k - i / 2 < square) break;
        const double2 low = rows(first, k - i / 2), high = rows(first + 1, k - i / 2),
                      right = rows(square, k - i / 2);
        mma(sum[i], low.x, high.x, right.x);
        mma(sum[i + 1], low.y, high.y, right.y);
      }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = 8 * first + g + e / 2 * 8, j = 8 * square + 2 * t + e % 2;
      const double total = (sum[0][e] + sum[1][e]) + (sum[2][e] + sum[3][e]);
      if (i < j) s[i + j * ld] = total;
      if (i == j && tau[j] != 0) tau[j] = 2 / total;
    }
  }
  __syncthreads();

  const int r = threadIdx.x, base = r / 32 * 32;
  if (base < width) {
    if (r < width) s[r + r * ld] = tau[r];
    for (int i = base + 1; i < width; ++i) {
      double sum[4] = {};
      for (int l = (i - 1) / 4 * 4; l >= base; l -= 4)
#pragma unroll
        for (int c = 3; c >= 0; --c)
          if (l + c < i)
            sum[c] = fma(r < width && l + c >= r ? s[l + c + r * ld] : 0, s[l + c + i * ld], sum[c]);
      if (r < i) s[i + r * ld] = -tau[i] * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
  }
  __syncthreads();

  double* const to = all_factors + place * chase_factor_size(width);
  for (int k = threadIdx.x; k < width * width; k += threads) {
    const int i = k / width, l = k % width;
    if (i / 8 <= l / 8) to[chase_factor_place(width, i, l)] = l >= i ? -s[l + i * ld] : 0;
  }
}

}  // namespace

template <class T>
void chase_factors(const Queue& queue, const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                   std::int64_t first_group, std::int64_t last_group, double* factors_dev, double* v_dev) {
  if (first_group > last_group) return;
  allow_shared_memory(factor_kernel<T>, shared_bytes(tiles));
  factor_kernel<<<chase_grid(tiles, first_group, last_group), threads, shared_bytes(tiles), queue.stream()>>>(
      tiles, reflectors, first_group, tiles.tiles_from(last_group + 1), factors_dev, v_dev);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(real_types, chase_factors);

}  // namespace eigen_g
