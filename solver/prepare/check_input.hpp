// max |a_ij| over the named triangle of an n x n matrix; 0 for n = 0.
//
//   a      n x n, lda, host or (with a queue) device memory, in; only the triangle `uplo` is read
//   given  device only: the triangle that the caller named; a_dev holds it as its lower triangle, transposed
//   for
//          the upper, and NonFiniteEntry names the entry as the caller stored it
// Blocks until done. Throws NonFiniteEntry with the first NaN or infinity in column order.
// Cost: one read of the triangle. LAPACK: dlansy('M') and LAPACKE_dsy_nancheck in one.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

double check_input(Uplo uplo, MatrixView<const double> a);
// Device: the lower triangle of `a`, which holds the caller's triangle `given` (transposed where that is the
// upper).
double check_input(const Queue& queue, Uplo given, MatrixView<const double> a_dev);

}  // namespace eigen_g
