// multiply_tile(): one tile of a matrix product in registers, for the sources of kernels (width.hpp).
#pragma once

#include <complex>
#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/lanes.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

// The tile that a kernel holds in registers: `vectors` packets of rows by tile_columns columns.
template <class T>
inline constexpr int vectors = is_complex<T>        ? (vector_bytes == 16 ? 2 : 1)
                               : vector_bytes == 32 ? 3
                                                    : 2;
template <class T>
inline constexpr int tile_rows = vectors<T>* lanes<real_t<T>>;
// Rows of a packed block: a multiple of this number.
template <class T>
inline constexpr int rows_multiple = tile_rows<T> < 8 ? 8 : tile_rows<T>;
// The columns of a tile lie in one group of tile_rows rows of V.
static_assert(tile_rows<double> % tile_columns == 0 && tile_rows<std::complex<double>> % tile_columns == 0 &&
              tile_rows<float> % tile_columns == 0 && tile_rows<std::complex<float>> % tile_columns == 0);

// Columns of the widest tile. Twelve sums hide the latency of complex products with 16 registers; eight do not.
template <class T>
inline constexpr int wide_columns = is_complex<T>&& vector_bytes == 32 && registers == 16 ? 6 : tile_columns;

// An operand whose entry (k, j) is at p[k * inner + j * outer], with the imaginary part `plane` behind.
template <class T>
struct Operand {
  const real_t<T>* p;
  std::int64_t inner, outer, plane;
};

enum class Then { set, add, subtract };

// C := A B, C + A B or C - A B for one tile of C, in `depth` steps. `add` adds the sum of all steps to C, `subtract` subtracts step by step. C has its columns
// at c + j * ldc, imaginary parts `plane` behind. A is packed: [step][plane][tile_rows]. conjugate: conj(B) instead of B. v: vectors of the
// tile's rows that are computed, from a and c on.
template <class T, Then then, bool conjugate = false, int cols = tile_columns, int v = vectors<T>>
EIGEN_G_INLINE void multiply_tile(real_t<T>* c, std::int64_t ldc, std::int64_t plane, const real_t<T>* a,
                                  const Operand<T>& b, std::int64_t depth) {
  using R = real_t<T>;
  constexpr int l = lanes<R>, parts = planes<T>, rows = tile_rows<T>;
  Vector<R> total[parts][v][cols];
#pragma GCC unroll 2
  for (int p = 0; p < parts; ++p)
#pragma GCC unroll 8
    for (int j = 0; j < cols; ++j)
#pragma GCC unroll 4
      for (int i = 0; i < v; ++i) {
        if constexpr (then != Then::subtract)
          total[p][i][j] = Vector<R>{};
        else
          total[p][i][j] = load(c + p * plane + j * ldc + i * l);
      }
  const R* from = b.p;
  for (std::int64_t k = 0; k < depth; ++k, a += parts * rows, from += b.inner) {
    Vector<R> x[parts][v];
#pragma GCC unroll 2
    for (int p = 0; p < parts; ++p)
#pragma GCC unroll 4
      for (int i = 0; i < v; ++i) x[p][i] = load(a + p * rows + i * l);
#pragma GCC unroll 8
    for (int j = 0; j < cols; ++j) {
      const Vector<R> re = broadcast(from[j * b.outer]);
#pragma GCC unroll 4
      for (int i = 0; i < v; ++i) {
        if constexpr (then == Then::subtract)
          total[0][i][j] -= x[0][i] * re;
        else
          total[0][i][j] += x[0][i] * re;
      }
      if constexpr (is_complex<T>) {
        const Vector<R> im = broadcast(from[j * b.outer + b.plane]);
#pragma GCC unroll 4
        for (int i = 0; i < v; ++i) {
          if constexpr ((then == Then::subtract) != conjugate)
            total[0][i][j] += x[1][i] * im;
          else
            total[0][i][j] -= x[1][i] * im;
          if constexpr (then == Then::subtract)
            total[1][i][j] -= x[1][i] * re;
          else
            total[1][i][j] += x[1][i] * re;
          if constexpr ((then == Then::subtract) != conjugate)
            total[1][i][j] -= x[0][i] * im;
          else
            total[1][i][j] += x[0][i] * im;
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int p = 0; p < parts; ++p)
#pragma GCC unroll 8
    for (int j = 0; j < cols; ++j)
#pragma GCC unroll 4
      for (int i = 0; i < v; ++i) {
        R* const to = c + p * plane + j * ldc + i * l;
        if constexpr (then == Then::add)
          store(to, load(to) + total[p][i][j]);
        else
          store(to, total[p][i][j]);
      }
}

// Rows that a product sums at a time. The rounding errors of a sum of equal numbers grow with the number of its terms.
inline constexpr std::int64_t depth = 64;

// Rows i ... i + depth - 1 of a product of which a tile is summed part by part.
template <class T, bool conjugate = false, int cols = tile_columns>
EIGEN_G_INLINE void multiply_part(real_t<T>* c, std::int64_t ldc, std::int64_t plane, const real_t<T>* a,
                                  const Operand<T>& b, std::int64_t i, std::int64_t rows) {
  const std::int64_t steps = rows - i < depth ? rows - i : depth;
  if (i == 0)
    multiply_tile<T, Then::set, conjugate, cols>(c, ldc, plane, a, b, steps);
  else
    multiply_tile<T, Then::add, conjugate, cols>(c, ldc, plane, a, b, steps);
}

// Calls tile(j, width) for tiles of width() columns, from column j on, which together have `columns` columns, a multiple of tile_columns.
template <int count>
struct Width {
  constexpr int operator()() const { return count; }
};
template <class T, class Tile>
EIGEN_G_INLINE void for_tiles(int columns, const Tile& tile) {
  constexpr int wide = wide_columns<T>;
  for (int j = 0; j < columns;) {
    const int left = columns - j;
    if (wide == tile_columns || (left > tile_columns && left % wide != 2)) {
      tile(j, Width<wide>());
      j += wide;
    } else {
      tile(j, Width<tile_columns>());
      j += tile_columns;
    }
  }
}

}  // namespace eigen_g::EIGEN_G_WIDTH
