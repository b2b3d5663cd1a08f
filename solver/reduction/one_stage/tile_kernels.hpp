// The kernels of tridiagonalize_on_cpu(), compiled for each vector width (hybrid/vector/width.hpp), and the arrays that they work on.
//
// The lower triangle of A is stored in tiles of tile_order x tile_order entries. A member is one of the parts into which A is divided. The number
// of members does not depend on the threads (tridiagonalize.hpp). A member owns some tiles of the triangle. The tiles of a member in one column of
// tiles follow each other in memory: [eight columns][tile][group of rows][column of the eight][group]. A group is the numbers of a cache line
// (hybrid/vector/groups.hpp). A diagonal tile holds both triangles. Rows beyond n are zero.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/width.hpp"

namespace eigen_g {

inline constexpr int tile_order = 32, tile_columns_of_panel = 8;

// A member's tiles of one column of tiles.
struct TileColumn {
  int column;          // index of this column of tiles
  int count;           // number of the member's tiles in this column
  const int* rows;     // rows of tiles, ascending; the first is `column` if the member owns the diagonal tile
  const int* slots;    // places of the tiles' rows among the member's sums
  int slot_of_column;  // place of this column's rows among the member's sums
  std::int64_t offset;  // place of the first tile among the member's values
};

template <class R>
struct TileMember {
  const TileColumn* columns;  // ascending
  int column_count;
  const int* touched;  // rows of tiles for which the member has sums, ascending
  int touched_count;
  R *tiles, *sums;  // sums: tile_order numbers for each touched row of tiles
};

// The address of eight columns of a tile: columns 8 c8 ... 8 c8 + 7 begin at first + c8 * stride.
template <class R>
struct TilePlace {
  R* first;
  std::int64_t stride;
};

// The arguments of the step of one column, which all members read. Complex numbers are stored as pairs in `ds` and `rq`, and in groups in x, vw
// and the sums.
template <class T>
struct TileStep {
  using R = real_t<T>;
  std::int64_t n;
  int members, blocks, panel;  // blocks: rows of tiles; panel: columns of a panel
  int i, q;                    // column of the panel; the row of the reflector's unit
  R* x;                        // the column, then the next one
  R* vw;                       // [group of rows][v_0 w_0 v_1 w_1 ...][group]
  const int* source_begin;     // blocks + 1 values
  const R* const* sources;     // the members' sums of each row of tiles
  const TilePlace<R>* places;  // tile (r, c) is at r + c * blocks
  const R *ds, *rq;            // 2 i numbers each: the factors of v_k and w_k in A x and in column q
  R beta, half, s[2], tau_s[2], w_q[2];
  T* reflector;  // out: v at reflector + row * reflector_step, in rows q + 1 ... n - 1
  std::int64_t reflector_step;
  R* row_q;  // out: row q + 1 of v_k and w_k
};

template <class T>
struct TileKernels {
  using R = real_t<T>;
  // Packs the member's tiles from the lower triangle of A, or from the upper triangle with the order of rows and columns reversed.
  void (*pack)(const TileMember<R>& member, std::int64_t n, const T* a, std::int64_t lda, bool lower);
  // sums := A x, over the member's tiles from row and column q on. Returns the part of x^H A x. Backwards: from the last tile on.
  R (*multiply)(const TileMember<R>& member, std::int64_t n, int q, const R* x, bool backwards);
  // Forms v, w and the next column in the member's rows. dots := its parts of v_k^H x and w_k^H x for the next column x, then of the square of
  // x below its first row, and what the square lost by rounding.
  void (*form_rows)(const TileStep<T>& step, int member, R* dots);
  // A := A - V W^H - W V^H in the member's tiles from column `next` on.
  void (*update)(const TileMember<R>& member, std::int64_t n, int next, int panel, const R* vw);
};

EIGEN_G_BY_WIDTH(template <class T> TileKernels<T> tile_kernels(););

}  // namespace eigen_g
