// The reflectors of a tridiagonalization in blocks, and what their products cost. Pure: needs no GPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "solver/devices/shares.hpp"

namespace eigen_g {

// The n - 1 reflectors of a tridiagonalization cut into blocks of `width`, the last one with what is left.
struct ReflectorBlocks {
  std::int64_t n, width;

  std::int64_t count() const { return n > 1 ? (n - 2) / width + 1 : 0; }
  std::int64_t first(std::int64_t block) const { return block * width; }
  std::int64_t columns(std::int64_t block) const { return std::min(width, n - 1 - first(block)); }
  // V begins at row first(block), which is zero in all of its columns: so it is as well aligned as the matrix.
  std::int64_t rows(std::int64_t block) const { return n - first(block); }
  std::int64_t elements() const { return count() * width * width; }  // of all T, or of all S
};

// n - 1 reflectors in blocks of `width` on m columns; bytes of an element.
ColumnProducts back_transform_products(std::int64_t n, std::int64_t width, std::int64_t m,
                                       double element = sizeof(double));

}  // namespace eigen_g
