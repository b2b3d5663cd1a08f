// The private members of SymvWorkspace. CUDA builds only.
#pragma once

#include <map>

#include "blas2/symv/symv.hpp"
#include "hybrid/memory/memory.hpp"

namespace eigen_g::blas2 {

struct SymvWorkspace::Impl {
  int device = -1;  // -1: not bound to a GPU yet
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  SymvTable shipped;                           // the compiled-in table of this GPU; no rows if there is none
  std::map<const void*, int> resident_blocks;  // kernel -> blocks that fit on one multiprocessor
  DeviceBuffer<char> partials;
  DeviceBuffer<unsigned> arrived;  // 0 between products

  // Binds the workspace to the current GPU. If it is bound to another one, throws InvalidArgument.
  void bind();
  // The configuration from `table`, else from the compiled-in table, else the default. The workspace must be bound.
  SymvConfig choose(const SymvTable& table, SymvType type, Uplo uplo, std::int64_t n) const;
  // Allocates memory for `bytes` bytes of partial sums and `strips` counters. Waits for the GPU if the memory must grow.
  void grow(std::uint64_t bytes, std::int64_t strips);
};

}  // namespace eigen_g::blas2
