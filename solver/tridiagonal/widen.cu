// widen() on a GPU: one block a column.
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 256;

template <class R>
__global__ void widen_kernel(std::int64_t n, const R* u, std::int64_t ldu, DeviceComplex<R>* z,
                             std::int64_t ldz) {
  const std::int64_t j = blockIdx.x;
  for (std::int64_t i = threadIdx.x; i < n; i += threads) z[i + j * ldz] = u[i + j * ldu];
}

}  // namespace

template <class T>
void widen(const Queue& queue, MatrixView<const real_t<T>> u_dev, MatrixView<T> z_dev) {
  if (u_dev.rows == 0 || u_dev.cols == 0) return;
  widen_kernel<<<static_cast<unsigned>(u_dev.cols), threads, 0, queue.stream()>>>(
      u_dev.rows, u_dev.data, u_dev.lda, on_device(z_dev.data), z_dev.lda);
  EIGEN_G_LAUNCHED();
}

EIGEN_G_INSTANTIATE_OVERLOAD(complex_types, widen,
                             void(const Queue&, MatrixView<const real_t<T>>, MatrixView<T>));

}  // namespace eigen_g
