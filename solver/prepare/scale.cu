// Scales a matrix and eigenvalues by a power of two, on a GPU.
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

template <class T>
__global__ void scale_lower_kernel(std::int64_t n, T* a, std::int64_t lda, int k) {
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = j + threadIdx.x; i < n; i += threads) a[i + j * lda] = scalbn(a[i + j * lda], k);
}

template <class R>
__global__ void scale_values_kernel(std::int64_t n, const R* w, int k, R* to) {
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
    to[i] = scalbn(w[i], k);
}

}  // namespace

template <class T>
void scale(const Queue& queue, MatrixView<T> a_dev, int k) {
  if (k == 0 || a_dev.rows == 0) return;
  const std::int64_t blocks = std::min<std::int64_t>(a_dev.cols, 16 * queue.multiprocessors());
  scale_lower_kernel<<<static_cast<unsigned>(blocks), threads, 0, queue.stream()>>>(
      a_dev.rows, on_device(a_dev.data), a_dev.lda, k);
  EIGEN_G_LAUNCHED();
}

template <class R>
void scale_values(const Queue& queue, std::int64_t n, R* w_dev, int k) {
  if (k != 0) store_scaled_values<R>(queue, n, w_dev, k, w_dev);
}

template <class R>
void store_scaled_values(const Queue& queue, std::int64_t n, const R* w_dev, int k, R* to_dev) {
  if (n == 0) return;
  scale_values_kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, queue.stream()>>>(
      n, w_dev, k, to_dev);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, scale, void(const Queue&, MatrixView<T>, int));
EIGEN_G_INSTANTIATE_OVERLOAD(real_types, scale_values, void(const Queue&, std::int64_t, T*, int));
EIGEN_G_INSTANTIATE(real_types, store_scaled_values);

}  // namespace eigen_g
