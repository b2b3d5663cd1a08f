// The kernels of full_to_band_on_threads(), compiled for each vector width (hybrid/vector/width.hpp), and the arrays that they work on.
//
// A strip is tile_rows successive rows, the rows of the tile that multiply_tile() keeps in registers (hybrid/vector/tile_product.hpp). The lower
// triangle of A is stored in tiles of order x order entries, where `order` is a multiple of a strip: [column of tiles][tile][plane][column][row].
// A diagonal tile holds both triangles. Rows beyond n are zero.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/width.hpp"

namespace eigen_g {

// Columns of a panel that are factored one by one, before the later columns of the panel are updated.
inline constexpr int band_step = 16;

// The arrays, and the panel at work: its b columns of A from column `column` on, and the rows from `first` = column + b on, in which its
// reflectors are.
template <class T>
struct BandPanel {
  using R = real_t<T>;
  std::int64_t n, blocks;  // order of A; rows of tiles
  int order, rows;         // a tile's order; rows in a strip
  int b, width;            // width: b rounded up to a multiple of BandTileKernels::multiple
  int groups;              // the groups of `rows` columns that the width needs
  std::int64_t column, first;

  R* tiles;
  R *left, *right;  // [strip][2 width columns][plane][row]: V then X, and X then V
  R* along;         // V: [group of columns][row][plane][column]
  R* w;             // A V, then X: [row][plane][column of `groups` groups]

  EIGEN_G_INLINE std::int64_t padded_rows() const { return blocks * order; }
  EIGEN_G_INLINE std::int64_t tile_values() const { return std::int64_t{order} * order * planes<T>; }
  EIGEN_G_INLINE std::int64_t strip_values() const { return std::int64_t{2} * width * planes<T> * rows; }
  EIGEN_G_INLINE std::int64_t along_values() const { return padded_rows() * groups * rows * planes<T>; }
  EIGEN_G_INLINE int row_of_w() const { return groups * rows; }  // values of one plane
  // Values of V^H [V X], see BandTileKernels::project.
  EIGEN_G_INLINE std::int64_t step_values() const { return std::int64_t{band_step} * planes<T> * width; }
  // Values of a square matrix, packed as [group of rows][column][plane][row] or as [plane][column][row of all groups].
  EIGEN_G_INLINE std::int64_t square_values() const {
    return std::int64_t{width} * groups * rows * planes<T>;
  }
  EIGEN_G_INLINE R* tile(std::int64_t i, std::int64_t j) const {
    return tiles + (j * blocks - j * (j - 1) / 2 + (i - j)) * tile_values();
  }
};

// One column of a panel's QR factorisation. Complex numbers are pairs.
template <class T>
struct BandColumn {
  using R = real_t<T>;
  int c, end;     // its number in the panel, and the end of the columns that are factored one by one
  bool starts;    // column c is done: only the dot products of column c + 1 are needed
  bool has_unit;  // false: H = I and v = 0
  R s[2];         // v = s x below the unit
  const R* f;     // column k > c becomes x_k - v f_k
  std::int64_t pivot, next;  // the row of the unit of this column and of the next one; -1: not among the rows
  R* row;                    // out: row `next` of columns c + 1 ... end - 1, from the strip that holds it
};

template <class T>
struct BandTileKernels {
  using R = real_t<T>;
  int order, rows, multiple;

  // Packs tile (i, j) of A, i >= j, from the lower triangle.
  void (*pack)(const BandPanel<T>& panel, std::int64_t i, std::int64_t j, const T* a, std::int64_t lda);
  // left := the columns of the panel, in strips begin ... end - 1; rows before `first` are zero.
  void (*take_panel)(const BandPanel<T>& panel, std::int64_t begin, std::int64_t end);
  // Forms v and subtracts v f_k from columns k = c + 1 ... end - 1, in strips begin ... end - 1 of left. Moves row `next` of these columns
  // away: afterwards it is zero. dots[k] := the part of x^H x_k of these strips, where x is column c + 1; pairs.
  void (*eliminate)(const BandPanel<T>& panel, const BandColumn<T>& column, std::int64_t begin,
                    std::int64_t end, R* dots);
  // dots := the part of V^H [V X] of these strips, where V has band_step columns from c on and X all later ones:
  // [column of V][plane][column of the panel].
  void (*project)(const BandPanel<T>& panel, int c, std::int64_t begin, std::int64_t end, R* dots);
  // f := the factors with which V f is subtracted from X by all reflectors of V; dots: V^H [V X].
  void (*form_factors)(const BandPanel<T>& panel, int c, const T* tau, const R* dots, R* f);
  // X := X - V f in these strips.
  void (*apply)(const BandPanel<T>& panel, int c, const R* f, std::int64_t begin, std::int64_t end);
  // Writes V to A below its units, to `along` and to the second half of `right`, for strips begin ... end - 1.
  void (*give_v)(const BandPanel<T>& panel, std::int64_t begin, std::int64_t end, T* a, std::int64_t lda);
  // W := A V in rows begin ... end - 1, which belong to one row of tiles and begin at a multiple of `multiple`.
  void (*multiply)(const BandPanel<T>& panel, std::int64_t begin, std::int64_t end);
  // sums := V^T conj(V), or V^T conj(W), over rows begin ... end - 1, for one tile: group g of rows and `multiple` columns from c on.
  // sums: [plane][column][row].
  void (*gram)(const BandPanel<T>& panel, bool with_w, int g, int c, std::int64_t begin, std::int64_t end,
               R* sums);
  // t := T of I - V T V^H, packed by groups; sums: V^T conj(V), upper triangle.
  void (*form_t)(const BandPanel<T>& panel, const R* sums, const T* tau, R* t);
  // G := S T in the columns from r on: g^T(:, r ...) = T^T S^T, packed by groups. sums: conj(S), both triangles.
  void (*multiply_by_t)(const BandPanel<T>& panel, const R* t, const R* sums, int r, R* g);
  // Z := 1/2 T^H G, packed by groups, `multiple` rows of Z from r on.
  void (*form_z)(const BandPanel<T>& panel, const R* t, const R* g, int r, R* z);
  // X := W T - V Z in strips begin ... end - 1, to left and right.
  void (*form_x)(const BandPanel<T>& panel, const R* t, const R* z, std::int64_t begin, std::int64_t end);
  // A := A - V X^H - X V^H in tile (i, j).
  void (*update)(const BandPanel<T>& panel, std::int64_t i, std::int64_t j);
};

EIGEN_G_BY_WIDTH(template <class T> BandTileKernels<T> band_tile_kernels(););

}  // namespace eigen_g
