// The threshold below which a column is rounding error of the reduction and needs no reflector.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// squares_dev[n] := max((ulp |A|_F)^2, negligible_square). Returns the address of this value.
//   a_dev        n x n, device, in: lower triangle
//   squares_dev  n + 1 elements, device, out; entry j < n is column j's contribution to |A|_F^2
// Ordered on `queue`. The sums have a fixed order. Cost: n^2 / 2 elements read, two launches.
//
// Both reductions use it: a column whose tail has a smaller sum of squares counts as zero, and its reflector is H = I. Reason: the last
// columns of a matrix of low rank hold rounding errors only. If the entries of A are equal, these errors are nearly equal too, and
// reflectors made from them would cost Q its orthogonality. Measured: data/perf/DECISIONS.md, "Full to band".
template <class T>
const real_t<T>* negligible_square_of(const Queue& queue, MatrixView<const T> a_dev, real_t<T>* squares_dev);

}  // namespace eigen_g
