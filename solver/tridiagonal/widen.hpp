// widen(): copies the real eigenvectors of T into a complex matrix, because the back-transformation of a complex A needs them there.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Z := U.
//   u  n x m, ldu, in
//   z  n x m or more columns, ldz, out; T is complex; must not overlap u
// Both are in host memory, or with a queue in device memory, ordered on it. Cost: one read of U, one write of Z.
template <class T>
void widen(MatrixView<const real_t<T>> u, MatrixView<T> z);
template <class T>
void widen(const Queue& queue, MatrixView<const real_t<T>> u_dev, MatrixView<T> z_dev);

}  // namespace eigen_g
