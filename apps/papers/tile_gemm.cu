#include "apps/papers/tile_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::papers {

namespace {

constexpr int plain = 16;  // threads along an edge of a block without tiles

template <class T>
__global__ void __launch_bounds__(plain* plain)
    plain_kernel(std::int64_t n, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c) {
  const std::int64_t i = std::int64_t{blockIdx.y} * plain + threadIdx.y,
                     j = std::int64_t{blockIdx.x} * plain + threadIdx.x;
  if (i >= n || j >= n) return;
  T sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

// A block computes a tile of C. Tiles of A and B are copied to shared memory, with zeros outside the matrices.
template <class T, int tile>
__global__ void __launch_bounds__(tile* tile)
    tile_kernel(std::int64_t n, const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c) {
  __shared__ T a_tile[tile][tile], b_tile[tile][tile];
  const int row = static_cast<int>(threadIdx.y), col = static_cast<int>(threadIdx.x);
  const std::int64_t i = std::int64_t{blockIdx.y} * tile + row, j = std::int64_t{blockIdx.x} * tile + col;
  T sum = 0;
  for (std::int64_t k0 = 0; k0 < n; k0 += tile) {
    a_tile[row][col] = i < n && k0 + col < n ? a[i * n + k0 + col] : T(0);
    b_tile[row][col] = k0 + row < n && j < n ? b[(k0 + row) * n + j] : T(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += a_tile[row][k] * b_tile[k][col];
    __syncthreads();
  }
  if (i < n && j < n) c[i * n + j] = sum;
}

template <class T>
__global__ void fill_kernel(std::int64_t n, T* a) {
  const std::int64_t e = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= n * n) return;
  const auto order = static_cast<double>(n);
  a[e] = static_cast<T>(static_cast<double>((e / n + 1) * n + e % n + 1) / (order * order));
}

}  // namespace

template <class T>
void tile_gemm(const Queue& queue, int tile, std::int64_t n, const same_t<T>* a_dev, const same_t<T>* b_dev,
               T* c_dev) {
  if (tile != 1 && tile != 16 && tile != 32)
    throw InvalidArgument("tile", std::to_string(tile) + "; 1, 16 or 32 is required");
  if (n == 0) return;
  const int edge = tile == 1 ? plain : tile;
  const auto blocks = static_cast<unsigned>((n + edge - 1) / edge);
  const auto with = [&](auto kernel) {
    kernel<<<dim3(blocks, blocks), dim3(static_cast<unsigned>(edge), static_cast<unsigned>(edge)), 0,
             queue.stream()>>>(n, a_dev, b_dev, c_dev);
  };
  if (tile == 1) {
    with(plain_kernel<T>);
  } else if (tile == 16) {
    with(tile_kernel<T, 16>);
  } else {
    with(tile_kernel<T, 32>);
  }
  EIGEN_G_LAUNCHED();
}

template <class T>
void fill_tile_gemm(const Queue& queue, std::int64_t n, T* a_dev) {
  if (n == 0) return;
  constexpr int threads = 256;
  fill_kernel<<<static_cast<unsigned>((n * n + threads - 1) / threads), threads, 0, queue.stream()>>>(n,
                                                                                                      a_dev);
  EIGEN_G_LAUNCHED();
}

double tile_gemm_checksum(std::int64_t n) {
  const auto x = static_cast<double>(n), y = x + 1;
  return x * y * y / 4 + y * y / 4 + y * (2 * x + 1) / 6 + y * y / (4 * x);
}

EIGEN_G_INSTANTIATE(real_types, tile_gemm, fill_tile_gemm);

}  // namespace eigen_g::papers
