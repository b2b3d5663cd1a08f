// full_to_band_on_threads(), Q^H A Q = B: Householder reduction of a symmetric or Hermitian matrix to a band with b diagonals below the main
// one, by a team of threads (hybrid/team/team.hpp).
//
//   Q = H_0 H_1 ... H_{n-b-2},   H_j = I - tau_j v_j v_j^H,   v_j(j + b) = 1, zeros before it;   B(i, j) = 0 for |i - j| > b
#pragma once

#include <cstdint>
#include <functional>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

// CPU. b >= 1; widths from 32 to 64 are fast.
//   a        n x n, lda, host, in: the lower triangle, with max |a_ij| in the range that scale() leaves alone (prepare/scale.hpp);
//            out: v_j in column j from row j + b + 1 on; the rest of the lower triangle has no meaning. The upper triangle is not touched
//   band     b + 1 rows, n columns, host, out: B(i, j) at (i - j, j); entries beyond row n - 1 are not written. The diagonal is real
//   tau      n values, host, out; 0 for columns without a reflector
//   scratch  full_to_band_bytes_on_threads<T>(n, b) bytes of host memory
//   progress called by the calling thread with the fraction of the work that is done. Its exceptions pass through; A, band and tau are
//            then unspecified
// Takes up to team_threads(n) threads. The results do not depend on their number. They have other bits for each vector width
// (hybrid/vector/width.hpp). tau = 0 if the part of a column below the band has a norm of at most ulp |A|_F when its turn comes, or of
// (4 + n / 8) ulp times the norm of the same rows of the same column of A.
// Cost: 4/3 n^3 flops in products (four times this number for complex T), and about 4 b n^2 flops more. For each b columns, A is read twice for
// a product, and read and written once for an update. One barrier a column and three more for each 16 columns; about n^2 / 2 + 6 b n values
// of scratch.
//
// The lower triangle is copied into tiles. A panel of b columns takes these steps, which the whole team shares:
//   QR   the panel's rows are divided into chunks. For each column, every thread sums the chunks' parts of the dot products of the column with
//        the later ones, subtracts the reflector from its rows of the later columns, and forms their parts of the dot products with the next
//        column. This goes over 16 columns; then all columns behind them are updated by products
//   W    A V, a row of tiles at a time: the tiles left of the diagonal as they are, and the adjoints of the tiles below it
//   X    W T - 1/2 V T^H (V^H W) T, where H_j H_(j+1) ... H_(j+b-1) = I - V T V^H
//   A    A - V X^H - X V^H in the tiles of the lower triangle
// Threads claim rows of W and tiles of A. Every sum has an order that depends on n and b alone. Source: Bischof, Lang and Sun 2000; LAPACK
// dsytrd_sy2sb.
template <class T>
void full_to_band_on_threads(std::int64_t b, MatrixView<same_t<T>> a, MatrixView<same_t<T>> band, T* tau,
                             Arena scratch, const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t full_to_band_bytes_on_threads(std::int64_t n, std::int64_t b);

}  // namespace eigen_g
