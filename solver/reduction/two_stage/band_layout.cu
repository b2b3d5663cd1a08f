#include "solver/reduction/two_stage/band_layout.hpp"

#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

constexpr int tile = 32, tile_rows = 8;

// operator()(d, j) is A(j + d, j) in LAPACK's band.
template <class T>
struct Band {
  MatrixView<T> ab;
  std::int64_t kd;
  bool upper;
  __device__ T& operator()(std::int64_t d, std::int64_t j) const {
    return upper ? ab(kd - d, j + d) : ab(d, j);
  }
};

template <class T>
__global__ void take_band_kernel(Band<const T> from, MatrixView<T> to) {
  for (std::int64_t j = blockIdx.x; j < to.cols; j += gridDim.x)
    for (std::int64_t d = threadIdx.x; d < to.rows; d += blockDim.x)
      to(d, j) = d <= from.kd && j + d < to.cols ? from(d, j) : T{};
}

template <class T>
__global__ void give_band_kernel(MatrixView<const T> from, Band<T> to) {
  for (std::int64_t j = blockIdx.x; j < from.cols; j += gridDim.x)
    for (std::int64_t d = threadIdx.x; d <= to.kd && j + d < from.cols; d += blockDim.x)
      to(d, j) = from(d, j);
}

// to(i, j) := from(i, j) for i > j. from_rows, to_rows: the matrix is stored transposed. whole: also writes the ones on the diagonal
// and the zeros above it and below the matrix.
template <class T>
__global__ void __launch_bounds__(tile* tile_rows)
    reflectors_kernel(std::int64_t n, MatrixView<const T> from, bool from_rows, MatrixView<T> to,
                      bool to_rows, bool whole) {
  __shared__ T held[tile][tile + 1];  // held[column][row]
  const std::int64_t row = blockIdx.x * tile, col = blockIdx.y * tile;
  if (!whole && row + tile <= col) return;
  for (int k = threadIdx.y; k < tile; k += tile_rows) {
    const std::int64_t i = row + (from_rows ? k : threadIdx.x), j = col + (from_rows ? threadIdx.x : k);
    if (i > j && i < n && j < n) held[j - col][i - row] = from_rows ? from(j, i) : from(i, j);
  }
  __syncthreads();
  for (int k = threadIdx.y; k < tile; k += tile_rows) {
    const std::int64_t i = row + (to_rows ? k : threadIdx.x), j = col + (to_rows ? threadIdx.x : k);
    if (i > j && i < n && j < n)
      (to_rows ? to(j, i) : to(i, j)) = held[j - col][i - row];
    else if (whole && i < to.lda && j < n)
      to(i, j) = i == j ? T{1} : T{};
  }
}

// Sets rows 0 ... j - 1 of column j to zero.
template <class T>
__global__ void clear_above_kernel(MatrixView<T> v) {
  for (std::int64_t col = blockIdx.x; col < v.cols; col += gridDim.x)
    for (std::int64_t row = threadIdx.x; row < col; row += blockDim.x) v(row, col) = T{};
}

unsigned blocks_for(const Queue& queue, std::int64_t columns) {
  return static_cast<unsigned>(std::min<std::int64_t>(columns, 16 * queue.multiprocessors()));
}

template <class T>
void copy_reflectors(const Queue& queue, std::int64_t n, std::int64_t rows, MatrixView<const T> from,
                     bool from_rows, MatrixView<T> to, bool to_rows, bool whole) {
  if (n <= 0) return;
  const auto tiles = [](std::int64_t length) { return static_cast<unsigned>((length + tile - 1) / tile); };
  reflectors_kernel<T><<<dim3(tiles(rows), tiles(n)), dim3(tile, tile_rows), 0, queue.stream()>>>(
      n, from, from_rows, to, to_rows, whole);
  EIGEN_G_LAUNCHED();
}

// The part of A that holds the reflectors: v_j in column j (lower) or in row j (upper).
template <class T>
MatrixView<T> place_of_reflectors(Uplo uplo, std::int64_t kd, MatrixView<T> a) {
  const std::int64_t n = a.cols - kd;
  return uplo == Uplo::upper ? a.block(0, kd, n, n) : a.block(kd, 0, n, n);
}

}  // namespace

template <class T>
void take_band(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> ab_dev,
               MatrixView<T> band_dev) {
  if (band_dev.cols == 0) return;
  take_band_kernel<T><<<blocks_for(queue, band_dev.cols), 64, 0, queue.stream()>>>(
      {ab_dev, kd, uplo == Uplo::upper}, band_dev);
  EIGEN_G_LAUNCHED();
}

template <class T>
void give_band(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> band_dev,
               MatrixView<T> ab_dev) {
  if (band_dev.cols == 0) return;
  give_band_kernel<T><<<blocks_for(queue, band_dev.cols), 64, 0, queue.stream()>>>(
      band_dev, {ab_dev, kd, uplo == Uplo::upper});
  EIGEN_G_LAUNCHED();
}

template <class T>
void take_band_reflectors(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a_dev,
                          MatrixView<T> v_dev) {
  copy_reflectors<T>(queue, v_dev.cols, v_dev.lda, place_of_reflectors(uplo, kd, a_dev), uplo == Uplo::upper,
                     v_dev, false, true);
}

template <class T>
void give_band_reflectors(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> v_dev,
                          MatrixView<T> a_dev) {
  copy_reflectors<T>(queue, v_dev.cols, v_dev.cols, v_dev, false, place_of_reflectors(uplo, kd, a_dev),
                     uplo == Uplo::upper, false);
}

template <class T>
void clear_above(const Queue& queue, MatrixView<T> v_dev) {
  if (v_dev.cols < 2) return;
  clear_above_kernel<<<blocks_for(queue, v_dev.cols), 256, 0, queue.stream()>>>(
      MatrixView<device_t<T>>{on_device(v_dev.data), v_dev.rows, v_dev.cols, v_dev.lda});
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(real_types, take_band);
EIGEN_G_INSTANTIATE(double_type, give_band, take_band_reflectors, give_band_reflectors);
EIGEN_G_INSTANTIATE(all_types, clear_above);

}  // namespace eigen_g
