// Z := U, the real vectors of T as the complex ones that Q is applied to.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

//   u  n x m, ldu, in     z  n x m or more columns, ldz, out; T is complex, and the two do not overlap
// In host memory; or, with a queue, in device memory and ordered on it. Cost: one read of U, one write of Z.
template <class T>
void widen(MatrixView<const real_t<T>> u, MatrixView<T> z);
template <class T>
void widen(const Queue& queue, MatrixView<const real_t<T>> u_dev, MatrixView<T> z_dev);

}  // namespace eigen_g
