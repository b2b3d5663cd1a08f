// The reflectors of the chase (band_to_tridiagonal.hpp) in memory. Sweep s = 0 ... n-3 makes one in every step t = 0, 1, ...:
//
//   H(s, t) = I - tau v v^H on rows s + 1 + t b ... s + (t + 1) b, as far as there are any; v's first entry is 1.
//
// Of a complex matrix those of one row count too, which are phases that make T real: its tiles are those of order n + 1.
//
// `width` consecutive sweeps are a group. Step t of a group is a tile: its reflectors act on the b + width rows from
// first_row(group, t) on, that of the group's sweep j on the b of them from row j + 1 on (row 0 is there to be even). Q2 is the
// product of all H(s, t), the earliest sweep first; Q2 Z takes the groups from the last to the first, in a group the steps
// upwards, and so do the tiles lie in memory.
//
// Within a tile the columns go by eight: column j holds rows 8 floor(j / 8) ... + b + 7 of the tile, zeros included, so that
// every column begins on 16 bytes; a little room between them keeps shared memory's banks apart.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

inline constexpr std::int64_t chase_bandwidths[] = {32, 48, 64, 96, 128};

inline constexpr std::int64_t max_chase_bandwidth = 128;
// The least of them that takes a band of kd <= max_chase_bandwidth.
constexpr std::int64_t chase_bandwidth(std::int64_t kd) {
  for (const std::int64_t b : chase_bandwidths)
    if (kd <= b) return b;
  return max_chase_bandwidth;
}

struct ChaseTiles {
  std::int64_t n = 0, b = 0, width = 0;

  ChaseTiles() = default;
  ChaseTiles(std::int64_t order, std::int64_t bandwidth)
      : n(order), b(bandwidth), width(bandwidth > 64 ? 32 : bandwidth) {}

  EIGEN_G_HOST_DEVICE std::int64_t sweeps() const { return n > 2 ? n - 2 : 0; }
  EIGEN_G_HOST_DEVICE std::int64_t groups() const { return (sweeps() + width - 1) / width; }
  EIGEN_G_HOST_DEVICE std::int64_t first_row(std::int64_t group, std::int64_t step) const {
    return group * width + step * b;
  }
  EIGEN_G_HOST_DEVICE std::int64_t steps(std::int64_t group) const { return (n - 3 - group * width) / b + 1; }
  // Tiles of the groups from `group` on, which are the first in memory; of all: tiles_from(0).
  EIGEN_G_HOST_DEVICE std::int64_t tiles_from(std::int64_t group) const {
    std::int64_t count = 0;
    for (std::int64_t g = groups() - 1; g >= group; --g) count += steps(g);
    return count;
  }
  EIGEN_G_HOST_DEVICE std::int64_t tile(std::int64_t group, std::int64_t step) const {
    return tiles_from(group + 1) + step;
  }

  // Numbers of a tile, and where in it column j begins, that is row 8 floor(j / 8); v's first entry is j % 8 + 1 behind.
  EIGEN_G_HOST_DEVICE std::int64_t tile_size() const { return width / 8 * eight_columns(); }
  EIGEN_G_HOST_DEVICE std::int64_t column(std::int64_t j) const {
    const std::int64_t c = j % 8;
    return j / 8 * eight_columns() + c * (b + 8) + c / 2 * 4;
  }
  EIGEN_G_HOST_DEVICE std::int64_t eight_columns() const { return 8 * (b + 8) + 16; }

  std::int64_t v_count() const { return tiles_from(0) * tile_size(); }
  std::int64_t tau_count() const { return tiles_from(0) * width; }
};

// Those of the chase of a matrix of T of order n.
template <class T>
ChaseTiles chase_tiles(std::int64_t n, std::int64_t b) {
  return {n + (is_complex<T> ? 1 : 0), b};
}

// Device memory, 16-byte aligned: v has tiles.v_count() elements, tau tiles.tau_count(). Both null: no reflectors.
template <class T>
struct ChaseReflectors {
  T* v = nullptr;
  T* tau = nullptr;
};

}  // namespace eigen_g
