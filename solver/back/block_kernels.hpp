// The kernels of back_transform_on_cpu(), compiled for each vector width (hybrid/vector/width.hpp).
//
// A block is `width` successive reflectors, which are applied together as I - V T V^H. Only the last `order` rows of Z change. Reflector j
// begins in row j of these rows, so row i of the V of block b belongs to their row b * width + i. The reflectors that dsytrd leaves in an upper
// triangle are the reflectors of a lower one with the order of all rows and columns reversed.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/width.hpp"

namespace eigen_g {

// The reflectors, and the copies of V and T of all blocks that the kernels work on.
template <class T>
struct PackedReflectors {
  using R = real_t<T>;
  std::int64_t n, order;  // rows of Z; rows of Z that change, which is also the number of reflectors
  // Entry i > j of reflector j, counted from the first row that changes, is a[i * row_step + j * column_step], or its conjugate. Its factor is
  // tau[j * tau_step].
  const T *a, *tau;
  std::int64_t row_step, column_step, tau_step;
  bool conjugate;
  bool reversed;                // the rows of Z are counted from the last to the first
  bool adjoint;                 // for Q^H instead of Q
  int multiple, chunk;          // as in BlockKernels
  int width, blocks;            // reflectors of a block, a multiple of `multiple`; number of blocks
  R *across, *along, *factors;  // V by rows, V^H by rows, T or T^H

  EIGEN_G_INLINE std::int64_t padded_rows(std::int64_t block) const {
    return (order - block * width + multiple - 1) / multiple * multiple;
  }
  // Returns the number of values of V of all blocks before this one.
  EIGEN_G_INLINE std::int64_t offset(std::int64_t block) const {
    std::int64_t sum = 0;
    for (std::int64_t b = 0; b < block; ++b) sum += padded_rows(b) * width * planes<T>;
    return sum;
  }
};

// Values of a buffer for `columns` columns of Z: the rows that change, in chunks, and V^H Z and T V^H Z of a block.
template <class T>
EIGEN_G_INLINE std::int64_t buffer_values(const PackedReflectors<T>& q, int columns) {
  return ((q.order + q.chunk - 1) / q.chunk * q.chunk + 2 * q.width) * planes<T> * columns;
}
inline constexpr int columns_multiple = 8;  // the number of a buffer's columns is a multiple of this number

template <class T>
struct BlockKernels {
  using R = real_t<T>;
  int multiple;  // the rows of a packed block are padded with zeros to a multiple of this number
  int chunk;     // rows of Z that a buffer holds together, of all of its columns
  // Packs V of a block and computes its T. scratch: width * width values of T.
  void (*prepare)(const PackedReflectors<T>& reflectors, std::int64_t block, R* scratch);
  // Z := Q Z or Q^H Z for `columns` columns, in a buffer of buffer_values() for at least this number. apply_to_rows: the columns are the
  // adjoints of rows of z.
  void (*apply)(const PackedReflectors<T>& reflectors, T* z, std::int64_t ldz, int columns, R* buffer);
  void (*apply_to_rows)(const PackedReflectors<T>& reflectors, T* z, std::int64_t ldz, int rows, R* buffer);
};

EIGEN_G_BY_WIDTH(template <class T> BlockKernels<T> block_kernels(););

}  // namespace eigen_g
