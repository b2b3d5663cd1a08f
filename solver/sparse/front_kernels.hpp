// Kernels of the factorisation by fronts, compiled for each vector width (hybrid/vector/width.hpp). Sums have a fixed order.
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

namespace eigen_g {

// The rows of an eliminated front are in tiles of four. Tile t has the columns j < min(4 t, columns) of L as 4 values each, and, if
// 4 t < columns, a 4 x 4 tile on the diagonal, column by column, with zeros on and above the diagonal and beyond the last column.
//
//   subtract_columns   y[i] := y[i] - sum over p < count of l[i + p ld] w[p ldw],  0 <= i < rows
//   forward_tiles      W := L^-1 W for the rows of the front: W has 4 or 8 values a row, and begins with the columns of the front
//   backward_tiles     W := L^-T W, of which only the first `columns` rows change
EIGEN_G_BY_WIDTH(void subtract_columns(std::int64_t rows, std::int64_t count, const double* l,
                                       std::int64_t ld, const double* w, std::int64_t ldw, double* y);
                 void forward_tiles(std::int64_t columns, std::int64_t rows, std::int64_t blocks,
                                    const double* l, double* w);
                 void backward_tiles(std::int64_t columns, std::int64_t rows, std::int64_t blocks,
                                     const double* l, double* w););

}  // namespace eigen_g
