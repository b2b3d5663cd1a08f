// Copies between LAPACK's layout of a reduced matrix and the layout in which the GPU's stages work.
//
// The GPU's stages work on a lower triangle (tridiagonalize.hpp). Let J be the matrix that reverses rows. The lower triangle of J A J
// is A's upper triangle rotated by 180 degrees. dsytrd's reduction of an upper triangle is the reduction of J A J with everything
// reversed. With primes for the values of J A J, and indices from 1:
//
//   d_i = d'_{n+1-i},   e_i = e'_{n-i},   tau_i = tau'_{n-i},   Q = J Q' J
//
// An upper triangle therefore costs only a copy in reversed order.
//
// All functions work on device memory and are ordered on `queue`; n may be 0 or 1. Cost of each: one read and one write of the
// matrices that it names.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

//   lower:  to(i, j) := from(i, j)      upper:  to(i, j) := from(n-1-i, n-1-j)      for i >= j;
//   to(i, j) := 0                        for n <= i < to.lda
//   from_dev  n x n, in; only the triangle `uplo` is read; may be to_dev itself if uplo is lower
//   to_dev    n x n, lda >= n, out; entries above the diagonal are not written
template <class T>
void take_triangle(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev, MatrixView<T> to_dev);

// Expands reflectors from LAPACK's layout to the layout that tridiagonalize() writes and back_transform() reads: column j holds all of
// v_j, with 1 in row j + 1 and zeros above.
//   from_dev  n x n, in; the reflectors are in the triangle `uplo`; may be to_dev itself if uplo is lower
//   to_dev    n x n, out; rows n ... to.lda - 1 get zeros
template <class T>
void take_reflectors(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev,
                     MatrixView<T> to_dev);

// The inverse of take_reflectors(): writes the reflectors and T to LAPACK's layout.
//   v_dev  n x n, in; may be a_dev itself if uplo is lower
//   d_dev  n values, e_dev n - 1 values, in, in LAPACK's order
//   a_dev  n x n, out; its triangle `uplo` gets the reflectors, its diagonal d, and the next diagonal of that triangle e.
//          The other triangle is not written
template <class T>
void give_reflectors(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> v_dev,
                     const real_t<same_t<T>>* d_dev, const real_t<same_t<T>>* e_dev, MatrixView<T> a_dev);

// x := J x in place, for every column x of x_dev.
template <class T>
void reverse_rows(const Queue& queue, MatrixView<T> x_dev);
// x := x J in place, for every row x of x_dev.
template <class T>
void reverse_columns(const Queue& queue, MatrixView<T> x_dev);
// X := 1, for an n x n matrix.
template <class T>
void set_identity(const Queue& queue, MatrixView<T> x_dev);

}  // namespace eigen_g
