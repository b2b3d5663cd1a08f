// What a SymvWorkspace holds. CUDA builds only.
#pragma once

#include <map>

#include "blas2/symv/symv.hpp"
#include "hybrid/memory/memory.hpp"

namespace eigen_g::blas2 {

struct SymvWorkspace::State {
  int device = -1;  // -1: nothing known yet
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  SymvTable shipped;  // the library's own for this GPU; without rows where it carries none
  std::map<const void*, int> resident_blocks;  // of a kernel, on one multiprocessor
  DeviceBuffer<char> partials;
  DeviceBuffer<unsigned> arrived;  // zero between products

  // The current GPU becomes the workspace's; another one later is an InvalidArgument.
  void bind();
  // Of a bound workspace: `table`, else the shipped one, else the default.
  SymvConfig choose(const SymvTable& table, SymvType type, Uplo uplo, std::int64_t n) const;
  // Room for `bytes` of partial sums and `strips` counters; waits for the GPU where it must grow.
  void grow(std::uint64_t bytes, std::int64_t strips);
};

}  // namespace eigen_g::blas2
