// Operand: owns the device memory of a matrix converted for products by 8-bit integers or floats. CUDA builds only.
#pragma once

#include <cstdint>

#include "gemm_df/engines/ozaki/operand_view.hpp"
#include "hybrid/memory/memory.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::ozaki {

// The memory grows when necessary and is kept for the next conversion. It has planes_of(moduli) bytes for each entry, rounded up to whole tiles.
// A converted matrix may be on either side of any number of products. Move-only.
class Operand {
 public:
  // Converts `pieces` (device memory, at least one line and one term, at most max_terms padded terms on a side), ordered on `queue`.
  // Blocks only if the memory must grow; then all work that uses the old memory must have ended.
  // Cost: 16 + planes_of(moduli) bytes for each entry. Throws OutOfMemory, DeviceError.
  void convert(const Queue& queue, int moduli, const Pieces& pieces);
  // Allocates the memory for convert(). Afterwards conversions of operands of at most this size do not block.
  void reserve(const Queue& queue, int moduli, const Pieces& pieces);
  void release();  // frees the memory
  const OperandView& view() const { return view_; }
  std::uint64_t bytes() const { return residues_.bytes() + parts_.bytes() + bases_.bytes(); }
  // Bytes of the residues.
  static std::uint64_t bytes_for(int moduli, const Pieces& pieces) {
    return static_cast<std::uint64_t>(planes_of(moduli) * pieces.padded_lines() * pieces.stride());
  }

 private:
  DeviceBuffer<std::int8_t> residues_;
  DeviceBuffer<Squares> parts_;
  DeviceBuffer<int> bases_;
  OperandView view_;
};

}  // namespace eigen_g::ozaki
