// The reflectors of the bulge chase (band_to_tridiagonal.hpp) in memory. Sweep s = 0 ... n - 3 makes one reflector in every step
// t = 0, 1, ...:
//
//   H(s, t) = I - tau v v^H on rows s + 1 + t b ... s + (t + 1) b, as far as they exist; v's first entry is 1.
//
// Complex matrices also have reflectors of one row: phases that make T real. Their tiles are the tiles of a real matrix of order n + 1.
//
// All v of sweep s are stored one after the other: n - 1 - s values, the v array of the sweep. These arrays either follow each other in
// memory (packed), or the array of sweep s fills column n - 1 - s of a matrix above its diagonal.
//
// Group (sweep group): `width` consecutive sweeps. Tile: the reflectors of one group at one step t. A tile acts on b + width rows, from
// first_row(group, t) on. The reflector of the group's sweep j acts on b of them, from row j + 1 of the tile on. Row 0 is there only
// to make the tile's first row even.
//
// Q2 is the product of all H(s, t), the earliest sweep first. Q2 Z therefore applies the last group first, and within a group the
// steps in ascending order. Tiles are numbered in this order, and their taus are stored in it. So is V, if the back-transformation has
// V as operands of products.
//
// V of a tile as operands is stored in sets of eight columns. Column j holds rows 8 floor(j / 8) ... 8 floor(j / 8) + b + 7 of the tile,
// zeros included, so that every column starts on a 16-byte boundary. Padding between the columns avoids bank conflicts in shared memory.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

inline constexpr std::int64_t chase_bandwidths[] = {32, 48, 64, 96, 128};

inline constexpr std::int64_t max_chase_bandwidth = 128;
// The smallest of the chase_bandwidths that is >= kd, for kd <= max_chase_bandwidth.
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
  // Number of tiles in the groups from `group` on. They are the first tiles in memory; tiles_from(0) is the number of all tiles.
  EIGEN_G_HOST_DEVICE std::int64_t tiles_from(std::int64_t group) const {
    const std::int64_t rest = n - 3 - group * width;
    if (rest < 0) return 0;
    // The sum of 1 + floor(i / q) for i = 0 ... count - 1, where q groups have the same number of steps.
    const std::int64_t q = b / width, count = rest / width + 1, whole = count / q;
    return count + q * whole * (whole - 1) / 2 + count % q * whole;
  }
  EIGEN_G_HOST_DEVICE std::int64_t tile(std::int64_t group, std::int64_t step) const {
    return tiles_from(group + 1) + step;
  }

  // Layout of V as operands. tile_size(): values of a tile. column(j): index in the tile of the first stored row of column j, which is
  // row 8 floor(j / 8). The first entry of v is j % 8 + 1 values behind it.
  EIGEN_G_HOST_DEVICE std::int64_t tile_size() const { return width / 8 * eight_columns(); }
  EIGEN_G_HOST_DEVICE std::int64_t column(std::int64_t j) const {
    const std::int64_t c = j % 8;
    return j / 8 * eight_columns() + c * (b + 8) + c / 2 * 4;
  }
  EIGEN_G_HOST_DEVICE std::int64_t eight_columns() const { return 8 * (b + 8) + 16; }

  std::int64_t tau_count() const { return tiles_from(0) * width; }

  // Index of the v array of sweep s if the arrays are packed (always even), and the number of values of all arrays.
  EIGEN_G_HOST_DEVICE std::int64_t sweep_offset(std::int64_t s) const {
    return (s * n - s * (s - 1) / 2) / 2 * 2;
  }
  std::int64_t count() const { return sweep_offset(sweeps()); }
};

// The tiles for the chase of an n x n matrix of type T.
template <class T>
ChaseTiles chase_tiles(std::int64_t n, std::int64_t b) {
  return {n + (is_complex<T> ? 1 : 0), b};
}

// Where the reflectors are; device memory (the CPU's chase: host memory), 16-byte aligned. All null: reflectors are not stored.
//   v       the v arrays of the sweeps, sweep 0 first
//   tau     tiles.tau_count() values; tau of sweep j of a tile at tile * width + j; 0: no reflector
//   stride  values from one v array to the next, even, possibly negative; 0: the arrays are packed, tiles.count() values
template <class T>
struct ChaseReflectors {
  T* v = nullptr;
  T* tau = nullptr;
  std::int64_t stride = 0;

  EIGEN_G_HOST_DEVICE T* sweep(const ChaseTiles& tiles, std::int64_t s) const {
    return v + (stride != 0 ? s * stride : tiles.sweep_offset(s));
  }
};

// Number of rows of H(s, t) for a matrix of type T; 0: this reflector does not exist. In real matrices the number is never 1.
template <class T>
EIGEN_G_HOST_DEVICE std::int64_t chase_rows(const ChaseTiles& tiles, std::int64_t s, std::int64_t step) {
  const std::int64_t rows = tiles.n - (s + 1 + step * tiles.b);
  if (rows < 2) return 0;
  return rows - is_complex<T> < tiles.b ? rows - is_complex<T> : tiles.b;
}

}  // namespace eigen_g
