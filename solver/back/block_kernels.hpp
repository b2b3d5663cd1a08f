// The kernels of back_transform_on_cpu(), compiled for each vector width (hybrid/vector/width.hpp).
//
// A block is `width` successive reflectors, which are applied together as I - V T V^H. Row i of the V of block b belongs to row
// b * width + 1 + i of Z. The reflectors of an upper triangle are the reflectors of a lower one with the order of all rows and columns reversed.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/width.hpp"

namespace eigen_g {

// The reflectors of dsytrd, and the copies of V and T of all blocks that the kernels work on.
template <class T>
struct PackedReflectors {
  using R = real_t<T>;
  bool lower, adjoint;  // adjoint: for Q^H instead of Q
  std::int64_t n, lda;
  const T *a, *tau;             // the layout of dsytrd
  int multiple;                 // BlockKernels::multiple
  int width, blocks;            // reflectors of a block, a multiple of `multiple`; number of blocks
  R *across, *along, *factors;  // V by rows, V^H by rows, T or T^H

  EIGEN_G_INLINE std::int64_t rows(std::int64_t block) const { return n - 1 - block * width; }
  EIGEN_G_INLINE std::int64_t padded_rows(std::int64_t block) const {
    return (rows(block) + multiple - 1) / multiple * multiple;
  }
  // Returns the number of values of V of all blocks before this one.
  EIGEN_G_INLINE std::int64_t offset(std::int64_t block) const {
    std::int64_t sum = 0;
    for (std::int64_t b = 0; b < block; ++b) sum += padded_rows(b) * width * planes<T>;
    return sum;
  }
};

// Sizes of a buffer for `columns` columns of Z: buffer_stride() values for one plane of a column (the real or the imaginary parts), and
// buffer_values() in all.
template <class T>
EIGEN_G_INLINE std::int64_t buffer_stride(std::int64_t n) {
  return (n + 64 + 63) / 64 * 64 + 8;
}
template <class T>
EIGEN_G_INLINE std::int64_t buffer_values(std::int64_t n, int width, int columns) {
  return (buffer_stride<T>(n) + 2 * width) * planes<T> * columns;
}
inline constexpr int columns_multiple = 8;  // the number of a buffer's columns is a multiple of this number

template <class T>
struct BlockKernels {
  using R = real_t<T>;
  int multiple;  // the rows of a packed block are padded with zeros to a multiple of this number
  // Packs V of a block and computes its T. scratch: width * width values of T.
  void (*prepare)(const PackedReflectors<T>& reflectors, std::int64_t block, R* scratch);
  // Z := Q Z or Q^H Z for `columns` columns, in a buffer of buffer_values() for at least this number. apply_to_rows: the columns are the
  // adjoints of rows of z.
  void (*apply)(const PackedReflectors<T>& reflectors, T* z, std::int64_t ldz, int columns, R* buffer);
  void (*apply_to_rows)(const PackedReflectors<T>& reflectors, T* z, std::int64_t ldz, int rows, R* buffer);
};

EIGEN_G_BY_WIDTH(template <class T> BlockKernels<T> block_kernels(););

}  // namespace eigen_g
