// The fused kernel of back_transform_chase.hpp: a window of Z is in registers, and one launch applies all reflectors of a slab of sweep groups.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

// True if the fused kernel works on the current GPU for this Z of floats or doubles. Its conditions are in back_transform_chase.hpp.
template <class T>
bool back_transform_chase_fused_serves(const ChaseTiles& tiles, MatrixView<const same_t<T>> z_dev);

// Number of words (int) of device memory that the kernel needs for m columns and `groups` groups.
std::int64_t back_transform_chase_fused_words(std::int64_t groups, std::int64_t m);

// Z := (product of the groups first_group ... last_group) Z, in double.
//   v_dev, factors_dev  of these groups alone, in the tiles' order, in
//   z_dev               n x m, in and out
//   words_dev           back_transform_chase_fused_words(groups, m) words, scratch
// Everything is in device memory. Ordered on `queue`. Throws DeviceError.
void back_transform_chase_fused(const Queue& queue, const ChaseTiles& tiles, const double* v_dev,
                                const double* factors_dev, std::int64_t first_group, std::int64_t last_group,
                                MatrixView<double> z_dev, int* words_dev);

// This product for float Z, in fp16 pairs. Tiles have 64 sweeps and b = 64; V and T as chase_to_halves() writes them. The columns of Z have
// about unit length.
void back_transform_chase_in_halves(const Queue& queue, const ChaseTiles& tiles, const double* v_halves_dev,
                                    const double* t_halves_dev, std::int64_t first_group,
                                    std::int64_t last_group, MatrixView<float> z_dev, int* words_dev);

// This product for complex Z, with three real products for a complex one. `tiles` and z_dev are the real images (chase_image.hpp), V and Y
// as chase_to_planes() writes them; Z as chase_split_parts() rearranges it.
void back_transform_chase_in_planes(const Queue& queue, const ChaseTiles& tiles, const double* v_planes_dev,
                                    const double* y_planes_dev, std::int64_t first_group,
                                    std::int64_t last_group, MatrixView<double> z_dev, int* words_dev);

}  // namespace eigen_g
