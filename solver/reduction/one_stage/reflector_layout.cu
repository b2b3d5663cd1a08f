#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/one_stage/reflector_layout.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

// Columns go round the blocks, rows round the threads.
unsigned blocks_for(const Queue& queue, std::int64_t columns) {
  return static_cast<unsigned>(std::min<std::int64_t>(columns, 16 * queue.multiprocessors()));
}

// Entry (i, j), i >= j, of the lower triangle that stands for the triangle `uplo` of a.
template <class T>
struct Triangle {
  MatrixView<T> a;
  bool upper;
  __device__ T& operator()(std::int64_t i, std::int64_t j) const {
    return upper ? a(a.rows - 1 - i, a.rows - 1 - j) : a(i, j);
  }
};

// The rows from column j's diagonal on are copied; with `whole` they are reflectors, which get their unit and zeros.
__global__ void take_kernel(Triangle<const double> from, bool whole, MatrixView<double> to) {
  const std::int64_t n = to.cols;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x) {
    for (std::int64_t i = (whole ? 0 : j) + threadIdx.x; i < to.lda; i += threads) {
      const bool copied = i < n && (!whole || i > j + 1);
      to(i, j) = copied ? from(i, j) : whole && i == j + 1 && i < n ? 1 : 0;
    }
  }
}

__global__ void give_kernel(MatrixView<const double> v, const double* d, const double* e,
                            Triangle<double> to) {
  const std::int64_t n = v.cols;
  for (std::int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (std::int64_t i = j + threadIdx.x; i < n; i += threads) {
      if (i == j)
        to(i, j) = d[to.upper ? n - 1 - j : j];
      else if (i == j + 1)
        to(i, j) = e[to.upper ? n - 2 - j : j];
      else
        to(i, j) = v(i, j);
    }
}

__global__ void reverse_rows_kernel(MatrixView<double> x) {
  for (std::int64_t j = blockIdx.x; j < x.cols; j += gridDim.x)
    for (std::int64_t i = threadIdx.x; i < x.rows / 2; i += threads) {
      const double first = x(i, j), last = x(x.rows - 1 - i, j);
      x(i, j) = last;
      x(x.rows - 1 - i, j) = first;
    }
}

void take(const Queue& queue, Uplo uplo, MatrixView<const double> from_dev, bool whole,
          MatrixView<double> to_dev) {
  if (to_dev.cols == 0) return;
  take_kernel<<<blocks_for(queue, to_dev.cols), threads, 0, queue.stream()>>>({from_dev, uplo == Uplo::upper},
                                                                              whole, to_dev);
  EIGEN_G_LAUNCHED();
}

}  // namespace

void take_triangle(const Queue& queue, Uplo uplo, MatrixView<const double> from_dev,
                   MatrixView<double> to_dev) {
  take(queue, uplo, from_dev, false, to_dev);
}

void take_reflectors(const Queue& queue, Uplo uplo, MatrixView<const double> from_dev,
                     MatrixView<double> to_dev) {
  take(queue, uplo, from_dev, true, to_dev);
}

void give_reflectors(const Queue& queue, Uplo uplo, MatrixView<const double> v_dev, const double* d_dev,
                     const double* e_dev, MatrixView<double> a_dev) {
  if (v_dev.cols == 0) return;
  give_kernel<<<blocks_for(queue, v_dev.cols), threads, 0, queue.stream()>>>(v_dev, d_dev, e_dev,
                                                                             {a_dev, uplo == Uplo::upper});
  EIGEN_G_LAUNCHED();
}

void reverse_rows(const Queue& queue, MatrixView<double> x_dev) {
  if (x_dev.cols == 0 || x_dev.rows < 2) return;
  reverse_rows_kernel<<<blocks_for(queue, x_dev.cols), threads, 0, queue.stream()>>>(x_dev);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g
