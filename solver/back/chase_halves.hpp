// V and -T of the chase's tiles as fp16 pairs: a number is the sum of two float16, its first and second half. They are stored in the order
// in which back_transform_chase_halves.cuh reads the tensor core's operands. Tiles have 64 sweeps and b = 64.
//
//   V   column j at [j v_ld]: its rows 16 floor(j / 16) ... + 79, zeros included; the second halves v_part values behind
//   T   after a Head: -T(i, k) at [i t_ld + k], zeros below the diagonal; the second halves t_part values behind
//
// Scales are powers of two: Z is multiplied by 2^12, V by 2^14, and X = V^T Z by 2^10. The scale of -T brings its largest
// entry into [2^13, 2^14). The scale of T X follows from T's largest sum of a row. Entries of Z must be below 8 and entries of X below
// 32. This holds for vectors of about unit length and for reflectors made by LAPACK's larfg, whose entries are at most 1.
#pragma once

#include <cstdint>

#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

namespace chase_halves {

// In float16; eight consecutive rows of 16 bytes have no bank conflict.
inline constexpr int v_ld = 88, t_ld = 72;
inline constexpr int v_part = 64 * v_ld, t_part = 64 * t_ld;
inline constexpr int head_bytes = 16;
inline constexpr int v_size = 2 * 2 * v_part / 8,
                     t_size = (head_bytes + 2 * 2 * t_part) / 8;  // in doubles
inline constexpr float z_scale = 1 << 12, v_scale = 1 << 14;
// Relative amount by which the tensor core's truncation shortens V T V^T Z on average; T is enlarged by it. Without it |z|^2 of the vectors
// is too small: data/perf/DECISIONS.md, "Back-transformation of the chase".
inline constexpr double given_back = 2.71 / (1 << 24);
inline constexpr float x_scale = 1.0F / (1 << 16);  // scale of the sums of products with V, for X
struct Head {
  float y_scale, w_scale;  // scales of the sums of products with T, and with V
};

}  // namespace chase_halves

// Converts `count` tiles with 64 sweeps and b = 64.
//   v_dev, factors_dev   V and -T in double, in the layouts of chase_tiles.hpp and chase_factor.hpp, in
//   v_halves_dev         count x chase_halves::v_size, 16-byte aligned, out
//   t_halves_dev         count x chase_halves::t_size, 16-byte aligned, out
// Everything is in device memory. Ordered on `queue`. Throws DeviceError. Cost: 97 KB per tile read and written.
void chase_to_halves(const Queue& queue, std::int64_t count, const double* v_dev, const double* factors_dev,
                     double* v_halves_dev, double* t_halves_dev);

}  // namespace eigen_g
