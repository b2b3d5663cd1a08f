// tridiagonalize(), Q^T A Q = T: Householder reduction of a symmetric matrix to tridiagonal form. For Hermitian A, ^T means ^H.
//
//   Q = H_1 H_2 ... H_{n-1},   H_j = I - tau_j v_j v_j^T,   T = tridiag(e, d, e)
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

// CPU, by a team of threads (hybrid/team/team.hpp).
//   uplo      the triangle of A that is read and overwritten
//   a         n x n, lda, host, in: the triangle `uplo`, with max |a_ij| in the range that scale() leaves alone (prepare/scale.hpp);
//             out: T and the reflectors in the layout of LAPACK's dsytrd
//   d, e, tau n, n - 1, n - 1 values, host, out
//   scratch   tridiagonalize_bytes_on_cpu<T>(n) bytes of host memory
//   progress  called by the calling thread with the fraction of the work that is done. Its exceptions pass through; A, d, e and tau are
//             then unspecified
// Takes up to team_threads(n) threads. The results do not depend on their number. They have other bits for each vector width
// (hybrid/vector/width.hpp). A column counts as reduced (tau = 0) if its tail
// has a sum of squares below negligible_square, or a norm below (4 + n / 8) eps times the norm of the same rows of the same column of A.
// Cost: 4/3 n^3 flops. Half of A is read once for each column, from the caches if it fits. Two barriers a column.
//
// The matrix is dealt out to a number of members that depends on n alone, and every sum is formed member by member. A thread acts for one
// or several members. A column takes two phases:
//   1. a member multiplies its tiles with the column x, and sums a part of the dot products of x with the panel's v and w;
//   2. all threads form the scalars of the reflector. A member forms its rows of v, w and the next column, which becomes x, and its parts
//      of the dot products with it.
// A x is formed with A as it was when the panel began. With the dot products f = V^H x and g = W^H x of the panel so far
//   A' x = A x - V g - W f,   x^H A' x = x^H A x - 2 Re f^H g,   v = s (x - beta e_q),   w = tau A' v - |tau|^2 / 2 (v^H A' v) v.
// The upper triangle is reduced with the order of its rows and columns reversed. Source: LAPACK zlatrd, zhetd2; the fused form is derived
// in tridiagonalize_panel.cuh.
template <class T>
void tridiagonalize_on_cpu(Uplo uplo, MatrixView<T> a, real_t<T>* d, real_t<T>* e, T* tau, Arena scratch,
                           const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t tridiagonalize_bytes_on_cpu(std::int64_t n);

// GPU. Reads the lower triangle.
//   a_dev            n x n, device, 16-byte aligned; lda is a multiple of tridiagonalize_row_multiple; rows n ... lda - 1 are zero.
//                    in: the lower triangle. out: column j holds all of v_j, with zeros in rows 0 ... j and 1 in row j + 1
//   d_dev            n values, device, out
//   e_dev, tau_dev   n - 1 values each, device, out
//   scratch_dev      tridiagonalize_bytes<T>(n, products.queue().multiprocessors()) bytes of device memory
//   progress         called with the fraction of the work that is done
//   when_queued      called once when all work is queued, before any of it need be complete
//   reached          called after each panel with a number of columns, whose reflectors below the diagonal are final when the work queued so
//                    far is done; the last call is with n
//   multiprocessors  0: all. A positive value: only this number takes part, as on a smaller GPU. Each thread block then has more rows
//                    of a panel, possibly more than its shared memory holds
// Ordered on the products' queue. The engine of `products` computes the rank-2k updates. Blocks only if `progress` is given.
// Accuracy: small columns count as zero for n > 1024 (complex T: n > 128), and for every n that needs panels. If the part of a column
// below the diagonal has a norm of at most ulp |A|_F when its turn comes, tau = 0 (negligible.hpp).
// Repeated runs on the same GPU give the same bits.
// Cost: 4/3 n^3 flops, 4/3 n^3 bytes of A read (double), two grid barriers per column. From 5000 rows on, the rank-2k update of A
// also computes the product of A with the next column; this saves 1/64 of the bytes. The last columns fit into the registers and
// shared memory of the GPU (n = 2304 on an H200). They need one exchange between thread blocks each and no device memory. On a GPU with
// clusters of blocks one cluster reduces the very last columns (SolverTuning::reduction_rows_in_cluster).
// Source: LAPACK dlatrd; the fused form is derived in tridiagonalize_panel.cuh.
template <class T>
void tridiagonalize(const Products<T>& products, MatrixView<T> a_dev, real_t<T>* d_dev, real_t<T>* e_dev,
                    T* tau_dev, Arena scratch_dev, const std::function<void(double)>& progress = {},
                    const std::function<void()>& when_queued = {}, int multiprocessors = 0,
                    const std::function<void(std::int64_t columns)>& reached = {});
inline constexpr std::int64_t tridiagonalize_row_multiple = 64;
// A column whose tail has a smaller sum of squares counts as reduced (tau = 0) at every n. This sum is far below rounding error if max |A|
// is within 2^-100 ... 2^100 (float: 2^-8 ... 2^8). It is so far above the smallest number that squares that matter do not underflow.
template <class R>
inline constexpr R negligible_square = R(0x1p-900);
template <>
inline constexpr float negligible_square<float> = 0x1p-100f;
template <class T>
std::uint64_t tridiagonalize_bytes(std::int64_t n, int multiprocessors);

}  // namespace eigen_g
