// The real image of a complex chase: a chase of real numbers of twice the order. The number a + bi is the 2 x 2 matrix [a -b; b a].
//
//   Z:          the n x m complex matrix in memory is also the real 2n x m matrix of the first columns of these 2 x 2 matrices
//   reflectors: v becomes the two columns v and iv. The tile of 32 complex sweeps with b = 32 becomes a tile of 64 real columns with
//               b = 64, in the same layout as 64 real sweeps. I - V T V^H becomes I - V T V^T, and T is real, 64 x 64, in squares
//               on and above the diagonal
//   the numbers of groups and of steps stay the same
//
// A real product of images costs the same as the complex product: 8 flops for a complex multiplication and addition.
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

// Computes V and T of the images of the groups first_group ... last_group, in the tiles' order.
//   tiles        chase_tiles<T>(n, 32)
//   reflectors   as band_to_tridiagonal() leaves them, in
//   factors_dev  image tiles x chase_factor_size(64), 16-byte aligned, out: -T in the layout of chase_factors()
//   v_dev        image tiles x tile_size(), 16-byte aligned, out
// T is complex<float> or complex<double>; the images are doubles. Everything is in device memory. Ordered on `queue`.
// Throws DeviceError, InvalidArgument. Repeated runs give the same bits. Accuracy: tau is computed again from the stored v.
// Cost: about 130 n^2 flops; 2.3 n^2 doubles written.
template <class T>
void chase_image_factors(const Queue& queue, const ChaseTiles& tiles,
                         const ChaseReflectors<const T>& reflectors, std::int64_t first_group,
                         std::int64_t last_group, double* factors_dev, double* v_dev);

}  // namespace eigen_g
