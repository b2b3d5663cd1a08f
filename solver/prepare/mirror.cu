#include "solver/prepare/mirror.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

constexpr int tile = 32, tile_rows = 8;

// A block copies one tile: (r, c) of the lower triangle, r >= c, to (c, r), or (c, r) to (r, c). Block k has the k-th tile of the lower
// triangle by rows: k = r (r + 1) / 2 + c. sqrt() gives r up to rounding, and the loops correct it.
// The block reads tile (tile_row, tile_column).
template <bool from_lower, class T>
__global__ void __launch_bounds__(tile* tile_rows) mirror_kernel(std::int32_t n, T* a, std::int64_t lda) {
  __shared__ T held[tile][tile + 1];
  const auto number = static_cast<std::int64_t>(blockIdx.x);
  auto r = static_cast<std::int64_t>((sqrt(8.0 * static_cast<double>(number) + 1) - 1) / 2);
  while (r * (r + 1) / 2 > number) --r;
  while ((r + 1) * (r + 2) / 2 <= number) ++r;
  const std::int64_t c = number - r * (r + 1) / 2;
  const std::int64_t tile_row = from_lower ? r : c, tile_column = from_lower ? c : r;
  const std::int64_t row = tile_row * tile + threadIdx.x, mirrored = tile_column * tile + threadIdx.x;
#pragma unroll
  for (int k = threadIdx.y; k < tile; k += tile_rows)
    if (row < n && tile_column * tile + k < n) held[k][threadIdx.x] = a[row + (tile_column * tile + k) * lda];
  __syncthreads();
#pragma unroll
  for (int k = threadIdx.y; k < tile; k += tile_rows)
    if (from_lower ? tile_row * tile + k < n && mirrored < tile_row * tile + k
                   : mirrored < n && mirrored > tile_row * tile + k)
      a[mirrored + (tile_row * tile + k) * lda] = conj_of(held[threadIdx.x][k]);
  if constexpr (is_complex<T>)
    if (r == c && threadIdx.y == 0 && row < n) a[row + row * lda] = real_of(held[threadIdx.x][threadIdx.x]);
}

}  // namespace

template <class T>
void mirror(const Queue& queue, Uplo from, MatrixView<T> a_dev) {
  if (a_dev.rows < (is_complex<T> ? 1 : 2)) return;
  const std::int64_t tiles = (a_dev.rows + tile - 1) / tile;
  const auto kernel =
      from == Uplo::lower ? mirror_kernel<true, device_t<T>> : mirror_kernel<false, device_t<T>>;
  kernel<<<static_cast<unsigned>(tiles * (tiles + 1) / 2), dim3(tile, tile_rows), 0, queue.stream()>>>(
      static_cast<std::int32_t>(a_dev.rows), on_device(a_dev.data), a_dev.lda);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(all_types, mirror);

}  // namespace eigen_g
