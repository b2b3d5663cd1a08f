// The kernel of gemm_on_threads() (cpu_gemm.hpp), compiled for each vector width (hybrid/vector/width.hpp).
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

namespace eigen_g {

// C := alpha A B + beta C for one block of C. Entry (i, k) of A is at a[i * a_row + k * a_inner], entry (k, j) of B at b[k * b_inner + j * b_column].
// C has its columns `ldc` values apart. C is not read if beta = 0. `rows` is at most ProductKernel::most_rows.
template <class R>
struct BlockProduct {
  std::int64_t rows, columns, inner;
  R alpha;
  const R* a;
  std::int64_t a_row, a_inner;
  const R* b;
  std::int64_t b_inner, b_column;
  R beta;
  R* c;
  std::int64_t ldc;
};

// Each entry is summed in one order for all sizes of blocks: in parts of 256 terms, one term after another, and a part is added to the
// sum of the parts before. So the bits of a product do not depend on how it is cut into blocks.
template <class R>
struct ProductKernel {
  int most_rows, tile_rows, tile_columns;  // a block of these multiples has no unused lanes
  void (*multiply)(const BlockProduct<R>& block);
};

EIGEN_G_BY_WIDTH(template <class R> ProductKernel<R> product_kernel(););

}  // namespace eigen_g
