// ReflectorBlocks: the reflectors of a reduction in blocks, and the cost of their products. Needs no GPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "solver/devices/shares.hpp"

namespace eigen_g {

// The n - 1 reflectors of a reduction to tridiagonal form in blocks of `width`; the last block has the rest.
struct ReflectorBlocks {
  std::int64_t n, width;

  std::int64_t count() const { return n > 1 ? (n - 2) / width + 1 : 0; }
  std::int64_t first(std::int64_t block) const { return block * width; }
  std::int64_t columns(std::int64_t block) const { return std::min(width, n - 1 - first(block)); }
  // V of a block begins at row first(block), although this row is zero in all its columns. It is then aligned like the matrix.
  std::int64_t rows(std::int64_t block) const { return n - first(block); }
  std::int64_t elements() const { return count() * width * width; }  // elements of all T, or of all S = V^T V
};

// The products that apply n - 1 reflectors in blocks of `width` to m columns. element: bytes of an element.
ColumnProducts back_transform_products(std::int64_t n, std::int64_t width, std::int64_t m,
                                       double element = sizeof(double));

}  // namespace eigen_g
