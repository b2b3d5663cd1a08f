// Checks of the blocks of vectors that every sparse product takes.
#pragma once

#include <cstdint>
#include <string>

#include "hybrid/error.hpp"

namespace eigen_g::blas2 {

inline void require_block(int k) {
  if (k != 1 && k != 4) throw InvalidArgument("k", std::to_string(k) + " vectors; must be 1 or 4");
}

// For blocks in device memory: a row of 4 values is loaded and stored in words of 16 bytes.
inline void require_block(int k, const void* x, const void* y) {
  require_block(k);
  if (k == 1) return;
  if (reinterpret_cast<std::uintptr_t>(x) % 16 != 0)
    throw InvalidArgument("x", "must be 16-byte aligned for a block of 4 vectors");
  if (reinterpret_cast<std::uintptr_t>(y) % 16 != 0)
    throw InvalidArgument("y", "must be 16-byte aligned for a block of 4 vectors");
}

}  // namespace eigen_g::blas2
