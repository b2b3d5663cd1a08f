// Basis: an orthonormal basis V that grows by one block of four vectors at a time. A new block W gets two passes of classical Gram-Schmidt
// against V, as matrix products. In each pass the Cholesky factor R of W^T W makes the block's own columns orthonormal:
//
//   W := W - V (V^T W),  W := W R_1^-1,  W := W - V (V^T W),  W := W R_2^-1
//
// The first pass leaves errors that grow with the condition numbers of W and V. The second pass removes them. A pivot of R_2 far below 1
// therefore means that its column was rounding error: the column was a combination of V and the other columns of W. A random column
// replaces it. Sources: Stewart (2008), block Gram-Schmidt twice; CholeskyQR2: Yamamoto et al. (2015).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

// Number of values of a basis in addition to its blocks.
constexpr std::int64_t basis_small_values(std::int64_t max_blocks) {
  return (4 + 2 * max_blocks) * block_width * block_width;
}

template <class T>
class Basis {
 public:
  // Allocates memory for `max_blocks` blocks. Throws OutOfMemory.
  Basis(Executor<T>& on, std::int64_t max_blocks);

  std::int64_t blocks() const { return blocks_; }
  std::int64_t max_blocks() const { return max_blocks_; }
  T* block(std::int64_t p) const { return memory_ + p * block_values_; }

  // The result of append(): W = V C + Q R. W is the new block before the call and Q the new block after the call. V are the older blocks.
  struct Coefficients {
    std::vector<T> c;     // row-major, 4 columns
    std::array<T, 16> r;  // row-major; 0 in the row of a replaced column
  };
  // Makes the block at block(blocks()) orthonormal to all blocks before it, and increases blocks() by 1. The basis may have at most 2 n / 3
  // columns. Throws InvalidArgument (a) if a value is NaN or infinite.
  const Coefficients& append();
  void append_random();
  // Keeps the first `blocks` blocks. The caller has made them orthonormal.
  void resize(std::int64_t blocks) { blocks_ = blocks; }
  std::int64_t random_columns() const { return random_columns_; }  // dependent columns replaced so far

 private:
  unsigned orthonormalise();  // returns the bits of the dependent columns

  Executor<T>& on_;
  std::int64_t block_values_, max_blocks_, blocks_ = 0;
  T* memory_;
  T* small_;             // R_1, R_2, V^T W of both passes, G, R^-1
  std::vector<T> host_;  // copy of the first part of small_
  Coefficients coefficients_;
  std::uint64_t seed_ = 0;
  std::int64_t random_columns_ = 0;
};

}  // namespace eigen_g
