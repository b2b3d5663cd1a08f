// Q^H A Q = B: Householder reduction of a symmetric or Hermitian matrix to a band.
//
//   Q = H_1 H_2 ... H_{n-b-1},   H_j = I - tau_j v_j v_j^H,   v_j(j + b) = 1, zeros before it;   B(i, j) = 0 for |i - j| > b
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

// CPU. LAPACK: dsytrd_sy2sb.
//   a    n x n, host, in: the triangle `uplo`; out: v_j there, lower: from row j + b + 1 on of column j, upper: from column j + b +
//        1 on of row j; the rest of the triangle holds nothing of meaning
//   ab   b + 1 rows, n columns, host, out: B in LAPACK's layout     tau  max(n - b, 0), host, out     scratch
//        full_to_band_bytes_on_cpu<T>(n, b)
// b >= 1. Throws InvalidArgument where LAPACK's integers are too short for n, DeviceError.
template <class T>
void full_to_band(Uplo uplo, std::int64_t b, MatrixView<same_t<T>> a, MatrixView<same_t<T>> ab, T* tau,
                  Arena scratch);
template <class T>
std::uint64_t full_to_band_bytes_on_cpu(std::int64_t n, std::int64_t b);

// GPU.
//   a_dev    n x n, device, its columns on 16 bytes, faster on 32
//            in: the lower triangle; out: rows j + b ... n - 1 of column j <= n - b - 2 hold v_j from its 1 on: with zeros above
//            what back_transform() takes of a_dev.block(b, 0, n - b, n - b) (clear_above(), band_layout.hpp); the rest is undefined
//   band_dev (b + 1) x n or more rows, device, out: B(i, j) at (i - j, j), 0 <= i - j <= b, i < n; the rest is untouched
//   tau_dev  n, device, out: tau_j; 0 from j = n - b - 1 on
//   scratch_dev      full_to_band_bytes<T>(n, b, products.queue().multiprocessors())
// b of 32, 48, 64, 96, 128; for complex T 32. Ordered on the products' queue; the products by their engine. Repeats bit for bit on the
// same GPU.
// A column that is below A's rounding when its turn comes, |x| <= ulp |A|_F, counts as zero: tau = 0. Of the first panels those with
// few reflectors are multiplied by sums without errors of one sign (adjoint_product_of_few.hpp).
//   progress   is told of the part that is done, and then the call blocks
// Cost: 4/3 n^3 flops (four times as many where T is complex) in products, of which 2/3 n^3 with b columns; 3 n^2 k more for k
// pending columns; one exchange between thread blocks a column.
// Source: Bischof, Lang and Sun 2000; pending columns: LAPACK dlatrd's, of blocks.
template <class T>
void full_to_band(const Products<T>& products, std::int64_t b, MatrixView<T> a_dev, MatrixView<T> band_dev,
                  T* tau_dev, Arena scratch_dev, const std::function<void(double)>& progress = {});
template <class T>
std::uint64_t full_to_band_bytes(std::int64_t n, std::int64_t b, int multiprocessors);

}  // namespace eigen_g
