// Kernels of full_to_band_on_team.cu, and the ranges of its products.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hybrid/stream/dynamic_shared.cuh"
#include "hybrid/team/split.hpp"
#include "hybrid/warp_sum.cuh"
#include "solver/reduction/two_stage/dealt_columns.hpp"
#include "solver/reduction/two_stage/few_reflectors.cuh"
#include "solver/reduction/two_stage/full_to_band_kernels.cuh"

namespace eigen_g::to_band {

inline constexpr int most_members = 8;

// The columns of a part in a strip, from column `column` of the matrix on.
inline ColumnRange own_columns(const DealtColumns& deal, int part, std::int64_t strip, std::int64_t column) {
  const std::int64_t first = deal.before(std::max(column, deal.first_row(strip)), part),
                     last = std::min((strip + 1) * deal.share(), deal.columns(part));
  return {first, std::max<std::int64_t>(last - first, 0)};
}
// Calls product(row, columns) for the products A(row:, columns) W(columns) of a part with the rows and columns from `below` on: one for each
// strip that has columns of the part. `columns` are local, `row` is the strip's first row or `below`. `row` ascends.
template <class Product>
void for_strips_of_columns(const DealtColumns& deal, int part, std::int64_t below, const Product& product) {
  for (std::int64_t s = below / deal.height; s < deal.strips(); ++s) {
    const ColumnRange own = own_columns(deal, part, s, below);
    if (own.count > 0) product(std::max(deal.first_row(s), below), own);
  }
}
// Calls product(row, rows, columns) for the products A(row: row + rows, columns)^H W(row: row + rows) of a part that is not packed, with the columns of
// the strips before: one for each strip of rows, if there are columns. `row` descends; so the first call has all columns that any call has.
template <class Product>
void for_strips_of_rows(const DealtColumns& deal, int part, std::int64_t below, const Product& product) {
  const std::int64_t first = deal.before(below, part);
  for (std::int64_t r = deal.strips() - 1; r > below / deal.height; --r) {
    const std::int64_t row = deal.first_row(r), columns = r * deal.share() - first;
    if (columns > 0) product(row, std::min(deal.height, deal.n - row), ColumnRange{first, columns});
  }
}

// Calls product(row, columns) for the products A(row:, columns)^H W(row:) of a packed part, with the columns of one strip from `below` on and the rows
// below the strip. Each call has other columns; together they have the columns that for_strips_of_rows() has.
template <class Product>
void for_strips_above(const DealtColumns& deal, int part, std::int64_t below, const Product& product) {
  for (std::int64_t s = below / deal.height; s + 1 < deal.strips(); ++s) {
    const ColumnRange own = own_columns(deal, part, s, below);
    if (own.count > 0) product(deal.first_row(s + 1), own);
  }
}

// own(l, :) := rows(global(part, l), :) for first <= l < first + count. `rows` begins with row 0 of the matrix, `own` with row `first` of the part.
// With pairs = b > 0 the two blocks of b columns of each pair are exchanged.
template <class D>
__global__ void __launch_bounds__(256)
    own_rows_kernel(DealtColumns deal, int part, std::int64_t first, std::int64_t count, std::int32_t pairs,
                    const D* rows, std::int64_t ldr, D* own, std::int64_t ldo) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, col = blockIdx.y;
  if (k >= count) return;
  const std::int64_t from = pairs == 0 ? col : full_to_band_kernels::exchanged(col, pairs);
  own[k + col * ldo] = rows[deal.global(part, first + k) + from * ldr];
}
// rows(global(part, l), :) += own(l, :) for first <= l < first + count, with the same places.
template <class D>
__global__ void __launch_bounds__(256)
    add_own_rows_kernel(DealtColumns deal, int part, std::int64_t first, std::int64_t count, const D* own,
                        std::int64_t ldo, D* rows, std::int64_t ldr) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, col = blockIdx.y;
  if (k < count) rows[deal.global(part, first + k) + col * ldr] += own[k + col * ldo];
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
    product_of_few_kernel(DealtPart<const D> a, std::int64_t below, int b, const D* tau, const D* w,
                          std::int64_t ldw, D* product, std::int64_t ld) {
  const DealtColumns& deal = a.deal;
  const int part = a.part;
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
    const D entry = a.column(l)[row];
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
      const D* const from = a.column(deal.local(column));
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
