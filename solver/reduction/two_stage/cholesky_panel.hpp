// cholesky_panel(): the QR of a panel by Cholesky QR twice, if the panel is well conditioned. The GPU decides; panel_qr() does the other panels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/reduction/two_stage/panel_qr.hpp"

namespace eigen_g {

class Queue;

// True if the current GPU and this build run cholesky_panel() for panels of b columns: b = 64, compute capability 9.0 or later,
// enough shared memory. Throws DeviceError.
bool cholesky_panel_runs(std::int64_t b);

// GPU, three kernels, for float and double. The same factorization as panel_qr(), P = (I - V T V^T) [R; 0], and W = V T, up to rounding
// errors. The arithmetic is in double.
//   panel_dev  rows x 64, device, in; rows >= 128
//   out        v, tau and R as of panel_qr(); v[k] may be panel_dev. gram is not written, done is not read. No tau is 0
//   q_dev      rows x 64 doubles, device, overwritten: no memory of the other arrays
//   w_dev      rows x 64, device, out: V T
//   scratch    cholesky_panel_bytes(largest number of rows of any panel) bytes. The caller sets its first cholesky_panel_counter_bytes to zero
//              before the first panel
// Returns an address in `scratch` for PanelFactor::done. There the GPU writes 1, or 0 if the panel is not well conditioned. With 0, only q_dev
// and scratch are overwritten. The reasons for 0:
//   - the condition of P, with columns of norm 1, is above about 1e7;
//   - a column of R has a square of at most 1024 times out.negligible, or squares could underflow or overflow;
//   - an entry is not finite.
// Ordered on `queue`. Throws DeviceError. Repeated runs give the same bits.
// Cost: 8 rows 64^2 flops in four products; the panel is read twice, Q1 written once and read once, V and W written once.
// Source: Yamamoto et al. 2015 (Cholesky QR twice); Ballard et al. 2014 (Householder vectors from Q).
template <class T>
const unsigned* cholesky_panel(const Queue& queue, MatrixView<const same_t<T>> panel_dev,
                               const PanelFactor<T>& out, MatrixView<double> q_dev,
                               MatrixView<same_t<T>> w_dev, Arena scratch);
inline constexpr std::size_t cholesky_panel_counter_bytes = 64;
std::uint64_t cholesky_panel_bytes(std::int64_t rows);

}  // namespace eigen_g
