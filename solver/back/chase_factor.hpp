// chase_factors(): V and T of the chase's tiles (chase_tiles.hpp), the operands of the back-transformation. The reflectors of a tile are
//
//   H_0 H_1 ... H_{width-1} = I - V T V^T,    T upper triangular, width x width.
//
// -T is stored in the order in which the tensor core's operands are read: in squares of 8 x 8 on and above the diagonal, one row of squares
// after the other. chase_factor_place() gives the order within a square.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

// Number of values of a tile's factor.
EIGEN_G_HOST_DEVICE constexpr std::int64_t chase_factor_size(std::int64_t width) {
  return width / 8 * (width / 8 + 1) / 2 * 64;
}
// Number of the square that contains T(i, k), where row = i / 8 and column = k / 8 >= row.
EIGEN_G_HOST_DEVICE constexpr int chase_factor_square(int width, int row, int column) {
  return row * (width / 8) - row * (row - 1) / 2 + column - row;
}
// Index of -T(i, k) in a tile's factor, for i / 8 <= k / 8.
EIGEN_G_HOST_DEVICE constexpr int chase_factor_place(int width, int i, int k) {
  return chase_factor_square(width, i / 8, k / 8) * 64 + i % 8 * 8 + k % 8;
}

// Computes T and V of all tiles of the groups first_group ... last_group, in the tiles' order, one tile after the other.
//   reflectors   as band_to_tridiagonal() leaves them, in
//   factors_dev  tiles x chase_factor_size(width), 16-byte aligned, out: -T
//   v_dev        tiles x tiles.tile_size(), 16-byte aligned, out
// T is float or double; the outputs are doubles. Everything is in device memory. Ordered on `queue`. Throws DeviceError.
// Repeated runs give the same bits. Accuracy: tau is computed again from the stored v.
// Cost: about 50 n^2 flops; times: data/perf/DECISIONS.md, "Back-transformation of the chase".
// Source: Schreiber and Van Loan 1989; LAPACK dlarft.
template <class T>
void chase_factors(const Queue& queue, const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                   std::int64_t first_group, std::int64_t last_group, double* factors_dev, double* v_dev);

}  // namespace eigen_g
