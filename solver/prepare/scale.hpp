// Scales a matrix by a power of two into a range in which sums of squares neither overflow nor underflow, and unscales its eigenvalues:
//
//   A := 2^k A,  w := 2^-k w
//
// LAPACK's dsyevd scales max |a_ij| to the edge of [sqrt(safe minimum / eps), sqrt(eps / safe minimum)] if it is outside of this interval.
// Here a scaled matrix has max |a_ij| in [1, 2). A power of two keeps every bit, except of entries that are smaller than the
// largest by more than the exponent's range.
#pragma once

#include <cmath>

#include "hybrid/host_device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// Returns k for a matrix whose largest absolute value is `largest`, which is finite. 0: no scaling is needed.
template <class R>
EIGEN_G_HOST_DEVICE int scale_exponent(R largest) {
  // A matrix whose largest entry is between 1 / most and most is not scaled.
  constexpr R most = sizeof(R) == sizeof(double) ? R(0x1p100) : R(0x1p8);
  if (largest == 0 || (largest >= 1 / most && largest <= most)) return 0;
  using std::ilogb;
  return -ilogb(largest);
}

// a := 2^k a over the triangle `uplo`; n x n, lda, in place. k = 0 returns at once. Cost: one read and one write of the triangle.
// The device form scales the lower triangle and is ordered on `queue`.
template <class T>
void scale(Uplo uplo, MatrixView<T> a, int k);
template <class T>
void scale(const Queue& queue, MatrixView<T> a_dev, int k);

// w := 2^k w, n values in place. A value beyond the range of R becomes infinite.
template <class R>
void scale_values(std::int64_t n, R* w, int k);
template <class R>
void scale_values(const Queue& queue, std::int64_t n, R* w_dev, int k);
// to := 2^k w, n values. One kernel, for which the GPU needs less time than for a copy.
template <class R>
void store_scaled_values(const Queue& queue, std::int64_t n, const R* w_dev, int k, R* to_dev);

}  // namespace eigen_g
