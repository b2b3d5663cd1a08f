#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"

#include <complex>
#include <cstdint>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/warp_sum.cuh"
#include "solver/reduction/two_stage/few_reflectors.cuh"

namespace eigen_g {

namespace {

constexpr int warp = 32, warps = 8;  // a block has 8 warps; each warp computes one column of X at a time

// adjoint: Y is stored as its adjoint.
template <class D>
__global__ void __launch_bounds__(warp* warps)
    adjoint_product_kernel(std::int64_t rows, std::int64_t columns, const D* x, std::int64_t ldx, int b,
                           const D* tau, const D* w, std::int64_t ldw, D* y, std::int64_t ldy, bool adjoint) {
  const int lane = threadIdx.x % warp;
  const FewReflectors panel(tau, b);
  if (panel.count == 0) return;
  for (std::int64_t col = blockIdx.x * std::int64_t{warps} + threadIdx.x / warp; col < columns;
       col += gridDim.x * std::int64_t{warps}) {
    AccurateSum<D> sum[few_reflectors];
    for (std::int64_t row = lane; row < rows; row += warp) {
      const D entry = conj_of(x[row + col * ldx]);
#pragma unroll
      for (int k = 0; k < few_reflectors; ++k)
        if (k < panel.count) sum[k].add(entry, w[row + panel.column[k] * ldw]);
    }
#pragma unroll
    for (int k = 0; k < few_reflectors; ++k) {
      const D value = warp_sum(sum[k].value());
      if (k >= panel.count || lane != 0) continue;
      if (adjoint)
        y[panel.column[k] + col * ldy] = conj_of(value);
      else
        y[col + panel.column[k] * ldy] = value;
    }
  }
}

template <class T>
void product(const Queue& queue, MatrixView<const T> x_dev, const T* tau_dev, MatrixView<const T> w_dev,
             MatrixView<T> y_dev, bool adjoint) {
  if (x_dev.rows == 0 || x_dev.cols == 0) return;
  const std::int64_t enough = (x_dev.cols + warps - 1) / warps, most = 4 * queue.multiprocessors();
  adjoint_product_kernel<<<static_cast<unsigned>(enough < most ? enough : most), warp * warps, 0,
                           queue.stream()>>>(
      x_dev.rows, x_dev.cols, on_device(x_dev.data), x_dev.lda, static_cast<int>(w_dev.cols),
      on_device(tau_dev), on_device(w_dev.data), w_dev.lda, on_device(y_dev.data), y_dev.lda, adjoint);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
void adjoint_product_of_few(const Queue& queue, MatrixView<const T> x_dev, const T* tau_dev,
                            MatrixView<const T> w_dev, MatrixView<T> y_dev) {
  product(queue, x_dev, tau_dev, w_dev, y_dev, false);
}
template <class T>
void product_with_few(const Queue& queue, MatrixView<const T> w_dev, const T* tau_dev,
                      MatrixView<const T> x_dev, MatrixView<T> y_dev) {
  product(queue, x_dev, tau_dev, w_dev, y_dev, true);
}

EIGEN_G_INSTANTIATE(all_types, adjoint_product_of_few, product_with_few);

}  // namespace eigen_g
