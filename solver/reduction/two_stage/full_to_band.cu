// Reduction to a band on the GPU: blocks of up to `pending` columns, each block in panels of b columns.
//
// The V and Z of a block's panels so far are stored next to each other, so that every product with all of them is one product:
//
//   pending = [V1 Z1 V2 Z2 ...],  partner = [Z1 V1 Z2 V2 ...],  A - pending partner^H is the current matrix.
//
// `partner` is not stored as a whole: only the rows that a product needs are copied from `pending`.
//
//   panel at column j   A(j:, j:j+b) -= pending partner(j:j+b)^H;  QR of its rows from j + b on: V, tau, R
//                       W = V T; for real T cholesky_panel() is tried first, and the other kernels return at once if it succeeds
//                       P = A W - pending (partner^H W), because A itself is as it was at the beginning of the block
//                       Z = P - 1/2 V (W^H P) in two products. V and A W are behind `pending`, at first with A W where Z will be:
//                         [C; .; Y] = [pending V AW]^H W, so that partner^H W = D is C with its blocks exchanged, and Y = (A W)^H W
//                         Z = A W - [pending V] M,  M = [D; 1/2 (Y^H - C^H D)]
//   end of the block    A -= pending partner^H on the lower triangle, which is then mirrored
#include "solver/reduction/two_stage/full_to_band.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gemm_df/adjoint.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/prepare/mirror.hpp"
#include "solver/reduction/negligible.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"
#include "solver/reduction/two_stage/cholesky_panel.hpp"
#include "solver/reduction/two_stage/full_to_band_steps.cuh"
#include "solver/reduction/two_stage/panel_qr.hpp"

namespace eigen_g {

namespace {

using namespace to_band;

// The arrays of the workspace.
template <class T>
struct Buffers {
  MatrixView<T> pending, partner, w, inner, correction, gram;
  MatrixView<double> q;  // Q1 of cholesky_panel(). In double it is where Z will be
  real_t<T>* squares;
  Arena panels, cholesky;

  Buffers(Arena& arena, std::int64_t n, std::int64_t b, int multiprocessors) {
    const std::int64_t k = 2 * pending_columns(n, b);
    const auto with_rows = [&](std::int64_t rows, std::int64_t columns) {
      constexpr std::int64_t multiple = tridiagonalize_row_multiple;
      return arena.matrix<T>(rows, columns, round_up(rows, multiple));
    };
    pending = with_rows(n, k);
    partner = with_rows(std::min(n, std::max(b, two_stage_tuning().update_columns)), k);
    w = with_rows(n, b);
    inner = arena.matrix<T>(k, b, k);
    correction = arena.matrix<T>(k, b, k);
    gram = arena.matrix<T>(b, b, b);
    squares = arena.take<real_t<T>>(n + 1);
    panels = arena.part(panel_qr_bytes<T>(n, b, multiprocessors));
    if constexpr (!is_complex<T>) {
      cholesky = arena.part(cholesky_panel_bytes(n));
      if (sizeof(T) < sizeof(double)) q = arena.matrix<double>(n, b, n);
    }
  }
};

}  // namespace

template <class T>
std::uint64_t full_to_band_bytes(std::int64_t n, std::int64_t b, int multiprocessors) {
  return bytes_taken([&](Arena& arena) { Buffers<T>(arena, n, b, multiprocessors); });
}

template <class T>
void full_to_band(const Products<T>& products, std::int64_t b, MatrixView<T> a_dev, MatrixView<T> band_dev,
                  T* tau_dev, Arena scratch_dev, const std::function<void(double)>& progress,
                  const std::function<void(std::int64_t columns)>& reached) {
  const std::int64_t n = a_dev.cols;
  if (n == 0) return;
  const Queue& queue = products.queue();
  const Buffers<T> at(scratch_dev, n, b, queue.multiprocessors());
  const std::int64_t most = pending_columns(n, b), update_columns = two_stage_tuning().update_columns;
  EIGEN_G_CUDA(cudaMemsetAsync(tau_dev, 0, sizeof(T) * static_cast<std::uint64_t>(n), queue.stream()));
  clear_panels<T>(queue, b, at.panels, at.cholesky);
  const std::int64_t min_rows = min_rows_cholesky<T>(n, b);
  if (a_dev.rows > 1) mirror(queue, Uplo::lower, a_dev);
  const real_t<T>* const negligible = negligible_square_of<T>(queue, a_dev, at.squares);

  std::vector<std::pair<Event, double>> milestones;
  std::int64_t j = 0;
  std::optional<typename Products<T>::Held>
      held;  // the entries of A that all panels of a block multiply, or the pending columns
  for (std::int64_t width = 0; n - j - b >= 2;) {  // `width`: number of pending columns
    const std::int64_t below = j + b, rows = n - below;
    const auto pending = [&](std::int64_t row, std::int64_t count) {
      return MatrixView<const T>(at.pending.block(row, 0, count, 2 * width));
    };
    const auto partner = [&](std::int64_t row, std::int64_t count) {
      return swap_pairs<T>(queue, b, pending(row, count), at.partner);
    };
    const auto slot = [&](int second) { return at.pending.block(below, 2 * width + second * b, rows, b); };
    if (width > 0)
      products.gemm(Op::none, adjoint<T>, -1, pending(j, n - j), partner(j, b), 1,
                    a_dev.block(j, j, n - j, b));
    const MatrixView<T> v = slot(0), z = slot(1);
    const MatrixView<T> w = at.w.block(below, 0, rows, b);
    PanelFactor<T> factor;
    factor.v[0] = a_dev.block(below, j, rows, b);
    factor.v[1] = v;
    factor.tau = tau_dev + j;
    factor.gram = at.gram;
    factor.band = &band_dev(0, j);
    factor.band_ld = band_dev.lda;
    factor.negligible = negligible;
    factor_panel<T>(queue, j, factor.v[0], factor, at.q, z, w, min_rows, at.panels, at.cholesky);
    // Computes y = x^H w, the result of the gemm before, again if the panel is among the first and has few reflectors.
    const auto again_of_few = [&](MatrixView<const T> x, MatrixView<const T> of, MatrixView<T> y) {
      if (j < panels_of_few * b && rows > b) adjoint_product_of_few<T>(queue, x, tau_dev + j, of, y);
    };
    const MatrixView<const T> left = a_dev.block(below, below, rows, rows);
    if (width == 0) held.emplace(products.hold(left));
    products.gemm(Op::none, Op::none, 1, left, w, 0, z);
    again_of_few(left, w, z);
    z_of_product<T>(products, at.pending.block(below, 0, rows, 2 * (width + b)), w, at.inner, at.correction,
                    again_of_few);
    width += b;
    j = below;
    if (width < most && n - j - b >= 2) continue;
    if (reached) reached(j);

    held.reset();
    held.emplace(products.hold(pending(j, n - j)));
    for (std::int64_t c = j; c < n; c += update_columns) {
      const std::int64_t columns = std::min(update_columns, n - c);
      products.gemm(Op::none, adjoint<T>, -1, pending(c, n - c), partner(c, columns), 1,
                    a_dev.block(c, c, n - c, columns));
    }
    held.reset();
    if (n - j > 1) mirror(queue, Uplo::lower, a_dev.block(j, j, n - j, n - j));
    width = 0;
    if (!progress) continue;
    milestones.emplace_back(Event(queue.resources()),
                            1 - std::pow(static_cast<double>(n - j) / static_cast<double>(n), 3));
    milestones.back().first.record(queue);
  }
  full_to_band_kernels::diagonal_blocks_kernel<<<static_cast<unsigned>(n), 128, 0, queue.stream()>>>(
      static_cast<std::int32_t>(n), static_cast<std::int32_t>(b), static_cast<std::int32_t>(j),
      on_device(a_dev.data), a_dev.lda, on_device(band_dev.data), band_dev.lda);
  EIGEN_G_LAUNCHED();
  if (reached) reached(n);
  for (const auto& [event, fraction] : milestones) {
    event.wait();
    progress(fraction);
  }
}

EIGEN_G_INSTANTIATE(all_types, full_to_band, full_to_band_bytes);

}  // namespace eigen_g
