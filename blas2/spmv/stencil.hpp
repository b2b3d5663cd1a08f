// Symmetric operators of a box with zero outside, without a matrix:
//
//   7 points    (A x)(i, j, k) = 6 x(i, j, k) - the six neighbours along an axis
//   19 points   (A x)(i, j, k) = 24 x(i, j, k) - 2 the six neighbours along an axis - the twelve along the diagonal of a face
//   Y := alpha A X + gamma X + beta Y
//
// Both have the products of sines as eigenvectors. With c_m = cos(pi p / (m + 1)), p = 1 ... m of each side m, their values are
//   7 points    6 - 2 (c_x + c_y + c_z)
//   19 points   24 - 4 (c_x + c_y + c_z) - 4 (c_x c_y + c_y c_z + c_z c_x)
//
//   x, y   n x 4, row-major, n = nx ny nz, the point (i, j, k) is row i + nx (j + ny k); y not read where beta = 0; no overlap
// Every row is one sum in a fixed order: the same bits for any number of threads.
// Throws InvalidArgument (points). Cost: 96 n bytes where three planes of X stay in the cache, 64 n where beta = 0.
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

// The sum of a row's absolute values, which bounds |A|: 12 or 48.
double stencil_row_sum(int points);

template <class T>
void stencil_multiply(const GridSize& grid, int points, same_t<T> alpha, const T* x, same_t<T> gamma,
                      same_t<T> beta, T* y);
// Device memory aligned to 16 bytes, ordered on `queue`.
template <class T>
void stencil_multiply(const Queue& queue, const GridSize& grid, int points, same_t<T> alpha, const T* x_dev,
                      same_t<T> gamma, same_t<T> beta, T* y_dev);

}  // namespace eigen_g::blas2
