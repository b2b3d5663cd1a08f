// Copies of a band and of the reflectors that lead to it, between LAPACK's layout and that of the GPU's two-stage path.
//
//   LAPACK, lower   A(i, j) at ab(i - j, j);        reflector v_j in column j, below row j + kd
//   LAPACK, upper   A(i, j) at ab(kd + i - j, j);   reflector v_j in row j, right of column j + kd
//   GPU             a lower band with one of the widths chase_bandwidths; all of v_j in column j of a matrix that begins at row kd
//                   of A, with its 1 in row j of that matrix
//
// each_band_entry() is for host memory. All other functions work on device memory and are ordered on `queue`; n may be 0. Cost of each: one read and one write of the matrices
// that it names.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// Calls work(entry, d, j) with entry (j + d, j) of the matrix, for all entries of a band in LAPACK's layout.
//   ab  kd + 1 rows, n columns, host
template <class T, class Work>
void each_band_entry(Uplo uplo, MatrixView<T> ab, Work&& work) {
  const std::int64_t n = ab.cols, kd = ab.rows - 1;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t d = 0; d <= std::min(kd, n - 1 - j); ++d)
      work(uplo == Uplo::upper ? ab(kd - d, j + d) : ab(d, j), d, j);
}

// band(i - j, j) := A(i, j) for 0 <= i - j <= kd. The rest of band_dev becomes zero: rows kd + 1 ... band_dev.rows - 1, and entries
// that belong to rows below the matrix.
//   ab_dev    kd + 1 rows, n columns, in. The lower triangle of a matrix with leading dimension lda is such an array with leading
//             dimension lda + 1
//   band_dev  at least kd + 1 rows, n columns, out
template <class T>
void take_band(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> ab_dev,
               MatrixView<T> band_dev);
// The inverse of take_band(). Entries that belong to rows or columns outside the matrix are not written.
template <class T>
void give_band(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> band_dev,
               MatrixView<T> ab_dev);

// Expands the reflectors of a_dev's triangle `uplo`: v_dev gets ones on the diagonal, and zeros above it and in rows n - kd ... lda - 1.
//   a_dev  n x n, in
//   v_dev  (n - kd) x (n - kd), out
template <class T>
void take_band_reflectors(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a_dev,
                          MatrixView<T> v_dev);
// The inverse of take_band_reflectors(): copies the entries below v_dev's diagonal. Nothing else of a_dev is written.
template <class T>
void give_band_reflectors(const Queue& queue, Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> v_dev,
                          MatrixView<T> a_dev);

// Sets the entries above the diagonal of v_dev to zero, so that its columns are complete reflectors.
template <class T>
void clear_above(const Queue& queue, MatrixView<T> v_dev);

}  // namespace eigen_g
