// A matrix converted for the double-float product: a set of lines, the vectors that inner products are made of.
// Lines are rows of op(A) on the left of a product and columns of op(B) on its right; a converted matrix may stand
// on either side, and as often as wanted.
//
//   line i = 2^exponent(i) (hi + lo),    |hi| < 2^46,
//
// with the exponent read off the line's largest entry, so that float's exponent range does not show. Entries below
// 2^-146 of the largest one of their line lose bits, those below 2^-196 are lost. A NaN or an infinity makes every
// result of its line a NaN.
//
// Layout: panels of `panel_lines` lines; a panel is a row of records, one a block of `block_length` terms; ragged
// edges are filled with zeros. CUDA builds only.
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

// Blocks that share a reach: that of the panel's longest line in them.
inline constexpr int reach_blocks = 8;

enum class Lines { rows, columns };

constexpr std::int64_t reaches_of(std::int64_t blocks) {
  return (blocks + reach_blocks - 1) / reach_blocks;
}

// What a kernel sees of it.
struct OperandView {
  const Record* records = nullptr;  // record (panel, block) at panel * blocks + block
  const float* reaches =
      nullptr;  // reach (panel, r), of blocks from reach_blocks r, at panel * reaches_of(blocks) + r
  const int* exponents = nullptr;  // of every line, the filled-up ones included
  std::int64_t lines = 0;
  std::int64_t terms = 0;   // of a line
  std::int64_t blocks = 0;  // records of a panel
};

// Owns device memory, which grows as needed and is kept for the next conversion: 8 bytes an entry of the matrix
// filled up to whole panels and blocks. Move-only.
class Operand {
 public:
  // From `source_dev` (device memory), ordered on `queue`. Takes device memory, and so blocks, only where it must
  // grow; what was queued on an old buffer must be over by then. Cost: 24 bytes an entry. Throws OutOfMemory,
  // DeviceError.
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
