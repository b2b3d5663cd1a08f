// The operands of the way back by the chase's tiles (chase_tiles.hpp): the reflectors of a tile are
//
//   H_0 H_1 ... H_{width-1} = I - V T V^T,    T upper triangular, width x width.
//
// -T lies in memory as the tensor core's steps take it: squares of 8 x 8 in order of columns of T^T, within one as
// chase_factor_place() says.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

// Numbers of a tile's factor.
EIGEN_G_HOST_DEVICE constexpr std::int64_t chase_factor_size(std::int64_t width) {
  return width / 8 * (width / 8 + 1) / 2 * 64;
}
// Number of the square that has T(i, k) with i / 8 = row, k / 8 = column >= row.
EIGEN_G_HOST_DEVICE constexpr int chase_factor_square(int width, int row, int column) {
  return row * (width / 8) - row * (row - 1) / 2 + column - row;
}
// Where -T(i, k), i / 8 <= k / 8, stands.
EIGEN_G_HOST_DEVICE constexpr int chase_factor_place(int width, int i, int k) {
  return chase_factor_square(width, i / 8, k / 8) * 64 + i % 8 * 8 + k % 8;
}

// T and V of all tiles of the groups first_group ... last_group, in the tiles' order, one after the other.
//   reflectors   as band_to_tridiagonal() leaves them
//   factors_dev  tiles x chase_factor_size(width), 16-byte aligned, out
//   v_dev        tiles x tiles.tile_size(), 16-byte aligned, out
// T is float or double; what is written are doubles. All in device memory, ordered on `queue`. Throws DeviceError. Repeats bit for bit.
// Cost: about 50 n^2 flops; H200, b = 64: 4.6 ms at n = 10000, 18 at 20000. Source: Schreiber and Van Loan 1989; LAPACK dlarft.
template <class T>
void chase_factors(const Queue& queue, const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                   std::int64_t first_group, std::int64_t last_group, double* factors_dev, double* v_dev);

}  // namespace eigen_g
