// V and Y = -T V^H of the tiles of a complex chase, as three planes of real numbers. Tiles have 32 sweeps and b = 32.
//
// A number c + id of V or Y is stored as the three real numbers
//
//   c,    d - c,    -(c + d)
//
// A product with a + ib then takes three real products. With p = c (a + b), the real part is p - (c + d) b and the imaginary part is
// p + (d - c) a. V and Y are stored in squares of 8 x 8, three planes per square, as operands B of the tensor core's mma of 16 x 8 x 8; a
// lane has two numbers of a plane (back_transform_chase_planes.cuh):
//
//   V   64 x 32, square (k, j): 8 rows from 8 k and 8 columns from 8 j on, for j <= k <= j + 4
//   Y   32 x 64, square (j, k), k >= j. The squares with k = j have the planes c, d, -d instead
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

// Computes V and Y of the groups first_group ... last_group, in the tiles' order.
//   tiles       chase_tiles<std::complex<double>>(n, 32)
//   reflectors  as band_to_tridiagonal() leaves them, in
//   y_dev       tiles x chase_planes::y_size, 16-byte aligned, out
//   v_dev       tiles x chase_planes::v_size, 16-byte aligned, out
// Everything is in device memory. Ordered on `queue`. Throws DeviceError, InvalidArgument. Repeated runs give the same bits.
// Accuracy: tau is computed again from the stored v.
// Cost: about 260 n^2 flops; 4.3 n^2 doubles written.
void chase_to_planes(const Queue& queue, const ChaseTiles& tiles,
                     const ChaseReflectors<const std::complex<double>>& reflectors, std::int64_t first_group,
                     std::int64_t last_group, double* y_dev, double* v_dev);

// Rearranges Z for that kernel, and back. In each set of eight consecutive rows of a column, the real parts come first, then the
// imaginary parts. Rows after the last whole set of eight stay as they are. Ordered on `queue`. Throws DeviceError.
// Cost: Z is read and written once.
void chase_split_parts(const Queue& queue, MatrixView<std::complex<double>> z_dev);
void chase_join_parts(const Queue& queue, MatrixView<std::complex<double>> z_dev);

}  // namespace eigen_g
