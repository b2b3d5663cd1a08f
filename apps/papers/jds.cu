#include "apps/papers/jds.hpp"
#include "blas2/spmv/block_arguments.hpp"
#include "blas2/spmv/block_rows.cuh"
#include "blas2/spmv/row_order.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::papers {

namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

__device__ std::int64_t length_at(const std::int64_t* row_offsets, const std::int32_t* order,
                                  std::int64_t position) {
  return row_offsets[order[position] + 1] - row_offsets[order[position]];
}

__global__ void longest_kernel(const std::int64_t* row_offsets, const std::int32_t* order,
                               std::int64_t* longest) {
  *longest = length_at(row_offsets, order, 0);
}

// count[j] := the number of positions whose rows have more than j entries.
__global__ void count_kernel(std::int64_t rows, const std::int64_t* row_offsets, const std::int32_t* order,
                             std::int64_t diagonals, std::int64_t* count) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (j >= diagonals) return;
  std::int64_t low = 0, high = rows;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (length_at(row_offsets, order, middle) > j) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  count[j] = low;
}

template <class T>
__global__ void fill_kernel(CrsView<T> a, const std::int32_t* order, const std::int64_t* diagonal_begin,
                            std::int32_t* col, T* value) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= a.rows) return;
  const std::int64_t from = a.row_offsets[order[i]], length = length_at(a.row_offsets, order, i);
  for (std::int64_t j = 0; j < length; ++j) {
    const std::int64_t to = diagonal_begin[j] + i;
    col[to] = a.col[from + j];
    value[to] = a.value[from + j];
  }
}

// The paper's kernel: a thread takes a position.
template <class T, int k>
__global__ void __launch_bounds__(threads)
    jds_kernel(JdsView<T> a, T alpha, const T* __restrict__ x, T beta, T* __restrict__ y, T gamma) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= a.rows) return;
  T sum[k] = {};
  std::int64_t begin = a.diagonals > 0 ? __ldg(a.diagonal_begin) : 0;
#pragma unroll 4
  for (std::int64_t j = 0; j < a.diagonals; ++j) {
    const std::int64_t next = __ldg(a.diagonal_begin + j + 1);
    if (begin + i >= next) break;
    blas2::add_product<k>(sum, __ldcs(a.value + begin + i), x, __ldcs(a.col + begin + i));
    begin = next;
  }
  blas2::store_row<k>(y, std::int64_t{__ldg(a.order + i)}, sum, alpha, beta, gamma, x);
}

}  // namespace

template <class T>
JdsOnDevice<T>::JdsOnDevice(const Queue& queue, const CrsView<T>& a_dev)
    : rows_(a_dev.rows), cols_(a_dev.cols), nnz_(a_dev.nnz) {
  if (rows_ == 0) return;
  order_ = DeviceBuffer<std::int32_t>(queue, rows_);
  blas2::order_rows(queue, rows_, a_dev.row_offsets, rows_, nnz_, order_.data());
  DeviceBuffer<std::int64_t> longest_dev(queue, 1);
  longest_kernel<<<1, 1, 0, queue.stream()>>>(a_dev.row_offsets, order_.data(), longest_dev.data());
  EIGEN_G_LAUNCHED();
  EIGEN_G_CUDA(cudaMemcpyAsync(&diagonals_, longest_dev.data(), sizeof diagonals_, cudaMemcpyDeviceToHost,
                               queue.stream()));
  queue.wait();
  diagonal_begin_ = DeviceBuffer<std::int64_t>(queue, diagonals_ + 1);
  DeviceBuffer<std::int64_t> count(queue, diagonals_);
  if (diagonals_ > 0) {
    count_kernel<<<blocks_for(diagonals_), threads, 0, queue.stream()>>>(
        rows_, a_dev.row_offsets, order_.data(), diagonals_, count.data());
    EIGEN_G_LAUNCHED();
  }
  blas2::running_sum(queue, count.data(), diagonals_, diagonal_begin_.data());
  col_ = DeviceBuffer<std::int32_t>(queue, nnz_);
  value_ = DeviceBuffer<T>(queue, nnz_);
  fill_kernel<<<blocks_for(rows_), threads, 0, queue.stream()>>>(a_dev, order_.data(), diagonal_begin_.data(),
                                                                 col_.data(), value_.data());
  EIGEN_G_LAUNCHED();
  queue.wait();
}

template <class T>
void jds_multiply(const Queue& queue, int k, same_t<T> alpha, const JdsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev, same_t<T> gamma) {
  blas2::require_block(k, x_dev, y_dev);
  if (a_dev.rows == 0) return;
  const auto with = [&](auto kernel) {
    kernel<<<blocks_for(a_dev.rows), threads, 0, queue.stream()>>>(a_dev, alpha, x_dev, beta, y_dev, gamma);
  };
  if (k == 1) {
    with(jds_kernel<T, 1>);
  } else {
    with(jds_kernel<T, 4>);
  }
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE_CLASS(real_types, JdsOnDevice);
EIGEN_G_INSTANTIATE(real_types, jds_multiply);

}  // namespace eigen_g::papers
