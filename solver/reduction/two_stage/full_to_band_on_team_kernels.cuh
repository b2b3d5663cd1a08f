// Kernels of full_to_band_on_team.cu, and the numbers of the tiles that they work on.
//
// In double the products with A are batches. A tile is a strip's rows of the member's columns of a strip; tile (r, s) has the rows of strip r >= s and
// the columns of strip s. Each tile serves for a product as it is, and below the diagonal for one with its adjoint. Each product has a slot for its
// result: b columns of strip() rows, or of `width` rows. A kernel adds the slots of a row in a fixed order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hybrid/host_device.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"

namespace eigen_g::to_band {

inline constexpr int most_members = 8;

// Tiles are numbered by strips of columns in descending order, and in each by strips of rows in ascending order: tile (r, s) has number
// tiles_from(s + 1) + r - s. These functions return the number of tiles in the strips of columns from s on: of all tiles, and of the tiles below the
// diagonal. A tile below the diagonal has number tiles_below(s + 1) + r - s - 1 among them.
EIGEN_G_HOST_DEVICE inline std::int64_t tiles_from(const DealtColumns& deal, std::int64_t s) {
  const std::int64_t strips = deal.strips() - s;
  return strips > 0 ? strips * (strips + 1) / 2 : 0;
}
EIGEN_G_HOST_DEVICE inline std::int64_t tiles_below(const DealtColumns& deal, std::int64_t s) {
  const std::int64_t strips = deal.strips() - s;
  return strips > 0 ? strips * (strips - 1) / 2 : 0;
}

// The tiles of one member that are multiplied with a W whose rows begin at row `below`.
//   strip                the strip of `below`, of which the member has `columns` columns from `first` on, or none
//   local                of column `first`
//   after, after_below   number of tiles in later strips of columns, all of them and below the diagonal. Their columns are whole
struct PanelTiles {
  std::int64_t strip, first, columns, local, after, after_below;

  PanelTiles(const DealtColumns& deal, int part, std::int64_t below)
      : strip(below / deal.strip()),
        first(std::max(deal.first(strip, part), below)),
        columns(std::max<std::int64_t>(deal.first(strip, part) + deal.width - first, 0)),
        local(strip * deal.width + deal.width - columns),
        after(tiles_from(deal, strip + 1)),
        after_below(tiles_below(deal, strip + 1)) {}
  // The first strip of columns that has tiles.
  std::int64_t from() const { return columns > 0 ? strip : strip + 1; }
};

// product := the sum of the slots of each row, in rows `below` ... n - 1. The slots of the row's strip come first, by strips of columns from `from` on
// in ascending order. If the row is a column of the member, the slots of this column follow.
template <class D>
__global__ void __launch_bounds__(256)
    add_slots_kernel(DealtColumns deal, int part, std::int64_t below, std::int64_t from, std::int64_t b,
                     const D* slots, const D* adjoint_slots, D* product, std::int64_t ld) {
  const std::int64_t row = below + static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (row >= deal.n) return;
  const std::int64_t height = deal.strip(), r = row / height, width = deal.width;
  D sum{};
  for (std::int64_t s = from; s <= r; ++s)
    sum += slots[((tiles_from(deal, s + 1) + r - s) * b + col) * height + row % height];
  if (r >= from && deal.part_of(row) == part)
    for (std::int64_t below_it = r + 1; below_it < deal.strips(); ++below_it)
      sum += adjoint_slots[((tiles_below(deal, r + 1) + below_it - r - 1) * b + col) * width + row % width];
  product[row + col * ld] = sum;
}

// V, W and tau of a panel from the member that factored it, whose memory this GPU can read.
template <class D>
struct FactoredPanel {
  const D *v, *w, *tau;
  std::int64_t ldv, ldw;
};
template <class D>
__global__ void __launch_bounds__(256) get_panel_kernel(std::int64_t rows, FactoredPanel<D> from, D* v,
                                                        std::int64_t ldv, D* w, std::int64_t ldw, D* tau) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (blockIdx.x == 0 && blockIdx.z == 0 && threadIdx.x == 0) tau[col] = from.tau[col];
  if (row >= rows) return;
  if (blockIdx.z == 0)
    v[row + col * ldv] = from.v[row + col * from.ldv];
  else
    w[row + col * ldw] = from.w[row + col * from.ldw];
}

template <class D>
struct PartialSums {
  const D* of[most_members];
  int members;
  std::int64_t ld;  // leading dimension
};

// z := the sum of all partial sums, in the order of the members.
template <class D>
__global__ void __launch_bounds__(256)
    add_sums_kernel(std::int64_t rows, PartialSums<D> sums, D* z, std::int64_t ldz) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (row >= rows) return;
  D sum = sums.of[0][row + col * sums.ld];
  for (int member = 1; member < sums.members; ++member) sum += sums.of[member][row + col * sums.ld];
  z[row + col * ldz] = sum;
}

}  // namespace eigen_g::to_band
