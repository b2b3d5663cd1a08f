// Conversions and operations on columns: one block a column.
#include "solver/refine/columns.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

// One block a column.
template <class From, class To>
__global__ void convert_kernel(MatrixView<const From> from, MatrixView<To> to) {
  const std::int64_t j = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < to.rows; i += threads) to(i, j) = static_cast<To>(from(i, j));
}

__global__ void scale_kernel(const double* d, MatrixView<double> x) {
  const std::int64_t j = blockIdx.x;
  const double d_j = d[j];
  for (std::int64_t i = threadIdx.x; i < x.rows; i += threads) x(i, j) *= d_j;
}

__global__ void add_kernel(MatrixView<const float> p, MatrixView<double> x) {
  const std::int64_t j = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < x.rows; i += threads) x(i, j) += p(i, j);
}

__global__ void gather_kernel(const std::int64_t* order, MatrixView<const double> from,
                              MatrixView<double> to) {
  const std::int64_t j = blockIdx.x, source = order[j];
  for (std::int64_t i = threadIdx.x; i < to.rows; i += threads) to(i, j) = from(i, source);
}

// One thread block a diagonal block.
__global__ void pack_kernel(const std::int64_t* first, const std::int64_t* size, const std::int64_t* at,
                            MatrixView<const double> from, double* packed) {
  const std::int64_t f = first[blockIdx.x], m = size[blockIdx.x];
  double* const to = packed + at[blockIdx.x];
  for (std::int64_t k = threadIdx.x; k < m * m; k += threads) {
    const std::int64_t i = k % m, j = k / m;
    to[k] = i >= j ? from(f + i, f + j) : from(f + j, f + i);
  }
}

template <class From, class To>
void launch_convert(const Queue& queue, MatrixView<const From> from, MatrixView<To> to) {
  if (to.rows == 0 || to.cols == 0) return;
  convert_kernel<<<static_cast<unsigned>(to.cols), threads, 0, queue.stream()>>>(from, to);
  EIGEN_G_LAUNCHED();
}

}  // namespace

void convert(const Queue& queue, MatrixView<const double> from_dev, MatrixView<float> to_dev) {
  launch_convert(queue, from_dev, to_dev);
}
void convert(const Queue& queue, MatrixView<const float> from_dev, MatrixView<double> to_dev) {
  launch_convert(queue, from_dev, to_dev);
}

void scale_columns(const Queue& queue, const double* d_dev, MatrixView<double> x_dev) {
  if (x_dev.rows == 0 || x_dev.cols == 0) return;
  scale_kernel<<<static_cast<unsigned>(x_dev.cols), threads, 0, queue.stream()>>>(d_dev, x_dev);
  EIGEN_G_LAUNCHED();
}

void add(const Queue& queue, MatrixView<const float> p_dev, MatrixView<double> x_dev) {
  if (x_dev.rows == 0 || x_dev.cols == 0) return;
  add_kernel<<<static_cast<unsigned>(x_dev.cols), threads, 0, queue.stream()>>>(p_dev, x_dev);
  EIGEN_G_LAUNCHED();
}

void gather_columns(const Queue& queue, const std::int64_t* order_dev, MatrixView<const double> from_dev,
                    MatrixView<double> to_dev) {
  if (to_dev.rows == 0 || to_dev.cols == 0) return;
  gather_kernel<<<static_cast<unsigned>(to_dev.cols), threads, 0, queue.stream()>>>(order_dev, from_dev,
                                                                                    to_dev);
  EIGEN_G_LAUNCHED();
}

void pack_diagonal_blocks(const Queue& queue, std::int64_t count, const std::int64_t* first_dev,
                          const std::int64_t* size_dev, const std::int64_t* at_dev,
                          MatrixView<const double> from_dev, double* packed_dev) {
  if (count == 0) return;
  pack_kernel<<<static_cast<unsigned>(count), threads, 0, queue.stream()>>>(first_dev, size_dev, at_dev,
                                                                            from_dev, packed_dev);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g
