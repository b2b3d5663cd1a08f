// What a path takes of its device's memory.
#pragma once

#include <cstdint>

namespace eigen_g {

struct PathBytes {
  std::uint64_t kept = 0;     // from the reduction to the factor's last use
  std::uint64_t scratch = 0;  // in either, in between for others
};

}  // namespace eigen_g
