// Smaller sizes under compute-sanitizer, which makes kernels 10 to 1000 times slower. scripts/gpu_check.sh --sanitize sets
// EIGEN_G_SANITIZED.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace support {

inline bool sanitized() {
  return std::getenv("EIGEN_G_SANITIZED") != nullptr;
}

inline std::vector<std::int64_t> sizes(const std::vector<std::int64_t>& usual,
                                       const std::vector<std::int64_t>& under_a_sanitizer) {
  return sanitized() ? under_a_sanitizer : usual;
}

}  // namespace support
