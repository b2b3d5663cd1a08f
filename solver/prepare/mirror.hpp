// mirror: copies one triangle of a Hermitian matrix to the other, on a GPU. CUDA builds only.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// a(j, i) := conj(a(i, j)) for each (i, j) of the triangle `from`; the diagonal becomes real.
//   a_dev   n x n, device, in and out. T is float, double or std::complex of one; the array is aligned to its entries
// Ordered on `queue`. Throws DeviceError. Cost: one read and one write of a triangle.
template <class T>
void mirror(const Queue& queue, Uplo from, MatrixView<T> a_dev);

}  // namespace eigen_g
