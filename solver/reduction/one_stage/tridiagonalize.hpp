// Q^T A Q = T: Householder reduction of a symmetric matrix to tridiagonal form.
//
//   Q = H_1 H_2 ... H_{n-1},   H_j = I - tau_j v_j v_j^T,   T = tridiag(e, d, e)
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

using StageProgress = std::function<void(double fraction)>;  // may be empty

// CPU. LAPACK: dsytrd; its layout of the reflectors.
//   a    n x n, lda, host, in: the triangle `uplo`; out: T and the reflectors
//   d    n, e n-1, tau n-1 values, host, out
// Cost: 4/3 n^3 flops. Throws OutOfMemory, DeviceError.
void tridiagonalize(Uplo uplo, MatrixView<double> a, double* d, double* e, double* tau);

// GPU. The lower triangle.
//   a_dev  n x n, lda a multiple of tridiagonalize_row_multiple, 16-byte aligned, device; rows n..lda-1 zero.
//          in: the lower triangle. out: column j holds v_j whole: zeros in rows 0..j, 1 in row j+1
//   d_dev  n, e_dev n-1, tau_dev n-1 values, device, out
//   workspace_dev  tridiagonalize_workspace(n, products.queue().multiprocessors()) doubles
//   multiprocessors  take only so many (0: all), as on a smaller GPU: a block then has more rows of the panel than may fit
//                    into its shared memory
// Ordered on the products' queue, rank-2k updates by their engine; with `progress` the call blocks. Repeats bit for bit on
// the same GPU.
// Cost: 4/3 n^3 flops, 4/3 n^3 bytes of A read, two grid barriers a column. From 5000 rows on the update of A multiplies it
// with the next column on the way: 1/64 fewer bytes. The last columns, which fit on the chip (2304 on an H200), take one
// exchange each and no memory.
// Source: LAPACK dlatrd; the fusion is derived in tridiagonalize_panel.cuh.
void tridiagonalize(const Products<double>& products, MatrixView<double> a_dev, double* d_dev, double* e_dev,
                    double* tau_dev, double* workspace_dev, const StageProgress& progress = {},
                    int multiprocessors = 0);
inline constexpr std::int64_t tridiagonalize_row_multiple = 64;
// A column whose tail's squares sum to less is reduced already (tau = 0): far below rounding, where max |A| is within
// 2^-100 ... 2^100.
inline constexpr double negligible_square = 0x1p-900;
std::int64_t tridiagonalize_workspace(std::int64_t n, int multiprocessors);

}  // namespace eigen_g
