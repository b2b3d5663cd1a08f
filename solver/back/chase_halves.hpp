// V and -T of the chase's tiles of 64 sweeps and bandwidth 64 as two halves a number, in the order in which the tensor core's
// operands are read (chase_back_halves.cuh).
//
//   V   column j at [j v_ld]: its rows 16 floor(j / 16) ... + 79, zeros included; the second halves v_part behind
//   T   after a head: -T(i, k) at [i t_ld + k], zeros below the diagonal; the second halves t_part behind
//
// Numbers are scaled by powers of two: Z by 2^12, V by 2^14, X = V^T Z to 2^10, -T so that its largest entry lies in [2^13, 2^14), and
// T X by what its longest row allows. Z's entries are below 8, X's below 32: this is for vectors of about unit length, and reflectors as
// LAPACK's larfg makes them: V's entries are at most 1.
#pragma once

#include <cstdint>

#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

namespace chase_halves {

inline constexpr int v_ld = 88, t_ld = 72;  // halves; no two of eight rows of 16 bytes collide in a bank
inline constexpr int v_part = 64 * v_ld, t_part = 64 * t_ld;
inline constexpr int head_bytes = 16;
inline constexpr int v_size = 2 * 2 * v_part / 8,
                     t_size = (head_bytes + 2 * 2 * t_part) / 8;  // doubles' places
inline constexpr float z_scale = 1 << 12, v_scale = 1 << 14;
// The part of V T V^T Z that the tensor core cuts off on average: T is as much larger. H200, n = 10000: |z|^2 of random matrices'
// vectors is 1 to .7 ulp on average, of complex ones' to 17; without it 300 less, and the orthogonality ratio .60 in place of .48.
inline constexpr double given_back = 2.71 / (1 << 24);
inline constexpr float x_scale = 1.0F / (1 << 16);  // of sums of products with V
struct Head {
  float y_scale, w_scale;  // of sums of products with T, with V
};

}  // namespace chase_halves

// Of `count` tiles of 64, from
//   v_dev, factors_dev   V and -T in double, in the layouts of chase_tiles.hpp and chase_factor.hpp
// to
//   v_halves_dev         count x chase_halves::v_size, 16-byte aligned, device, out
//   t_halves_dev         count x chase_halves::t_size, 16-byte aligned, device, out
// Ordered on `queue`. Throws DeviceError. Cost: 97 KB a tile read and written.
void chase_to_halves(const Queue& queue, std::int64_t count, const double* v_dev, const double* factors_dev,
                     double* v_halves_dev, double* t_halves_dev);

}  // namespace eigen_g
