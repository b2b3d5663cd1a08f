// The reflectors of the chase (band_to_tridiagonal.hpp) in memory. Sweep s = 0 ... n-3 makes one in every step t = 0, 1, ...:
//
//   H(s, t) = I - tau v v^H on rows s + 1 + t b ... s + (t + 1) b, as far as there are any; v's first entry is 1.
//
// Of a complex matrix those of one row count too, which are phases that make T real: its tiles are those of order n + 1.
//
// The v of a sweep lie one after the other, n - 1 - s entries, a run. The runs are packed, or go up the columns above a matrix'
// diagonal, that of sweep s in column n - 1 - s.
//
// `width` consecutive sweeps are a group. Step t of a group is a tile: its reflectors act on the b + width rows from
// first_row(group, t) on, that of the group's sweep j on the b of them from row j + 1 on (row 0 is there to be even). Q2 is the
// product of all H(s, t), the earliest sweep first; Q2 Z takes the groups from the last to the first, in a group the steps
// upwards, and so are the tiles numbered downwards the memory of their taus, and of V where the way back has it as operands:
// a tile's columns go by eight, column j holds rows 8 floor(j / 8) ... + b + 7 of the tile, zeros included, so that
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
    const std::int64_t rest = n - 3 - group * width;
    if (rest < 0) return 0;
    // 1 + floor(i / q) for i = 0 ... count - 1, q groups to a bandwidth
    const std::int64_t q = b / width, count = rest / width + 1, whole = count / q;
    return count + q * whole * (whole - 1) / 2 + count % q * whole;
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

  std::int64_t tau_count() const { return tiles_from(0) * width; }

  // Where the run of sweep s begins among packed ones, on an even number; all together.
  EIGEN_G_HOST_DEVICE std::int64_t packed_run(std::int64_t s) const {
    return (s * n - s * (s - 1) / 2) / 2 * 2;
  }
  std::int64_t packed_count() const { return packed_run(sweeps()); }
};

// Those of the chase of a matrix of T of order n.
template <class T>
ChaseTiles chase_tiles(std::int64_t n, std::int64_t b) {
  return {n + (is_complex<T> ? 1 : 0), b};
}

// Device memory, 16-byte aligned. All null: no reflectors.
//   v       the runs
//   tau     tiles.tau_count(), of sweep j of a tile in place tile * width + j; 0: no reflector
//   stride  from a run to the next, even; 0: the runs are packed, tiles.packed_count()
template <class T>
struct ChaseReflectors {
  T* v = nullptr;
  T* tau = nullptr;
  std::int64_t stride = 0;

  EIGEN_G_HOST_DEVICE T* run(const ChaseTiles& tiles, std::int64_t s) const {
    return v + (stride != 0 ? s * stride : tiles.packed_run(s));
  }
};

// Rows of H(s, t) of a matrix of T, in real matrices two or more; 0: there is none.
template <class T>
EIGEN_G_HOST_DEVICE std::int64_t chase_rows(const ChaseTiles& tiles, std::int64_t s, std::int64_t step) {
  const std::int64_t rows = tiles.n - (s + 1 + step * tiles.b);
  if (rows < 2) return 0;
  return rows - is_complex<T> < tiles.b ? rows - is_complex<T> : tiles.b;
}

}  // namespace eigen_g
