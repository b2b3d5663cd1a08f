// The kernel of chase_back.hpp: a window of Z in registers, all reflectors of a slab of groups in one launch.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

// On the current GPU; Z of floats or doubles.
template <class T>
bool chase_back_fused_serves(const ChaseTiles& tiles, MatrixView<const same_t<T>> z_dev);

// Words of device memory that it takes for m columns and so many groups.
std::int64_t chase_back_fused_words(std::int64_t groups, std::int64_t m);

// Z := (product of the groups first_group ... last_group) Z, in double.
//   v_dev, factors_dev  of these groups alone, in the tiles' order
//   words_dev           chase_back_fused_words(groups, m)
// Ordered on `queue`; throws DeviceError.
void chase_back_fused(const Queue& queue, const ChaseTiles& tiles, const double* v_dev,
                      const double* factors_dev, std::int64_t first_group, std::int64_t last_group,
                      MatrixView<double> z_dev, int* words_dev);

// The same in halves, of the tiles of 64 as chase_to_halves() leaves them; Z's columns of about unit length.
void chase_back_in_halves(const Queue& queue, const ChaseTiles& tiles, const double* v_halves_dev,
                          const double* t_halves_dev, std::int64_t first_group, std::int64_t last_group,
                          MatrixView<float> z_dev, int* words_dev);

// The same by three real products for a complex one: `tiles` and z_dev are the images (chase_image.hpp), V and Y as
// chase_to_planes() leaves them.
void chase_back_in_planes(const Queue& queue, const ChaseTiles& tiles, const double* v_planes_dev,
                          const double* y_planes_dev, std::int64_t first_group, std::int64_t last_group,
                          MatrixView<double> z_dev, int* words_dev);

}  // namespace eigen_g
