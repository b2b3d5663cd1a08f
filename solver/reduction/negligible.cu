#include "solver/reduction/negligible.hpp"

#include <limits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

template <class R>
__device__ R square_of(R x) {
  return x * x;
}
template <class R>
__device__ R square_of(DeviceComplex<R> x) {
  return x.re * x.re + x.im * x.im;
}

// The sum of x(i), i = begin ... end - 1; valid in thread 0. Each thread sums a chain, then a tree adds the `threads` chains.
template <class R, class F>
__device__ R sum_of_block(std::int64_t begin, std::int64_t end, const F& x) {
  __shared__ R part[threads];
  R sum = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += threads) sum += x(i);
  part[threadIdx.x] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  return part[0];
}

// squares[j] := column j's contribution to |A|_F^2: its diagonal entry counts once, the entries below the diagonal count twice.
template <class D, class R>
__global__ void __launch_bounds__(threads)
    column_squares_kernel(std::int64_t n, const D* a, std::int64_t lda, R* squares) {
  const std::int64_t j = blockIdx.x;
  const D* const column = a + j * lda;
  const R below = sum_of_block<R>(j + 1, n, [&](std::int64_t i) { return square_of(column[i]); });
  if (threadIdx.x == 0) {
    const R diagonal = real_of(column[j]);
    squares[j] = diagonal * diagonal + 2 * below;
  }
}
template <class R>
__global__ void __launch_bounds__(threads) negligible_kernel(std::int64_t n, R* squares) {
  const R sum = sum_of_block<R>(0, n, [&](std::int64_t i) { return squares[i]; });
  constexpr R ulp = std::numeric_limits<R>::epsilon();
  if (threadIdx.x == 0) squares[n] = max(ulp * ulp * sum, negligible_square<R>);
}

}  // namespace

template <class T>
const real_t<T>* negligible_square_of(const Queue& queue, MatrixView<const T> a_dev, real_t<T>* squares_dev) {
  const std::int64_t n = a_dev.cols;
  column_squares_kernel<<<static_cast<unsigned>(n), threads, 0, queue.stream()>>>(n, on_device(a_dev.data),
                                                                                  a_dev.lda, squares_dev);
  EIGEN_G_LAUNCHED();
  negligible_kernel<<<1, threads, 0, queue.stream()>>>(n, squares_dev);
  EIGEN_G_LAUNCHED();
  return squares_dev + n;
}

EIGEN_G_INSTANTIATE(all_types, negligible_square_of);

}  // namespace eigen_g
