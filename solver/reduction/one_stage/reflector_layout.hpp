// Between LAPACK's layout of a reduced matrix and the one that the GPU's stages work in.
//
// They work on a lower triangle (tridiagonalize.hpp). With J the matrix that reverses rows, the lower triangle of J A J
// is A's upper one turned by half a turn, and dsytrd's reduction of an upper triangle is that of J A J, everything
// reversed:
//
//   d_i = d'_{n+1-i},   e_i = e'_{n-i},   tau_i = tau'_{n-i},   Q = J Q' J
//
// so that the upper triangle costs a copy in reversed order and nothing else.
//
// All on device memory, ordered on `queue`, n = 0 or 1 allowed. Cost of each: one read and one write of what it names.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

//   lower:  to(i, j) := from(i, j)      upper:  to(i, j) := from(n-1-i, n-1-j)      for i >= j;
//   to(i, j) := 0                        for n <= i < to.lda
//   from_dev  n x n, in, only the triangle `uplo` is read; may be to_dev itself where that is the lower one
//   to_dev    n x n, lda >= n, out; entries above the diagonal are not written
template <class T>
void take_triangle(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev, MatrixView<T> to_dev);

// The reflectors whole, as tridiagonalize() leaves them and back_transform() wants them: v_j in column j, 1 in row j + 1,
// zeros above; from LAPACK's layout in the triangle `uplo`. Rows n .. to.lda - 1 get zeros.
template <class T>
void take_reflectors(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev,
                     MatrixView<T> to_dev);

// The other way: a_dev's triangle `uplo` gets the reflectors from v_dev (which may be a_dev itself where that is the
// lower one), its diagonal d, the one beside it e (n and n - 1 values, in LAPACK's order). The other triangle is not
// written.
template <class T>
void give_reflectors(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> v_dev,
                     const real_t<same_t<T>>* d_dev, const real_t<same_t<T>>* e_dev, MatrixView<T> a_dev);

// x := J x in place, for every column.
template <class T>
void reverse_rows(const Queue& queue, MatrixView<T> x_dev);

}  // namespace eigen_g
