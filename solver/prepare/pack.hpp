// pack_lower(): forms the GPU's working matrix, which has the caller's triangle as its lower triangle, with rows padded with zeros.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

//   lower:  to(i, j) := from(i, j)      upper:  to(i, j) := from(j, i)       for i >= j
//   complex: conj(from(j, i)) for the upper triangle, and Re from(i, i) on the diagonal
//   to(i, j) := 0                        for n <= i < to.lda
//
//   from_dev  n x n, device, in; only the triangle `uplo` is read; may be to_dev itself
//   to_dev    n x n, lda >= n, device, out; entries above the diagonal are not written
// Ordered on `queue`. Cost: one read and one write of a triangle.
template <class T>
void pack_lower(const Queue& queue, Uplo uplo, MatrixView<const T> from_dev, MatrixView<T> to_dev);

}  // namespace eigen_g
