// The chase of a complex matrix as one of real numbers twice as large: a number a + bi is [a -b; b a], so that
//
//   Z, n x m, lies in memory as the real matrix of 2n rows that it stands for;
//   a reflector's v is the two columns v and iv, and those of a tile with 32 sweeps of bandwidth 32 lie where the tile of 64
//   sweeps of bandwidth 64 has its own: I - V T V^H is I - V T V^T there, with T real, 64 x 64, in squares on and above the
//   diagonal;
//   groups and steps are as many.
//
// A real product of the images is as much work as the complex one: 8 flops in place of a complex multiplication and addition.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

inline ChaseTiles chase_image(const ChaseTiles& tiles_of_complex) {
  return {2 * (tiles_of_complex.n - 1), 2 * tiles_of_complex.b};
}
template <class R>
MatrixView<R> chase_image(MatrixView<std::complex<R>> z) {
  return {reinterpret_cast<R*>(z.data), 2 * z.rows, z.cols, 2 * z.lda};
}

// V and T of the images of the groups first_group ... last_group, in the tiles' order.
//   tiles        of bandwidth 32: chase_tiles<T>(n, 32)
//   reflectors   as band_to_tridiagonal() leaves them
//   factors_dev  image tiles x chase_factor_size(64), 16-byte aligned, out: -T as chase_factors() lays it out
//   v_dev        image tiles x tile_size(), 16-byte aligned, out
// T is complex<float> or complex<double>, the images are doubles; tau anew of v as it was rounded. All in device memory, ordered on
// `queue`. Throws DeviceError. Repeats bit for bit. Cost: about 130 n^2 flops; 2.3 n^2 doubles written.
template <class T>
void chase_image_factors(const Queue& queue, const ChaseTiles& tiles,
                         const ChaseReflectors<const T>& reflectors, std::int64_t first_group,
                         std::int64_t last_group, double* factors_dev, double* v_dev);

}  // namespace eigen_g
