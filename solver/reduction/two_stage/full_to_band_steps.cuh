// Kernels and steps that full_to_band() on one GPU and on a team of GPUs share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gemm_df/adjoint.hpp"
#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/reduction/two_stage/cholesky_panel.hpp"
#include "solver/reduction/two_stage/full_to_band_kernels.cuh"
#include "solver/reduction/two_stage/panel_qr.hpp"

namespace eigen_g::to_band {

// Only the first panels can have few reflectors: a matrix with few different rows has one reflector for each of them.
inline constexpr std::int64_t panels_of_few = 4;

template <class T>
MatrixView<const T> swap_pairs(const Queue& queue, std::int64_t b, MatrixView<const T> x_dev,
                               MatrixView<T> y_dev) {
  constexpr int threads = 128;
  const dim3 grid(static_cast<unsigned>((x_dev.rows + threads - 1) / threads),
                  static_cast<unsigned>(x_dev.cols));
  full_to_band_kernels::swap_pairs_kernel<<<grid, threads, 0, queue.stream()>>>(
      static_cast<std::int32_t>(b), x_dev.rows, on_device(x_dev.data), x_dev.lda, on_device(y_dev.data),
      y_dev.lda);
  EIGEN_G_LAUNCHED();
  return y_dev.block(0, 0, x_dev.rows, x_dev.cols);
}

template <class T>
MatrixView<const T> correction(const Queue& queue, std::int64_t width, MatrixView<const T> c_dev,
                               MatrixView<T> m_dev) {
  using namespace full_to_band_kernels;
  const std::int64_t b = c_dev.cols;
  const auto squares = static_cast<unsigned>(b / correction_side);
  correction_kernel<<<squares * squares, correction_threads, correction_shared, queue.stream()>>>(
      static_cast<std::int32_t>(b), static_cast<std::int32_t>(width), on_device(c_dev.data), c_dev.lda,
      on_device(m_dev.data), m_dev.lda);
  EIGEN_G_LAUNCHED();
  return m_dev.block(0, 0, width + b, b);
}

// Z := A W - [pending V] M, as full_to_band.cu explains.
//   pending  rows x (width + 2 b): the pending columns, V, and A W, which becomes Z
//   w        rows x b
//   c, m     room for the matrices of correction()
//   again    again(X, W, Y) may compute Y = X^H W again
template <class T, class Again>
void z_of_product(const Products<T>& products, MatrixView<T> pending, MatrixView<const same_t<T>> w,
                  MatrixView<same_t<T>> c, MatrixView<same_t<T>> m, const Again& again) {
  const std::int64_t rows = pending.rows, b = w.cols, width = pending.cols - 2 * b;
  const MatrixView<T> inner = c.block(0, 0, pending.cols, b);
  products.gemm(adjoint<T>, Op::none, 1, pending, w, 0, inner);
  again(MatrixView<const T>(pending), w, inner);
  products.gemm(Op::none, Op::none, -1, pending.block(0, 0, rows, width + b),
                correction<T>(products.queue(), width, inner, m), 1, pending.block(0, width + b, rows, b));
}

inline std::int64_t pending_columns(std::int64_t n, std::int64_t b) {
  const TwoStageTuning& t = two_stage_tuning();
  const std::int64_t wanted = n < t.min_order_wide ? t.pending : t.pending_wide;
  return std::max<std::int64_t>(1, wanted / b) * b;
}

// The QR of the panel at column j of the matrix: V, tau and R, and W = V T. For real T cholesky_panel() is tried first, for panels of at least
// min_rows_cholesky() rows, and the other kernels return at once if it succeeds.
//   panel     rows x b, in; out: V
//   factor    where V, tau, R and the Gram matrix go; v[0] is `panel`
//   q         rows x b or more rows, in float; not used in other types
//   spare     rows x b, overwritten
//   w         rows x b, out
//   panels    panel_qr_bytes() bytes, whose mail clear_panels() has cleared before the first panel
//   cholesky  cholesky_panel_bytes() bytes, whose counters clear_panels() has cleared; for complex types: not used
template <class T>
void factor_panel(const Queue& queue, std::int64_t j, MatrixView<T> panel, PanelFactor<T> factor,
                  [[maybe_unused]] MatrixView<double> q, [[maybe_unused]] MatrixView<T> spare,
                  MatrixView<T> w, std::int64_t min_rows_cholesky, Arena panels,
                  [[maybe_unused]] Arena cholesky) {
  if constexpr (!is_complex<T>)
    if (panel.rows >= min_rows_cholesky) {
      if constexpr (std::is_same_v<T, double>)
        q = spare;
      else
        q = q.block(0, 0, panel.rows, panel.cols);
      factor.done = cholesky_panel<T>(queue, panel, factor, q, w, cholesky);
    }
  panel_qr<T>(queue, panel, factor, static_cast<unsigned>(j), panels);
  panel_times_factor<T>(queue, factor.v[1], factor.gram, factor.tau, w, factor.done);
}
template <class T>
std::int64_t min_rows_cholesky(std::int64_t n, std::int64_t b) {
  if constexpr (!is_complex<T>)
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
  if constexpr (!is_complex<T>)
    if (cholesky_panel_runs(b)) zero(cholesky, cholesky_panel_counter_bytes);
}

}  // namespace eigen_g::to_band
