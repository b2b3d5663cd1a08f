// The 7-point operator of a box with zero outside, without a matrix:
//
//   (A x)(i, j, k) = 6 x(i, j, k) - x(i +- 1, j, k) - x(i, j +- 1, k) - x(i, j, k +- 1)
//   Y := alpha A X + gamma X + beta Y
//
// Its eigenvalues are the sums of 4 sin^2(pi p / (2 (m + 1))), p = 1 ... m of each side m.
//   x, y   n x 4, row-major, n = nx ny nz, the point (i, j, k) is row i + nx (j + ny k); y not read where beta = 0; no overlap
// Every row is one sum in a fixed order: the same bits for any number of threads.
// Cost: 96 n bytes where three planes of X stay in the cache, 64 n where beta = 0.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

struct GridSize {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t points() const { return nx * ny * nz; }
};

template <class T>
void stencil7_multiply(const GridSize& grid, same_t<T> alpha, const T* x, same_t<T> gamma, same_t<T> beta,
                       T* y);
// Device memory aligned to 16 bytes, ordered on `queue`.
template <class T>
void stencil7_multiply(const Queue& queue, const GridSize& grid, same_t<T> alpha, const T* x_dev,
                       same_t<T> gamma, same_t<T> beta, T* y_dev);

}  // namespace eigen_g::blas2
