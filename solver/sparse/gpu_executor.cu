// The kernels and operations of GpuExecutor.
#include <algorithm>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/sparse/gpu_executor.hpp"
#include "solver/sparse/small_matrices.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

unsigned blocks_of(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}
__device__ inline std::int64_t own_index() {
  return blockIdx.x * std::int64_t{threads} + threadIdx.x;
}

template <class T>
__global__ void randomise_kernel(std::int64_t values, std::int64_t before, unsigned columns,
                                 std::uint64_t seed, T* x) {
  const std::int64_t e = own_index();
  if (e < values && (columns >> (e % block_width) & 1u))
    x[e] = random_value<T>(seed, static_cast<std::uint64_t>(before + e));
}
template <class T>
__global__ void factor_kernel(const T* g, T least, T* r, T* inverse) {
  factor_gram(g, least, r, inverse);
}
template <class T>
__global__ void keep_diagonal_kernel(T* c) {
  if (threadIdx.x % (block_width + 1) != 0) c[threadIdx.x] = T(0);
}
template <class T>
__global__ void combine_product_kernel(std::int64_t values, T alpha, const T* ax, T gamma,
                                       const T* __restrict__ x, T beta, T* y) {
  const std::int64_t e = own_index();
  if (e >= values) return;
  const T sum = alpha * ax[e] + gamma * x[e];
  y[e] = beta == T(0) ? sum : sum + beta * y[e];
}
template <class T>
__global__ void column_kernel(std::int64_t n, std::int64_t column, const T* __restrict__ blocks,
                              T* __restrict__ z) {
  const std::int64_t i = own_index();
  if (i < n) z[i] = blocks[(column / block_width * n + i) * block_width + column % block_width];
}
}  // namespace

template <class T>
GpuExecutor<T>::GpuExecutor(const Queue& queue, std::int64_t n, std::int64_t max_blocks,
                            MatrixOperator<T> product, std::uint64_t held_bytes, std::int64_t first_row)
    : queue_(queue),
      n_(n),
      first_row_(first_row),
      bytes_(held_bytes),
      product_(std::move(product)),
      work_(take(tall_work(n, max_blocks))) {}

template <class T>
T* GpuExecutor<T>::take(std::int64_t values) {
  memory_.emplace_back(queue_, values);
  bytes_ += memory_.back().bytes();
  return memory_.back().data();
}
template <class T>
void GpuExecutor<T>::put(const T* host, std::int64_t values, T* to) {
  EIGEN_G_CUDA(cudaMemcpyAsync(to, host, values * sizeof(T), cudaMemcpyHostToDevice, queue_.stream()));
}
template <class T>
void GpuExecutor<T>::get(const T* from, std::int64_t values, T* host) {
  T* const pinned = queue_.resources().pinned(values);
  EIGEN_G_CUDA(cudaMemcpyAsync(pinned, from, values * sizeof(T), cudaMemcpyDeviceToHost, queue_.stream()));
  queue_.wait();
  std::copy_n(pinned, values, host);
}
template <class T>
void GpuExecutor<T>::copy(const T* from, std::int64_t values, T* to) {
  EIGEN_G_CUDA(cudaMemcpyAsync(to, from, values * sizeof(T), cudaMemcpyDeviceToDevice, queue_.stream()));
}

template <class T>
void GpuExecutor<T>::product(T alpha, const T* x, T gamma, T beta, T* y) {
  product_(alpha, x, gamma, beta, y);
}
template <class T>
void GpuExecutor<T>::randomise(unsigned columns, std::uint64_t seed, T* x) {
  const std::int64_t values = n_ * block_width;
  randomise_kernel<<<blocks_of(values), threads, 0, queue_.stream()>>>(values, first_row_ * block_width,
                                                                       columns, seed, x);
  EIGEN_G_LAUNCHED();
}

template <class T>
void GpuExecutor<T>::gram(std::int64_t p, const T* v, const T* w, T* c) {
  tall_gram(queue_, n_, p, v, w, c, work_);
}
template <class T>
void GpuExecutor<T>::subtract(std::int64_t p, const T* v, const T* c, T* w, T* g) {
  tall_subtract(queue_, n_, p, v, c, w, g, work_);
}
template <class T>
void GpuExecutor<T>::times(T* w, const T* s) {
  tall_times(queue_, n_, w, s);
}
template <class T>
void GpuExecutor<T>::combine(std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z) {
  tall_combine(queue_, n_, p, v, q, q_blocks, z);
}
template <class T>
void GpuExecutor<T>::factor(const T* g, T least, T* r, T* inverse) {
  factor_kernel<<<1, 1, 0, queue_.stream()>>>(g, least, r, inverse);
  EIGEN_G_LAUNCHED();
}
template <class T>
void GpuExecutor<T>::keep_diagonal(T* c) {
  keep_diagonal_kernel<<<1, block_width * block_width, 0, queue_.stream()>>>(c);
  EIGEN_G_LAUNCHED();
}

template <class T>
void GpuExecutor<T>::column(const T* blocks, std::int64_t column, T* to) {
  if (!column_) column_ = take(n_);
  column_kernel<<<blocks_of(n_), threads, 0, queue_.stream()>>>(n_, column, blocks, column_);
  EIGEN_G_LAUNCHED();
  // A long column is copied as a matrix, because the transfer of a matrix to host memory works in pieces.
  constexpr std::int64_t piece = std::int64_t{1} << 18;
  const std::int64_t pieces = is_gpu_memory(to) || n_ < 4 * piece ? 0 : n_ / piece,
                     rest = n_ - pieces * piece;
  if (pieces > 0) download<T>(queue_, {column_, piece, pieces, piece}, {to, piece, pieces, piece});
  EIGEN_G_CUDA(cudaMemcpyAsync(to + pieces * piece, column_ + pieces * piece, rest * sizeof(T),
                               cudaMemcpyDefault, queue_.stream()));
  queue_.wait();
}

template <class T>
void combine_product(const Queue& queue, std::int64_t n, T alpha, const T* ax_dev, T gamma, const T* x_dev,
                     T beta, T* y_dev) {
  const std::int64_t values = n * block_width;
  combine_product_kernel<<<blocks_of(values), threads, 0, queue.stream()>>>(values, alpha, ax_dev, gamma,
                                                                            x_dev, beta, y_dev);
  EIGEN_G_LAUNCHED();
}
EIGEN_G_INSTANTIATE_CLASS(double_type, GpuExecutor);
EIGEN_G_INSTANTIATE(double_type, combine_product);

}  // namespace eigen_g
