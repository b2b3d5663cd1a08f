// pack_lower() on a GPU, by tiles of 32 x 32 entries. Tiles of an upper triangle are transposed through shared memory.
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/prepare/pack.hpp"

namespace eigen_g {

namespace {

constexpr int tile = 32;
constexpr int tile_rows = 8;  // a block is tile x tile_rows threads

// Tiles on and below the diagonal, numbered along block rows: tile (r, c), c <= r, has number r (r + 1) / 2 + c.
__device__ void tile_of(std::int64_t number, std::int64_t& r, std::int64_t& c) {
  r = static_cast<std::int64_t>((sqrt(8.0 * static_cast<double>(number) + 1.0) - 1.0) * 0.5);
  while (r * (r + 1) / 2 > number) --r;
  while ((r + 1) * (r + 2) / 2 <= number) ++r;
  c = number - r * (r + 1) / 2;
}

// `from` and `to` may be the same matrix. If the upper triangle is given, the kernel reads above the diagonal and writes below it. If
// the lower one is given, one thread reads and writes each entry.
template <class T>
__global__ void pack_lower_kernel(bool upper, std::int64_t n, const T* from, std::int64_t ld_from, T* to,
                                  std::int64_t ld_to) {
  __shared__ T buffer[tile][tile + 1];
  std::int64_t r = 0, c = 0;
  tile_of(blockIdx.x, r, c);
  const std::int64_t row = r * tile + threadIdx.x;
  if (upper) {
    for (int k = threadIdx.y; k < tile;
         k += tile_rows) {  // tile (c, r) of `from`; its columns are rows of `to`
      const std::int64_t i = c * tile + threadIdx.x, j = r * tile + k;
      if (j < n && i <= j) buffer[k][threadIdx.x] = from[i + j * ld_from];
    }
    __syncthreads();
  }
  for (int k = threadIdx.y; k < tile; k += tile_rows) {
    const std::int64_t j = c * tile + k;
    if (j >= n || row < j || row >= ld_to) continue;
    const T entry = row >= n ? 0 : upper ? conj_of(buffer[threadIdx.x][k]) : from[row + j * ld_from];
    to[row + j * ld_to] = row == j ? real_of(entry) : entry;
  }
}

}  // namespace

template <class T>
void pack_lower(const Queue& queue, Uplo uplo, MatrixView<const T> from_dev, MatrixView<T> to_dev) {
  const std::int64_t n = to_dev.cols;
  if (n == 0) return;
  const std::int64_t tiles = (to_dev.lda + tile - 1) / tile;
  pack_lower_kernel<<<static_cast<unsigned>(tiles * (tiles + 1) / 2), dim3(tile, tile_rows), 0,
                      queue.stream()>>>(uplo == Uplo::upper, n, on_device(from_dev.data), from_dev.lda,
                                        on_device(to_dev.data), to_dev.lda);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(all_types, pack_lower);

}  // namespace eigen_g
