// What every sparse product asks of its blocks of vectors.
#pragma once

#include <cstdint>
#include <string>

#include "hybrid/error.hpp"

namespace eigen_g::blas2 {

inline void require_block(int k) {
  if (k != 1 && k != 4) throw InvalidArgument("k", std::to_string(k) + " vectors; 1 or 4 are required");
}

// Device blocks: rows of 4 travel in words of 16 bytes.
inline void require_block(int k, const void* x, const void* y) {
  require_block(k);
  if (k == 1) return;
  if (reinterpret_cast<std::uintptr_t>(x) % 16 != 0)
    throw InvalidArgument(Argument::x, "a block of 4 vectors is aligned to 16 bytes");
  if (reinterpret_cast<std::uintptr_t>(y) % 16 != 0)
    throw InvalidArgument(Argument::y, "a block of 4 vectors is aligned to 16 bytes");
}

}  // namespace eigen_g::blas2
