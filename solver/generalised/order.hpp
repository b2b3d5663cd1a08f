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
// the diagonal entry of B in the same row.
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
// Returns true if l_kk^2 < b_ii / 16 for some k, where i = order[k] is the row of the caller's B that became row k of L.
template <class R>
bool nearly_dependent(const std::vector<R>& diagonal, const RowOrder& order,
                      const std::vector<R>& diagonal_of_l);

// The order of diagonal pivoting, on the CPU.
//   b  n x n, lda, host, in: B in its upper triangle; out: undefined
// Throws DeviceError, InvalidArgument (n). Cost: n^3 / 3 flops. LAPACK: dpstrf.
template <class T>
RowOrder pivoted_order(MatrixView<T> b);

// to(i, j) := the entry of `from` in row order[i] and column order[j], for the upper triangle of `to`.
//   from  n x n, lda, host, in: the triangle `uplo` of a Hermitian matrix; the imaginary parts of its diagonal are not read
//   to    n x n, lda, host, out
template <class T>
void take_in_order(const RowOrder& order, Uplo uplo, MatrixView<const T> from, MatrixView<T> to);
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

// to(i, j) := from(rows[i], cols[j]) on a GPU, ordered on `queue`. CUDA builds only.
//   rows_dev, cols_dev  indices, device; null: all in their order
//   from, to            device, different memory; `to` has the size that is written
template <class T>
void gather(const Queue& queue, const std::int64_t* rows_dev, const std::int64_t* cols_dev,
            MatrixView<const T> from_dev, MatrixView<same_t<T>> to_dev);

}  // namespace eigen_g
