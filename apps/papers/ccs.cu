#include "apps/papers/ccs.hpp"
#include "blas2/spmv/block_arguments.hpp"
#include "blas2/spmv/row_order.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::papers {

namespace {

constexpr int threads = 256;
constexpr int warp = 32;
constexpr int row_bits = 32;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

// The key of an entry has its column in the upper half and its row in the lower one; the value is its place in the CRS arrays. A warp
// takes a row.
template <class T>
__global__ void key_kernel(CrsView<T> a, std::uint64_t* keys, std::int64_t* places) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / warp;
  if (row >= a.rows) return;
  for (std::int64_t p = a.row_offsets[row] + threadIdx.x % warp; p < a.row_offsets[row + 1]; p += warp) {
    const std::int64_t at = p - a.row_offsets[0];
    keys[at] = (static_cast<std::uint64_t>(a.col[p]) << row_bits) | static_cast<std::uint64_t>(row);
    places[at] = p;
  }
}

template <class T>
__global__ void gather_kernel(std::int64_t nnz, const std::uint64_t* keys, const std::int64_t* places,
                              const T* value, std::int32_t* row_out, T* value_out) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p >= nnz) return;
  row_out[p] = static_cast<std::int32_t>(keys[p] & 0xffffffffull);
  value_out[p] = value[places[p]];
}

// col_begin[j] := the place of the first entry whose column is at least j.
__global__ void begin_kernel(std::int64_t cols, std::int64_t nnz, const std::uint64_t* keys,
                             std::int64_t* col_begin) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (j > cols) return;
  std::int64_t low = 0, high = nnz;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (static_cast<std::int64_t>(keys[middle] >> row_bits) < j) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  col_begin[j] = low;
}

template <class T>
__global__ void scale_kernel(std::int64_t count, T beta, T* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) y[i] = beta == T(0) ? T(0) : beta * y[i];
}

// The paper's kernel: a thread takes a column.
template <class T, int k>
__global__ void __launch_bounds__(threads)
    ccs_kernel(CcsView<T> a, T alpha, const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (j >= a.cols) return;
  T own[k];
#pragma unroll
  for (int v = 0; v < k; ++v) own[v] = alpha * __ldg(x + j * k + v);
  const std::int64_t end = __ldg(a.col_begin + j + 1);
  for (std::int64_t p = __ldg(a.col_begin + j); p < end; ++p) {
#pragma unroll
    for (int v = 0; v < k; ++v)
      atomicAdd(y + std::int64_t{__ldg(a.row + p)} * k + v, __ldg(a.value + p) * own[v]);
  }
}

}  // namespace

template <class T>
CcsOnDevice<T>::CcsOnDevice(const Queue& queue, const CrsView<T>& a_dev)
    : rows_(a_dev.rows), cols_(a_dev.cols), nnz_(a_dev.nnz) {
  DeviceBuffer<std::uint64_t> keys(queue, nnz_);
  DeviceBuffer<std::int64_t> places(queue, nnz_);
  if (nnz_ > 0) {
    key_kernel<<<blocks_for(rows_ * warp), threads, 0, queue.stream()>>>(a_dev, keys.data(), places.data());
    EIGEN_G_LAUNCHED();
    int col_bits = 1;
    while ((cols_ - 1) >> col_bits) ++col_bits;
    blas2::sort_pairs(queue, keys, places, row_bits, row_bits + col_bits);
  }
  col_begin_ = DeviceBuffer<std::int64_t>(queue, cols_ + 1);
  begin_kernel<<<blocks_for(cols_ + 1), threads, 0, queue.stream()>>>(cols_, nnz_, keys.data(),
                                                                      col_begin_.data());
  EIGEN_G_LAUNCHED();
  row_ = DeviceBuffer<std::int32_t>(queue, nnz_);
  value_ = DeviceBuffer<T>(queue, nnz_);
  if (nnz_ > 0) {
    gather_kernel<<<blocks_for(nnz_), threads, 0, queue.stream()>>>(nnz_, keys.data(), places.data(),
                                                                    a_dev.value, row_.data(), value_.data());
    EIGEN_G_LAUNCHED();
  }
  queue.wait();
}

template <class T>
void ccs_multiply(const Queue& queue, int k, same_t<T> alpha, const CcsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev) {
  blas2::require_block(k);
  if (a_dev.rows == 0) return;
  scale_kernel<T><<<blocks_for(a_dev.rows * k), threads, 0, queue.stream()>>>(a_dev.rows * k, beta, y_dev);
  EIGEN_G_LAUNCHED();
  if (a_dev.cols == 0) return;
  const auto with = [&](auto kernel) {
    kernel<<<blocks_for(a_dev.cols), threads, 0, queue.stream()>>>(a_dev, alpha, x_dev, y_dev);
  };
  if (k == 1) {
    with(ccs_kernel<T, 1>);
  } else {
    with(ccs_kernel<T, 4>);
  }
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE_CLASS(real_types, CcsOnDevice);
EIGEN_G_INSTANTIATE(real_types, ccs_multiply);

}  // namespace eigen_g::papers
