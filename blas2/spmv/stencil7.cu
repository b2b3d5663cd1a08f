#include "blas2/spmv/stencil7.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256;

// A row of a block of four; 16-byte loads.
template <class T>
struct alignas(16) Row {
  T at[4];
};

template <class T>
__device__ inline void subtract(Row<T>& sum, const Row<T>& other) {
#pragma unroll
  for (int c = 0; c < 4; ++c) sum.at[c] -= other.at[c];
}

// A thread a point. Neighbours in x come from L1, those in y and z from L2, which holds their planes.
template <class T>
__global__ void __launch_bounds__(threads)
    stencil7_kernel(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz, T alpha,
                    const Row<T>* __restrict__ x, T gamma, T beta, Row<T>* __restrict__ y) {
  const std::int64_t row = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  const std::int64_t plane = std::int64_t{nx} * ny;
  if (row >= plane * nz) return;
  const auto k = static_cast<std::uint32_t>(row / plane);
  const auto within = static_cast<std::uint32_t>(row - k * plane);
  const std::uint32_t j = within / nx, i = within - j * nx;
  const Row<T> own = x[row];
  Row<T> sum;
#pragma unroll
  for (int c = 0; c < 4; ++c) sum.at[c] = 6 * own.at[c];
  if (i > 0) subtract(sum, x[row - 1]);
  if (i + 1 < nx) subtract(sum, x[row + 1]);
  if (j > 0) subtract(sum, x[row - nx]);
  if (j + 1 < ny) subtract(sum, x[row + nx]);
  if (k > 0) subtract(sum, x[row - plane]);
  if (k + 1 < nz) subtract(sum, x[row + plane]);
  Row<T> before{};
  if (beta != T(0)) before = y[row];
#pragma unroll
  for (int c = 0; c < 4; ++c) sum.at[c] = alpha * sum.at[c] + gamma * own.at[c] + beta * before.at[c];
  y[row] = sum;
}

}  // namespace

template <class T>
void stencil7_multiply(const Queue& queue, const GridSize& grid, same_t<T> alpha, const T* x_dev,
                       same_t<T> gamma, same_t<T> beta, T* y_dev) {
  if (grid.points() == 0) return;
  const auto side = [](std::int64_t m) { return static_cast<std::uint32_t>(m); };
  stencil7_kernel<<<static_cast<unsigned>((grid.points() + threads - 1) / threads), threads, 0,
                    queue.stream()>>>(side(grid.nx), side(grid.ny), side(grid.nz), alpha,
                                      reinterpret_cast<const Row<T>*>(x_dev), gamma, beta,
                                      reinterpret_cast<Row<T>*>(y_dev));
  EIGEN_G_LAUNCHED();
}

template void stencil7_multiply(const Queue&, const GridSize&, double, const double*, double, double,
                                double*);

}  // namespace eigen_g::blas2
