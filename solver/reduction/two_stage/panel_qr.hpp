// A = (I - V T V^H) [R; 0]: Householder QR of a tall panel, one step of the reduction to a band.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// What panel_qr() leaves. Rows and columns are the panel's; what is named twice gets the same values twice.
template <class T>
struct PanelFactor {
  MatrixView<T> v[2];  // rows x b, device: V whole, zeros above its diagonal of ones; null: not wanted
  T* tau = nullptr;    // b, device: H_k = I - tau_k v_k v_k^H; 0 from reflector rows - 1 on
  MatrixView<T> gram;  // b x b, device: V^H V above its diagonal
  T* band = nullptr;   // R(r, c) at band[(b + r - c) + c * band_ld], r <= c
  std::int64_t band_ld = 1;
  const real_t<T>* negligible =
      nullptr;  // device: squares that sum to this or less are zero below a pivot: H_k = I; null: none
};

// GPU, one cooperative kernel: a thread has some rows of one column in registers; one exchange between thread blocks a column
// (mail.cuh) makes the inner products of the column with all others, from which norm, update and V^H V follow.
//   panel_dev  rows x b, lda even, 16-byte aligned, device, in
//   scratch    panel_qr_bytes<T>(most rows of any panel, b, multiprocessors, max_blocks), its first panel_qr_mail_bytes<T>(b,
//              multiprocessors) zero before the first of a row of panels
//   step       of the first column; a row of panels counts on: the next panel's is step + b
//   max_blocks 0: as measured
// T is float or double, b of 32, 48, 64, 96, 128; or complex, b = 32. Ordered on `queue`. Repeats bit for bit. Throws DeviceError.
// Cost: 4 rows b^2 flops (the inner products with V included), the panel read once, V written once, b exchanges.
template <class T>
void panel_qr(const Queue& queue, MatrixView<const T> panel_dev, const PanelFactor<T>& out, unsigned step,
              Arena scratch, int max_blocks = 0);
template <class T>
std::uint64_t panel_qr_bytes(std::int64_t rows, std::int64_t b, int multiprocessors, int max_blocks = 0);
template <class T>
std::uint64_t panel_qr_mail_bytes(std::int64_t b, int multiprocessors);

// W = V T of the same panel, by substitution with T^-1, which has V^H V above and 1 / tau on its diagonal:
//   w_k = tau_k (v_k - sum_{l < k} w_l (V^H V)(l, k)).
//   v_dev, w_dev  rows x b, device     Cost: rows b^2 flops. Source: Schreiber and Van Loan 1989; LAPACK dlarft.
template <class T>
void panel_times_factor(const Queue& queue, MatrixView<const T> v_dev, MatrixView<const T> gram_dev,
                        const T* tau_dev, MatrixView<T> w_dev);

// Z := Z - 1/2 V M.
//   v_dev, z_dev  rows x b, device     m_dev  b x b, device     Cost: 2 rows b^2 flops.
template <class T>
void subtract_symmetric_part(const Queue& queue, MatrixView<const T> v_dev, MatrixView<const T> m_dev,
                             MatrixView<T> z_dev);

}  // namespace eigen_g
