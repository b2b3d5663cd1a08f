// full_to_band(), Q^H A Q = B: Householder reduction of a symmetric or Hermitian matrix to a band with b diagonals below the main one.
//
//   Q = H_1 H_2 ... H_{n-b-1},   H_j = I - tau_j v_j v_j^H,   v_j(j + b) = 1, zeros before it;   B(i, j) = 0 for |i - j| > b
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

// CPU. Calls LAPACK's dsytrd_sy2sb. b >= 1.
//   a        n x n, host, in: the triangle `uplo`. out: the reflectors; the rest of the triangle has no meaning.
//            lower: v_j in column j from row j + b + 1 on; upper: v_j in row j from column j + b + 1 on
//   ab       b + 1 rows, n columns, host, out: B in LAPACK's layout
//   tau      max(n - b, 0) values, host, out
//   scratch  full_to_band_bytes_on_cpu<T>(n, b) bytes of host memory
// Throws InvalidArgument if n or b is too large for LAPACK's integers, DeviceError.
template <class T>
void full_to_band_on_cpu(Uplo uplo, std::int64_t b, MatrixView<same_t<T>> a, MatrixView<same_t<T>> ab, T* tau,
                         Arena scratch);
template <class T>
std::uint64_t full_to_band_bytes_on_cpu(std::int64_t n, std::int64_t b);

// GPU. b is 32, 48, 64, 96 or 128; for complex T it is 32.
//   a_dev        n x n, device; columns 16-byte aligned, faster if 32-byte aligned.
//                in: the lower triangle.
//                out: rows j + b ... n - 1 of column j <= n - b - 2 hold v_j, beginning with its 1; the rest is undefined.
//                clear_above() (band_layout.hpp) makes a_dev.block(b, 0, n - b, n - b) the input of back_transform()
//   band_dev     n columns, b + 1 or more rows, device, out: B(i, j) at (i - j, j) for 0 <= i - j <= b, i < n; the rest is not written
//   tau_dev      n values, device, out: tau_j; 0 for j >= n - b - 1
//   scratch_dev  full_to_band_bytes<T>(n, b, products.queue().multiprocessors()) bytes of device memory
//   progress     called with the fraction of the work that is done; the call then blocks
//   reached      called after each block of panels with a number of columns, whose reflectors are final when the work queued so far is done;
//                the last call is with n
// Ordered on the products' queue. The engine of `products` computes the large products.
// Accuracy: if the part of a column below the band has a norm of at most ulp |A|_F when its turn comes, tau = 0 (negligible.hpp).
// If one of the first panels has few reflectors, its products are computed again by more accurate sums (adjoint_product_of_few.hpp).
// Repeated runs on the same GPU give the same bits.
// Cost: 4/3 n^3 flops in products (four times this number for complex T); half of them are in products with b columns. k pending columns
// cost 3 n^2 k flops more. One exchange between thread blocks per column.
// Source: Bischof, Lang and Sun 2000. Pending columns are the idea of LAPACK's dlatrd, applied to panels.
template <class T>
void full_to_band(const Products<T>& products, std::int64_t b, MatrixView<T> a_dev, MatrixView<T> band_dev,
                  T* tau_dev, Arena scratch_dev, const std::function<void(double)>& progress = {},
                  const std::function<void(std::int64_t columns)>& reached = {});
template <class T>
std::uint64_t full_to_band_bytes(std::int64_t n, std::int64_t b, int multiprocessors);

// The two-stage path's bandwidth for a matrix of order n. It is the same with and without vectors, so that the values are the same.
template <class T>
constexpr std::int64_t band_width(std::int64_t) {
  return is_complex<T> ? 32 : 64;
}

// Returns the largest bandwidth with which the two-stage path chases a band matrix directly, without full_to_band, on the current GPU.
// There are two limits. The limit with vectors is smaller, because the back-transformation uses the tensor core up to bandwidth 64 only.
// For a bandwidth between the limits, the values differ in rounding between a solve with vectors and a solve for values only. A full matrix
// has bandwidth n - 1, so a small full matrix could count as a band. For n up to twice the larger limit, the smaller limit therefore holds
// with vectors and for values only.
std::int64_t widest_given_band(std::int64_t n, bool vectors);

}  // namespace eigen_g
