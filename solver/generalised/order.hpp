// The order of rows in which B is factored. A x = w B x becomes C y = w y with C = L^-1 A L^-H (standard_form.hpp). If B is ill-conditioned,
// C has entries of very different sizes. Its small eigenvalues keep their digits if
//
//   - the entries of C grow from the first row to the last one, as they do if L's diagonal descends;
//   - the reduction to tridiagonal form begins at the last row (LAPACK: sytrd 'U'). A reduction that begins at the first row gets C with
//     its rows and columns reversed.
//
// L's diagonal descends in the order of a Cholesky factorization with diagonal pivoting: the next row is the row with the largest diagonal
// entry of the Schur complement that remains of B. The descending order of B's own diagonal costs nothing, and is close to the order of
// pivoting unless rows are nearly dependent. Rows are nearly dependent if some l_kk^2 is much smaller than
// the diagonal entry of B in the same row. If B's diagonal entries differ by less than a factor of 4 and rows are not nearly dependent, the caller's order stays.
//
// order[k] is the row of the caller's B that becomes row k. T is double, float, std::complex<double> or std::complex<float>.
// Source: LAPACK dpstrf; Davies, Higham and Tisseur, SIMAX 23 (2001), on the errors with pivoting.
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

template <class T>
class Products;
class Queue;

using RowOrder = std::vector<std::int64_t>;

// The order of the descending diagonal of B. Entries with equal exponents keep their order, so that most of B keeps its place.
template <class R>
RowOrder descending_order(const std::vector<R>& diagonal);
// Returns the order, its inverse, and n - 1 ... 0, one after the other.
RowOrder with_inverse_and_reverse(const RowOrder& order);
// Rows are nearly dependent if independent * l_kk < sqrt(b_ii) for some k, where row i of the caller's B became row k of L.
inline constexpr int independent = 4;
// A factorization of B returns this value if rows are nearly dependent, and otherwise a bad minor or 0.
inline constexpr std::int64_t nearly_dependent = -1;

// B = U^H U in the order of diagonal pivoting, on the CPU. Returns the order; empty if a pivot is not positive.
//   b  n x n, lda, host, in: B in its upper triangle; out: U
// Throws DeviceError, InvalidArgument (n). Cost: n^3 / 3 flops. LAPACK: dpstrf.
template <class T>
RowOrder pivoted_cholesky(MatrixView<T> b);

// to(i, j) := the entry of `from` in row order[i] and column order[j], for the upper triangle of `to`.
//   from  n x n, lda, host, in: the triangle `uplo` of a Hermitian matrix; the imaginary parts of its diagonal are not read
//   to    n x n, lda, host, out
template <class T>
void take_in_order(const RowOrder& order, Uplo uplo, MatrixView<const T> from, MatrixView<T> to);
// Returns true if rows are nearly dependent, on the CPU.
//   order      the order in which B was factored; empty: the caller's
//   b, factor  n x n, lda, host: the caller's B, and the factor of B in this order; only diagonals are read
template <class T>
bool rows_are_nearly_dependent(const RowOrder& order, MatrixView<const T> b, MatrixView<const T> factor);
// Row k of x becomes row order[k]; in place.
template <class T>
void restore_rows(const RowOrder& order, MatrixView<T> x);

// The order of diagonal pivoting, on a GPU.
//   b_dev        n x n, lda, device, in: B in both triangles; out: undefined
//   scratch_dev  pivoted_order_scratch<T>(n) bytes, device
// Blocks. Two runs give the same order. Throws DeviceError. CUDA builds only. Cost: 2 n^3 flops in products, and n launches.
template <class T>
RowOrder pivoted_order(const Products<T>& products, MatrixView<same_t<T>> b_dev, void* scratch_dev);
template <class T>
std::uint64_t pivoted_order_scratch(std::int64_t n);

// The functions below are ordered on `queue`. `from` and `to` are different memory. CUDA builds only.
//   order_dev, rows_dev  n indices, device; null: 0, 1, ..., n - 1

// to(i, j) := the entry of `from` in row order[i] and column order[j], on a GPU. Only lower triangles are read and written.
//   from_dev, to_dev  n x n, lda, device
// Cost: a read and a write of the triangle.
template <class T>
void take_in_order(const Queue& queue, const std::int64_t* order_dev, MatrixView<const T> from_dev,
                   MatrixView<same_t<T>> to_dev);
// to(i, j) := from(rows[i], j) on a GPU.
//   from_dev, to_dev  device; `to` has the size that is written
template <class T>
void take_rows(const Queue& queue, const std::int64_t* rows_dev, MatrixView<const T> from_dev,
               MatrixView<same_t<T>> to_dev);
// If *minor is 0 and rows are nearly dependent, *minor becomes nearly_dependent. On a GPU.
//   b_dev, l_dev  n x n, lda, device: the caller's B, and the factor of B in this order; only diagonals are read
template <class T>
void find_nearly_dependent(const Queue& queue, const std::int64_t* order_dev, MatrixView<const T> b_dev,
                           MatrixView<const T> l_dev, std::int64_t* minor_dev);

}  // namespace eigen_g
