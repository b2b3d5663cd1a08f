// Q^T A Q = T: Householder reduction of a symmetric matrix to tridiagonal form.
//
//   Q = H_1 H_2 ... H_{n-1},   H_j = I - tau_j v_j v_j^T,   T = tridiag(e, d, e)
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

// CPU. LAPACK: dsytrd; its layout of the reflectors.
//   a    n x n, lda, host, in: the triangle `uplo`; out: T and the reflectors
//   d    n, e n-1, tau n-1 values, host, out
//   scratch   tridiagonalize_bytes_on_cpu<T>(n) of host memory
// Cost: 4/3 n^3 flops. Throws InvalidArgument where LAPACK's integers are too short for n, DeviceError.
template <class T>
void tridiagonalize(Uplo uplo, MatrixView<T> a, real_t<T>* d, real_t<T>* e, T* tau, Arena scratch);
template <class T>
std::uint64_t tridiagonalize_bytes_on_cpu(std::int64_t n);

// GPU. The lower triangle.
//   a_dev  n x n, lda a multiple of tridiagonalize_row_multiple, 16-byte aligned, device; rows n..lda-1 zero.
//          in: the lower triangle. out: column j holds v_j whole: zeros in rows 0..j, 1 in row j+1
//   d_dev  n, e_dev n-1, tau_dev n-1 values, device, out
//   scratch_dev    tridiagonalize_bytes<T>(n, products.queue().multiprocessors())
//   multiprocessors  take only so many (0: all), as on a smaller GPU: a block then has more rows of the panel than may fit
//                    into its shared memory
// Ordered on the products' queue, rank-2k updates by their engine; with `progress` the call blocks. Repeats bit for bit on
// the same GPU.
// Above n = 1024, of complex T above 128, a column that is below A's rounding when its turn comes, |x| <= ulp |A|_F, counts as zero:
// tau = 0 (negligible.hpp).
// Cost: 4/3 n^3 flops, 4/3 n^3 bytes of A read, two grid barriers a column. From 5000 rows on the update of A multiplies it
// with the next column on the way: 1/64 fewer bytes. The last columns, which fit on the chip (2304 on an H200), take one
// exchange each and no memory.
// Source: LAPACK dlatrd; the fusion is derived in tridiagonalize_panel.cuh.
//   progress  is told of the columns that are done; queued: called once when all is queued, before it is
template <class T>
void tridiagonalize(const Products<T>& products, MatrixView<T> a_dev, real_t<T>* d_dev, real_t<T>* e_dev,
                    T* tau_dev, Arena scratch_dev, const std::function<void(double)>& progress = {},
                    const std::function<void()>& queued = {}, int multiprocessors = 0);
inline constexpr std::int64_t tridiagonalize_row_multiple = 64;
// A column whose tail's squares sum to less is reduced already (tau = 0) at every n: far below rounding, where max |A| is within
// 2^-100 ... 2^100 (float: 2^-8 ... 2^8), and so far from the least number that no square of weight vanishes.
template <class R>
inline constexpr R negligible_square = R(0x1p-900);
template <>
inline constexpr float negligible_square<float> = 0x1p-100f;
template <class T>
std::uint64_t tridiagonalize_bytes(std::int64_t n, int multiprocessors);

}  // namespace eigen_g
