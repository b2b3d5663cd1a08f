// The kernels of back_transform_chase_on_cpu(), compiled for each vector width (hybrid/vector/width.hpp).
//
// A block is the reflectors of `width` successive sweeps at one step of the chase, applied together as I - V T V^H = I - W V^H with W = V T. Its rows
// begin at the first row of its first reflector. V is a parallelogram: column k has rows k ... k + b - 1, and column k of W has rows 0 ... k + b - 1.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"
#include "hybrid/vector/groups.hpp"
#include "hybrid/vector/width.hpp"

namespace eigen_g {

// The most columns of a block, for any type and vector width, and the most rows with the zeros behind them.
inline constexpr int max_chase_columns = 32, max_chase_rows = 192;

// A reflector in the chase's layout; rows = 0: there is none.
template <class T>
struct ChaseVector {
  const T* v;
  std::int64_t rows;
  real_t<T> tau[2];
};

// A block as operands of products. `along`: V^H, [tile of reflectors][row][plane][reflector]. `across`: W, [tile of rows][reflector][plane][row].
template <class T>
struct ChaseBlock {
  using R = real_t<T>;
  int b, rows;        // rows: b + width - 1 and zeros, ChaseBackKernels::rows(b)
  R *along, *across;  // across follows along, and the next block follows across
};

template <class T>
struct ChaseBackKernels {
  using R = real_t<T>;
  int width;     // reflectors of a block, at most max_chase_columns
  int multiple;  // the rows of a block are a multiple of this number
  // Packs the block of `width` reflectors.
  void (*pack)(const ChaseBlock<T>& block, const ChaseVector<T>* reflectors);
  // Z := (I - W V^H) Z for `columns` columns, a multiple of chase_columns_multiple. Z begins at the block's first row and has block.rows rows. Its
  // columns are ld apart, its imaginary parts are `plane` behind the real parts.
  void (*apply)(const ChaseBlock<T>& block, R* z, std::int64_t ld, std::int64_t plane, int columns);

  std::int64_t rows(std::int64_t b) const { return (b + width - 1 + multiple - 1) / multiple * multiple; }
  // Values of `along`, and of `across`.
  std::int64_t values(std::int64_t b) const { return rows(b) * width * planes<T>; }
};
inline constexpr int chase_columns_multiple = 8;

EIGEN_G_BY_WIDTH(template <class T> ChaseBackKernels<T> chase_back_kernels(););

}  // namespace eigen_g
