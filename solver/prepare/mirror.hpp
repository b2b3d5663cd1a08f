// copy_triangle(), mirror(): copy one triangle of a Hermitian matrix to another matrix, or to the other triangle.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// to(i, j) := from(i, j) in the triangle `uplo`, on the CPU.
//   from, to  n x n, lda, host; the other triangle of `to` is not written
template <class T>
void copy_triangle(Uplo uplo, MatrixView<const T> from, MatrixView<T> to);

// a(j, i) := conj(a(i, j)) for i > j, on the CPU.
//   a  n x n, lda, host, in and out
template <class T>
void mirror_lower(MatrixView<T> a);

// a(j, i) := conj(a(i, j)) for each (i, j) of the triangle `from`; the diagonal becomes real. On a GPU; CUDA builds only.
//   a_dev   n x n, device, in and out. T is float, double or std::complex of one; the array is aligned to its entries
// Ordered on `queue`. Throws DeviceError. Cost: one read and one write of a triangle.
template <class T>
void mirror(const Queue& queue, Uplo from, MatrixView<T> a_dev);

}  // namespace eigen_g
