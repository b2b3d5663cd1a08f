// Kernels and steps that full_to_band() on one GPU and on a team of GPUs share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/reduction/two_stage/cholesky_panel.hpp"
#include "solver/reduction/two_stage/panel_qr.hpp"

namespace eigen_g::to_band {

// Only the first panels can have few reflectors: a matrix with few different rows has one reflector for each of them.
inline constexpr std::int64_t panels_of_few = 4;

// Copies the lower triangle of the size x size matrix a to the band. It is the part of the band that no panel's R contains.
template <class T>
__global__ void diagonal_block_kernel(std::int32_t size, const T* a, std::int64_t lda, T* band,
                                      std::int64_t ldb) {
  const std::int32_t col = blockIdx.x;
  for (std::int32_t row = col + threadIdx.x; row < size; row += blockDim.x)
    band[row - col + col * ldb] = a[row + col * lda];
}

// Y := X with the two blocks of b columns of each pair exchanged (Swapped::rows: the two blocks of b rows).
enum class Swapped { columns, rows };
template <Swapped what, class T>
__global__ void swap_pairs_kernel(std::int32_t b, std::int64_t rows, const T* x, std::int64_t ldx, T* y,
                                  std::int64_t ldy) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (row >= rows) return;
  const auto other = [b](std::int64_t k) { return k / b % 2 == 0 ? k + b : k - b; };
  y[row + col * ldy] = what == Swapped::columns ? x[row + other(col) * ldx] : x[other(row) + col * ldx];
}

template <Swapped what, class T>
MatrixView<const T> swap_pairs(const Queue& queue, std::int64_t b, MatrixView<const T> x_dev,
                               MatrixView<T> y_dev) {
  constexpr int threads = 128;
  const dim3 grid(static_cast<unsigned>((x_dev.rows + threads - 1) / threads),
                  static_cast<unsigned>(x_dev.cols));
  swap_pairs_kernel<what><<<grid, threads, 0, queue.stream()>>>(static_cast<std::int32_t>(b), x_dev.rows,
                                                                on_device(x_dev.data), x_dev.lda,
                                                                on_device(y_dev.data), y_dev.lda);
  EIGEN_G_LAUNCHED();
  return y_dev.block(0, 0, x_dev.rows, x_dev.cols);
}

template <class T>
void diagonal_block(const Queue& queue, MatrixView<const T> a_dev, T* band_dev, std::int64_t ldb) {
  diagonal_block_kernel<<<static_cast<unsigned>(a_dev.cols), 128, 0, queue.stream()>>>(
      static_cast<std::int32_t>(a_dev.rows), on_device(a_dev.data), a_dev.lda, on_device(band_dev), ldb);
  EIGEN_G_LAUNCHED();
}

inline std::int64_t pending_columns(std::int64_t n, std::int64_t b) {
  const TwoStageTuning& t = two_stage_tuning();
  const std::int64_t wanted = n < t.min_order_wide ? t.pending : t.pending_wide;
  return std::max<std::int64_t>(1, wanted / b) * b;
}

// The QR of the panel at column j of the matrix: V, tau and R, and W = V T. In double cholesky_panel() is tried first, for panels of at least
// min_rows_cholesky() rows, and the other kernels return at once if it succeeds.
//   panel     rows x b, in; out: V
//   factor    where V, tau, R and the Gram matrix go; v[0] is `panel`
//   spare     rows x b, overwritten
//   w         rows x b, out
//   panels    panel_qr_bytes() bytes, whose mail clear_panels() has cleared before the first panel
//   cholesky  cholesky_panel_bytes() bytes, whose counters clear_panels() has cleared; for other types than double: not used
template <class T>
void factor_panel(const Queue& queue, std::int64_t j, MatrixView<T> panel, PanelFactor<T> factor,
                  MatrixView<T> spare, MatrixView<T> w, std::int64_t min_rows_cholesky, Arena panels,
                  [[maybe_unused]] Arena cholesky) {
  if constexpr (std::is_same_v<T, double>)
    if (panel.rows >= min_rows_cholesky)
      factor.done = cholesky_panel(queue, panel, factor, spare, w, cholesky);
  panel_qr<T>(queue, panel, factor, static_cast<unsigned>(j), panels);
  panel_times_factor<T>(queue, factor.v[1], factor.gram, factor.tau, w, factor.done);
}
template <class T>
std::int64_t min_rows_cholesky(std::int64_t n, std::int64_t b) {
  if constexpr (std::is_same_v<T, double>)
    if (cholesky_panel_runs(b)) return two_stage_tuning().min_rows_cholesky_panel;
  return n;
}
template <class T>
void clear_panels(const Queue& queue, std::int64_t b, Arena panels, [[maybe_unused]] Arena cholesky) {
  const auto zero = [&](Arena& of, std::uint64_t bytes) {
    void* const memory = of.take<std::byte>(static_cast<std::int64_t>(bytes));
    EIGEN_G_CUDA(cudaMemsetAsync(memory, 0, bytes, queue.stream()));
  };
  zero(panels, panel_qr_mail_bytes<T>(b, queue.multiprocessors()));
  if constexpr (std::is_same_v<T, double>)
    if (cholesky_panel_runs(b)) zero(cholesky, cholesky_panel_counter_bytes);
}

}  // namespace eigen_g::to_band
