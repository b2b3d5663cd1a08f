// panel_qr(), A = (I - V T V^H) [R; 0]: Householder QR of a tall panel, one step of the reduction to a band. Also products with V and T.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// The output of panel_qr(). Row and column indices begin at 0 in the panel.
template <class T>
struct PanelFactor {
  // Rows x b, device: all of V, ones on its diagonal and zeros above; both get the same values; null: not written.
  MatrixView<T> v[2];
  T* tau = nullptr;    // b values, device: H_k = I - tau_k v_k v_k^H; tau_k = 0 for k >= rows - 1
  MatrixView<T> gram;  // b x b, device: V^H V above its diagonal
  T* band = nullptr;   // device: R(r, c) at band[(b + r - c) + c * band_ld], r <= c
  std::int64_t band_ld = 1;
  // A tail whose squares sum to this or less counts as zero: H_k = I. Device memory; null: negligible_square.
  const real_t<T>* negligible = nullptr;
  // Device memory: if it is not 0, nothing is written, because the panel is done (cholesky_panel.hpp). Null: 0.
  const unsigned* done = nullptr;
};

// GPU, one cooperative kernel. Each thread holds some rows of one column in registers. Thread blocks exchange data once per column
// (mail.cuh): the inner products of the column with all columns. Norm, update and V^H V follow from these.
//   panel_dev   rows x b, device, 16-byte aligned, lda even, in
//   out         the outputs; see PanelFactor
//   step        number of steps before this panel since the mail was cleared: the next panel's is step + b
//   scratch     panel_qr_bytes<T>(largest number of rows of any panel, b, multiprocessors, max_blocks) bytes. The caller sets its first
//               panel_qr_mail_bytes<T>(b, multiprocessors) to zero before the first panel
//   max_blocks  largest number of thread blocks; 0: all multiprocessors
// b is 32, 48, 64, 96 or 128 for float and double, 32 for complex T. Ordered on `queue`. Throws DeviceError.
// Repeated runs give the same bits.
// Cost: 4 rows b^2 flops, inner products with V included. The panel is read once, V is written once; b exchanges.
template <class T>
void panel_qr(const Queue& queue, MatrixView<const T> panel_dev, const PanelFactor<T>& out, unsigned step,
              Arena scratch, int max_blocks = 0);
template <class T>
std::uint64_t panel_qr_bytes(std::int64_t rows, std::int64_t b, int multiprocessors, int max_blocks = 0);
template <class T>
std::uint64_t panel_qr_mail_bytes(std::int64_t b, int multiprocessors);

// W = V T for the same panel, by substitution with T^-1, which has V^H V above its diagonal and 1 / tau on it:
//   w_k = tau_k (v_k - sum_{l < k} w_l (V^H V)(l, k)).
//   v_dev     rows x b, device, in
//   gram_dev  b x b, device, in: V^H V above its diagonal
//   tau_dev   b values, device, in
//   w_dev     rows x b, device, out
//   done_dev  as PanelFactor::done
// Ordered on `queue`. Cost: rows b^2 flops. Source: Schreiber and Van Loan 1989; LAPACK dlarft.
template <class T>
void panel_times_factor(const Queue& queue, MatrixView<const T> v_dev, MatrixView<const T> gram_dev,
                        const T* tau_dev, MatrixView<T> w_dev, const unsigned* done_dev = nullptr);

}  // namespace eigen_g
