// stencil_multiply(): products with the symmetric difference operators of a box with zero values outside. No matrix is stored.
//
//   7 points    (A x)(i, j, k) = 6 x(i, j, k) - the six neighbours along an axis
//   19 points   (A x)(i, j, k) = 24 x(i, j, k) - 2 the six neighbours along an axis - the twelve along the diagonal of a face
//   Y := alpha A X + gamma X + beta Y
//
// The eigenvectors of both operators are products of sines. With c_m = cos(pi p / (m + 1)), p = 1 ... m, for each side m of the
// box, the eigenvalues are
//   7 points    6 - 2 (c_x + c_y + c_z)
//   19 points   24 - 4 (c_x + c_y + c_z) - 4 (c_x c_y + c_y c_z + c_z c_x)
//
//   x, y   n x 4, row-major, n = nx ny nz; point (i, j, k) is row i + nx (j + ny k). y is not read if beta = 0. No overlap
//
// Every row is one sum in a fixed order, so the bits are the same for any number of threads. Throws InvalidArgument (points).
// Cost in double, if three planes of X fit into the cache: 96 n bytes, 64 n if beta = 0.
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

// The sum of the absolute values of a row, which bounds |A|: 12 for 7 points, 48 for 19.
double stencil_row_sum(int points);

template <class T>
void stencil_multiply(const GridSize& grid, int points, same_t<T> alpha, const T* x, same_t<T> gamma,
                      same_t<T> beta, T* y);
// As above, in device memory, 16-byte aligned, ordered on `queue`. Throws InvalidArgument (a) if the box has too many points for
// one launch.
template <class T>
void stencil_multiply(const Queue& queue, const GridSize& grid, int points, same_t<T> alpha, const T* x_dev,
                      same_t<T> gamma, same_t<T> beta, T* y_dev);

}  // namespace eigen_g::blas2
