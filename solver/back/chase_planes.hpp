// V and Y = -T V^H of a complex chase's tiles, of 32 sweeps and bandwidth 32, in planes: of a number c + id
//
//   c,    d - c,    -(c + d)
//
// so that (c + id) (a + ib) is three real products: p = c (a + b), p - (c + d) b and p + (d - c) a. Squares of 8 x 8 are operands B of
// the tensor core's steps of 16 x 8 x 8, plane after plane, two numbers a lane (chase_back_planes.cuh):
//
//   V   64 x 32, square (k, j) of 8 rows and 8 columns where j <= k <= j + 4
//   Y   32 x 64, square (j, k), k >= j; those with k = j have c, d, -d in place of the three
#pragma once

#include <complex>
#include <cstdint>

#include "hybrid/host_device.hpp"
#include "hybrid/matrix_view.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

namespace chase_planes {

inline constexpr int planes = 3, lanes = 32;
inline constexpr int x_squares = 4, band_squares = 4, squares = x_squares + band_squares;
inline constexpr int v_squares = x_squares * (band_squares + 1),
                     y_squares = x_squares * (2 * squares + 1 - x_squares) / 2;
inline constexpr int v_size = v_squares * planes * 64, y_size = y_squares * planes * 64;

EIGEN_G_HOST_DEVICE constexpr int v_square(int k, int j) {
  return j * (band_squares + 1) + k - j;
}
EIGEN_G_HOST_DEVICE constexpr int y_square(int j, int k) {
  return j * (2 * squares + 1 - j) / 2 + k - j;
}

}  // namespace chase_planes

// Those of the groups first_group ... last_group, in the tiles' order.
//   tiles       of bandwidth 32: chase_tiles<std::complex<double>>(n, 32)
//   reflectors  as band_to_tridiagonal() leaves them
//   y_dev       tiles x chase_planes::y_size, 16-byte aligned, out
//   v_dev       tiles x chase_planes::v_size, 16-byte aligned, out
// tau anew of v as it was rounded. All in device memory, ordered on `queue`. Throws DeviceError. Repeats bit for bit.
// Cost: about 260 n^2 flops; 4.3 n^2 doubles written.
void chase_to_planes(const Queue& queue, const ChaseTiles& tiles,
                     const ChaseReflectors<const std::complex<double>>& reflectors, std::int64_t first_group,
                     std::int64_t last_group, double* y_dev, double* v_dev);

// Z for that kernel, and back: of eight rows of a column, from a multiple of eight on, first the real parts, then the imaginary ones;
// rows behind the last multiple of eight stay as they are. Ordered on `queue`. Throws DeviceError. Cost: Z read and written.
void chase_split_parts(const Queue& queue, MatrixView<std::complex<double>> z_dev);
void chase_join_parts(const Queue& queue, MatrixView<std::complex<double>> z_dev);

}  // namespace eigen_g
