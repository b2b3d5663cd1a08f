// Kernels of full_to_band_on_team.cu, and the numbers of the tiles that they work on.
//
// In double the products with A are batches. A tile is a strip's rows of the member's columns of a strip; tile (r, s) has the rows of strip r >= s and
// the columns of strip s. Each tile serves for a product as it is, and below the diagonal for one with its adjoint. Each product has a slot for its
// result: b columns of `height` rows, or of share() rows. A kernel adds the slots of a row in a fixed order.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"
#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/warp_sum.cuh"
#include "solver/reduction/two_stage/dealt_columns.hpp"
#include "solver/reduction/two_stage/few_reflectors.cuh"

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
//   strip                the strip of `below`, of which the member has `columns` columns from local column `local` on, or none
//   after, after_below   number of tiles in later strips of columns, all of them and below the diagonal. Their columns are whole
struct PanelTiles {
  std::int64_t strip, local, columns, after, after_below;

  PanelTiles(const DealtColumns& deal, int part, std::int64_t below)
      : strip(below / deal.height),
        local(deal.before(below, part)),
        columns((strip + 1) * deal.share() - local),
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
  const std::int64_t height = deal.height, r = row / height, share = deal.share();
  D sum{};
  for (std::int64_t s = from; s <= r; ++s)
    sum += slots[((tiles_from(deal, s + 1) + r - s) * b + col) * height + row % height];
  if (r >= from && deal.part_of(row) == part)
    for (std::int64_t below_it = r + 1; below_it < deal.strips(); ++below_it)
      sum += adjoint_slots[((tiles_below(deal, r + 1) + below_it - r - 1) * b + col) * share +
                           deal.local(row) % share];
  product[row + col * ld] = sum;
}

// Computes the member's part of A W, in rows `below` ... n - 1, again for a panel with few reflectors, in the columns of the reflectors, by accurate
// sums (adjoint_product_of_few.hpp). A block has 32 rows. Its warps have every eighth column of the member that is stored in these rows, and
// then the columns that these rows are in the upper triangle.
//   a, w      the member's part, and W with the rows of the matrix
//   product   row 0 is row `below`
constexpr int rows_of_few = 32, warps_of_few = 8;
template <class D>
constexpr int shared_of_few = (warps_of_few + 1) * rows_of_few* few_reflectors* static_cast<int>(sizeof(D));
template <class D>
__global__ void __launch_bounds__(rows_of_few* warps_of_few)
    product_of_few_kernel(DealtColumns deal, int part, std::int64_t below, int b, const D* a,
                          std::int64_t lda, const D* tau, const D* w, std::int64_t ldw, D* product,
                          std::int64_t ld) {
  const FewReflectors panel(tau, b);
  if (panel.count == 0) return;
  const int lane = threadIdx.x % rows_of_few, warp = threadIdx.x / rows_of_few;
  const std::int64_t block_row = below + static_cast<std::int64_t>(blockIdx.x) * rows_of_few,
                     row = block_row + lane;
  D* const shared = DynamicShared<D>::memory();
  const auto at = [&](int of_warp, int of_row, int k) -> D& {
    return shared[(of_warp * few_reflectors + k) * rows_of_few + of_row];
  };
  AccurateSum<D> sum[few_reflectors];
  const std::int64_t of_strips = (row / deal.height + 1) * deal.share(), all = deal.columns(part),
                     last = row >= deal.n     ? 0
                            : of_strips < all ? of_strips
                                              : all;
  for (std::int64_t l = deal.before(below, part) + warp; l < last; l += warps_of_few) {
    const D entry = a[row + l * lda];
    const std::int64_t column = deal.global(part, l);
#pragma unroll
    for (int k = 0; k < few_reflectors; ++k)
      if (k < panel.count) sum[k].add(entry, w[column + panel.column[k] * ldw]);
  }
#pragma unroll
  for (int k = 0; k < few_reflectors; ++k) at(warp, lane, k) = sum[k].value();
  for (int i = warp; i < rows_of_few; i += warps_of_few) {
    const std::int64_t column = block_row + i;
    const bool own = column < deal.n && deal.part_of(column) == part;
    AccurateSum<D> of_column[few_reflectors];
    if (own) {
      const D* const from = a + deal.local(column) * lda;
      for (std::int64_t r = (column / deal.height + 1) * deal.height + lane; r < deal.n; r += rows_of_few) {
        const D entry = conj_of(from[r]);
#pragma unroll
        for (int k = 0; k < few_reflectors; ++k)
          if (k < panel.count) of_column[k].add(entry, w[r + panel.column[k] * ldw]);
      }
    }
#pragma unroll
    for (int k = 0; k < few_reflectors; ++k) {
      const D value = warp_sum(of_column[k].value());
      if (lane == 0) at(warps_of_few, i, k) = value;
    }
  }
  __syncthreads();
  if (warp > 0 || row >= deal.n) return;
#pragma unroll
  for (int k = 0; k < few_reflectors; ++k) {
    if (k >= panel.count) break;
    D total = at(0, lane, k);
    for (int of_warp = 1; of_warp <= warps_of_few; ++of_warp) total += at(of_warp, lane, k);
    product[row - below + panel.column[k] * ld] = total;
  }
}

// Copies of V, or of W and tau, of a panel from the member that factored it, whose memory this GPU can read.
template <class D>
__global__ void __launch_bounds__(256)
    get_panel_kernel(std::int64_t rows, const D* from, std::int64_t ld_from, D* to, std::int64_t ld_to,
                     const D* from_tau, D* tau) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (tau && blockIdx.x == 0 && threadIdx.x == 0) tau[col] = from_tau[col];
  if (row < rows) to[row + col * ld_to] = from[row + col * ld_from];
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
