#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/one_stage/reflector_layout.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

// Blocks for a loop over columns: block b works on columns b, b + blocks, ...; the threads of a block share a column's rows.
unsigned blocks_for(const Queue& queue, std::int64_t columns) {
  return static_cast<unsigned>(std::min<std::int64_t>(columns, 16 * queue.multiprocessors()));
}

// Maps entry (i, j), i >= j, of a lower triangle to the entry of a's triangle that represents it.
template <class T>
struct Triangle {
  MatrixView<T> a;
  bool upper;
  __device__ T& operator()(std::int64_t i, std::int64_t j) const {
    return upper ? a(a.rows - 1 - i, a.rows - 1 - j) : a(i, j);
  }
};

// Copies the rows from column j's diagonal on. With `whole`, the columns are reflectors and also get their 1 and their zeros.
template <class T>
__global__ void take_kernel(Triangle<const T> from, bool whole, MatrixView<T> to) {
  const std::int64_t n = to.cols;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x) {
    for (std::int64_t i = (whole ? 0 : j) + threadIdx.x; i < to.lda; i += threads) {
      const bool copied = i < n && (!whole || i > j + 1);
      to(i, j) = copied ? from(i, j) : whole && i == j + 1 && i < n ? 1 : 0;
      if constexpr (is_complex<T>)
        if (i == j)
          to(i, j) = T(to(i, j).real(), 0);  // the imaginary part of a diagonal entry may hold anything
    }
  }
}

template <class T>
__global__ void give_kernel(MatrixView<const T> v, const real_t<T>* d, const real_t<T>* e, Triangle<T> to) {
  const std::int64_t n = v.cols;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = j + threadIdx.x; i < n; i += threads) {
      if (i == j)
        to(i, j) = T(d[to.upper ? n - 1 - j : j]);
      else if (i == j + 1)
        to(i, j) = T(e[to.upper ? n - 2 - j : j]);
      else
        to(i, j) = v(i, j);
    }
}

template <class T>
__global__ void reverse_rows_kernel(MatrixView<T> x) {
  for (std::int64_t j = blockIdx.x; j < x.cols; j += gridDim.x)
    for (std::int64_t i = threadIdx.x; i < x.rows / 2; i += threads) {
      const T first = x(i, j), last = x(x.rows - 1 - i, j);
      x(i, j) = last;
      x(x.rows - 1 - i, j) = first;
    }
}

template <class T>
__global__ void reverse_columns_kernel(MatrixView<T> x) {
  for (std::int64_t j = blockIdx.x; j < x.cols / 2; j += gridDim.x)
    for (std::int64_t i = threadIdx.x; i < x.rows; i += threads) {
      const T first = x(i, j), last = x(i, x.cols - 1 - j);
      x(i, j) = last;
      x(i, x.cols - 1 - j) = first;
    }
}

template <class T>
__global__ void identity_kernel(MatrixView<T> x) {
  for (std::int64_t j = blockIdx.x; j < x.cols; j += gridDim.x)
    for (std::int64_t i = threadIdx.x; i < x.rows; i += threads) x(i, j) = T(i == j ? 1 : 0);
}

template <class T>
void take(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev, bool whole,
          MatrixView<T> to_dev) {
  if (to_dev.cols == 0) return;
  take_kernel<T><<<blocks_for(queue, to_dev.cols), threads, 0, queue.stream()>>>(
      {from_dev, uplo == Uplo::upper}, whole, to_dev);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
void take_triangle(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev,
                   MatrixView<T> to_dev) {
  take(queue, uplo, from_dev, false, to_dev);
}

template <class T>
void take_reflectors(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev,
                     MatrixView<T> to_dev) {
  take(queue, uplo, from_dev, true, to_dev);
}

template <class T>
void give_reflectors(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> v_dev,
                     const real_t<same_t<T>>* d_dev, const real_t<same_t<T>>* e_dev, MatrixView<T> a_dev) {
  if (v_dev.cols == 0) return;
  give_kernel<T><<<blocks_for(queue, v_dev.cols), threads, 0, queue.stream()>>>(v_dev, d_dev, e_dev,
                                                                                {a_dev, uplo == Uplo::upper});
  EIGEN_G_LAUNCHED();
}

template <class T>
void reverse_rows(const Queue& queue, MatrixView<T> x_dev) {
  if (x_dev.cols == 0 || x_dev.rows < 2) return;
  reverse_rows_kernel<T><<<blocks_for(queue, x_dev.cols), threads, 0, queue.stream()>>>(x_dev);
  EIGEN_G_LAUNCHED();
}

template <class T>
void reverse_columns(const Queue& queue, MatrixView<T> x_dev) {
  if (x_dev.cols < 2 || x_dev.rows == 0) return;
  reverse_columns_kernel<T><<<blocks_for(queue, x_dev.cols / 2), threads, 0, queue.stream()>>>(x_dev);
  EIGEN_G_LAUNCHED();
}

template <class T>
void set_identity(const Queue& queue, MatrixView<T> x_dev) {
  if (x_dev.cols == 0) return;
  identity_kernel<T><<<blocks_for(queue, x_dev.cols), threads, 0, queue.stream()>>>(x_dev);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE(all_types, take_triangle, take_reflectors, give_reflectors, reverse_rows, reverse_columns,
                    set_identity);

}  // namespace eigen_g
