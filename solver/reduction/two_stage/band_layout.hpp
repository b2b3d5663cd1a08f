// Between LAPACK's layout of a band and of the reflectors that lead to it, and the one that the GPU's two stages work in.
//
//   LAPACK  lower: A(i, j) at ab(i - j, j), reflector v_j below row j + kd of column j
//           upper: A(i, j) at ab(kd + i - j, j), reflector v_j right of column j + kd of row j
//   GPU     lower, of one of chase_bandwidths; v_j whole in column j, its 1 in row j, of a matrix from row kd on
//
// All on device memory, ordered on `queue`, n = 0 allowed. Cost of each: one read and one write of what it names.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// band(i - j, j) := A(i, j) for i - j <= kd, 0 from there to row band_dev.rows - 1 and below the matrix.
//   ab_dev    kd + 1 rows, n columns, in; the lower triangle of a matrix of leading dimension lda is one of lda + 1
//   band_dev  at least kd + 1 rows, n columns, out
template <class T>
void take_band(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> ab_dev,
               MatrixView<T> band_dev);
// The other way; what lies outside of the matrix is not written.
template <class T>
void give_band(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> band_dev,
               MatrixView<T> ab_dev);

// v_dev := the reflectors of a_dev's triangle `uplo`, whole: ones on the diagonal, zeros above, and in rows n - kd ... lda - 1.
//   a_dev  n x n, in     v_dev  (n - kd) x (n - kd), out
template <class T>
void take_band_reflectors(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a_dev,
                          MatrixView<T> v_dev);
// The other way: what lies below v_dev's diagonal, and nothing else of a_dev is written.
template <class T>
void give_band_reflectors(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> v_dev,
                          MatrixView<T> a_dev);

// Zeros above the diagonal, where v_dev's reflectors are to be whole.
template <class T>
void clear_above(const Queue& queue, MatrixView<T> v_dev);

}  // namespace eigen_g
