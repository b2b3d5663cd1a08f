// Operand: a matrix converted for the double-float product. It is a set of lines, the vectors of the inner products. Lines are
// rows of op(A) on the left of a product, or columns of op(B) on its right. A converted matrix may be on either side of any
// number of products.
//
//   line i = 2^exponent(i) (hi + lo),    |hi| < 2^46
//
// The exponent comes from the line's largest entry, so float's range of exponents does not matter. Entries below 2^-146 of the
// largest one of their line lose bits, and entries below 2^-196 are lost. A NaN or an infinity in a line makes every result of
// the line a NaN.
//
// Layout: a panel has `panel_lines` lines and is a row of records; a record holds a block of `block_length` terms of each line.
// Incomplete panels and blocks are filled with zeros. CUDA builds only.
#pragma once

#include <cstdint>

#include "gemm_df/engines/double_float/double_float.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/memory.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::df {

inline constexpr int panel_lines = 64;

struct Record {
  float hi[block_length][panel_lines];
  float lo[block_length][panel_lines];
};

// Number of blocks for which a panel has one reach, the bound of its longest line in these blocks (reach_of()).
inline constexpr int reach_blocks = 8;

enum class Lines { rows, columns };

constexpr std::int64_t reaches_of(std::int64_t blocks) {
  return (blocks + reach_blocks - 1) / reach_blocks;
}

// The arrays of an Operand, for kernels.
struct OperandView {
  const Record* records = nullptr;  // record (panel, block) is at index panel * blocks + block
  // Reach r of a panel, at index panel * reaches_of(blocks) + r, is that of the blocks from reach_blocks * r on.
  const float* reaches = nullptr;
  const int* exponents = nullptr;  // one for each line, including lines of zeros
  std::int64_t lines = 0;
  std::int64_t terms = 0;   // terms in a line
  std::int64_t blocks = 0;  // records in a panel
};

// Owns the device memory of a converted matrix. The memory grows when necessary and is kept for the next conversion. It has 8
// bytes for each entry of the matrix, rounded up to whole panels and blocks. Move-only.
class Operand {
 public:
  // Converts `source_dev` (device memory), ordered on `queue`. Blocks only if the memory must grow; then all work that uses the
  // old memory must have ended. Cost: 24 bytes for each entry. Throws OutOfMemory, DeviceError.
  void convert(const Queue& queue, Lines lines, MatrixView<const double> source_dev);
  OperandView view() const { return view_; }
  std::uint64_t bytes() const { return records_.bytes() + reaches_.bytes() + exponents_.bytes(); }

 private:
  DeviceBuffer<Record> records_;
  DeviceBuffer<float> reaches_;
  DeviceBuffer<int> exponents_;
  OperandView view_;
};

}  // namespace eigen_g::df
