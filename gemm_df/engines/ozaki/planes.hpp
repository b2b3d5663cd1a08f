// Planes: the residues of the sums of products, one or two bytes (bytes_of_residue) for each entry of C and each modulus, and the order of their tiles. Host and device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm_df/engines/ozaki/operand_view.hpp"
#include "hybrid/host_device.hpp"

namespace eigen_g::ozaki {

// Entries of C that one block, or a cluster of two blocks, computes at once.
inline constexpr int plane_rows = 256, block_columns = 128;
// Rows of C that are permuted in a plane (place_in_plane).
inline constexpr int row_group = 64;

// The residue modulo number i of C(row, column) is number i * step + column * stride + place_in_plane(row). A plane has whole groups of plane_rows
// rows.
struct Planes {
  std::uint8_t* data = nullptr;
  std::int64_t step = 0, stride = 0;
};

// The four lanes that have a column of a product on the tensor cores have rows 8 j + 2 lane + e, e = 0, 1. The rows of a lane follow each other
// in a plane, so that it writes 16 bytes at once.
EIGEN_G_HOST_DEVICE constexpr std::int64_t place_in_plane(std::int64_t row) {
  const std::int64_t in_group = row % row_group;
  return row - in_group + in_group % 8 / 2 * 16 + in_group / 8 * 2 + in_group % 2;
}

// The tiles of C, each with `side` rows and columns, in the order in which they are computed: columns of tiles in groups of `width`, in
// each group one row of tiles after the other. Column j of tiles needs the rows of tiles from j + diagonal on.
struct TileOrder {
  int rows = 0, columns = 0, width = 1, diagonal = 0, planes = 0;
};
inline constexpr int all_tiles = -(1 << 24);  // TileOrder::diagonal of a C that is not a triangle

// Goes through the tiles of all planes, one plane after the other.
class TileWalk {
 public:
  EIGEN_G_HOST_DEVICE explicit TileWalk(const TileOrder& order) : order_(order), row_(first_row()) {}

  // Goes to the tile that is `steps` tiles later. Returns false if there is none.
  EIGEN_G_HOST_DEVICE bool go(int steps) {
    place_ += steps;
    for (;;) {
      if (plane_ == order_.planes) return false;
      if (row_ < order_.rows) {
        const int here = tiles_of_row();
        if (place_ < here) return true;
        place_ -= here;
        ++row_;
        continue;
      }
      first_column_ += order_.width;
      if (first_column_ >= order_.columns) {
        first_column_ = 0;
        ++plane_;
      }
      row_ = first_row();
    }
  }
  EIGEN_G_HOST_DEVICE int plane() const { return plane_; }
  EIGEN_G_HOST_DEVICE int row() const { return row_; }
  EIGEN_G_HOST_DEVICE int column() const { return first_column_ + place_; }

 private:
  EIGEN_G_HOST_DEVICE int first_row() const {
    const int first = first_column_ + order_.diagonal;
    return first > 0 ? first : 0;
  }
  EIGEN_G_HOST_DEVICE int tiles_of_row() const {
    const int left = order_.columns - first_column_, width = left < order_.width ? left : order_.width;
    const int needed = row_ - order_.diagonal - first_column_ + 1;
    return needed < width ? needed : width;
  }
  const TileOrder& order_;
  int plane_ = 0, first_column_ = 0, row_ = 0, place_ = 0;
};

// Number of tiles of all planes.
inline std::int64_t tiles_of(const TileOrder& order) {
  std::int64_t count = 0;
  for (int j = 0; j < order.columns; ++j) count += std::clamp(order.rows - j - order.diagonal, 0, order.rows);
  return count * order.planes;
}

// The arguments of product_kernel().
struct ProductWork {
  Planes out;
  std::int64_t columns = 0;  // columns of C
  int terms = 0;
  TileOrder tiles;
  SumModulus moduli[max_moduli];
  FloatModulus floats[moduli_of_floats];
};

// The entries (row, column) of C with row - column >= diagonal, and others, by clusters of `cluster` blocks.
inline ProductWork product_work(int moduli, const Planes& out, std::int64_t rows, std::int64_t columns,
                                std::int64_t terms, int cluster, std::int64_t diagonal) {
  ProductWork work;
  work.out = out;
  work.columns = columns;
  work.terms = static_cast<int>(terms);
  const std::int64_t tile_columns = cluster * block_columns;
  const bool triangle = tile_columns == plane_rows && diagonal > -columns;
  work.tiles.rows = static_cast<int>(whole(rows, plane_rows));
  work.tiles.columns = static_cast<int>(whole(columns, tile_columns));
  work.tiles.width = triangle ? 4 : 8;
  const std::int64_t above =
      whole(columns, plane_rows);  // tiles; the division is of a number that is not negative
  work.tiles.diagonal =
      triangle ? static_cast<int>((diagonal + above * plane_rows) / plane_rows - above) : all_tiles;
  work.tiles.planes = moduli;
  for (int i = 0; i < moduli; ++i)
    if (has_floats(moduli))
      work.floats[i] = FloatModulus::of(i);
    else
      work.moduli[i] = SumModulus::of(all_moduli[static_cast<std::size_t>(i)]);
  return work;
}

}  // namespace eigen_g::ozaki
