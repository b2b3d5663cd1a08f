// What a path takes of its device's memory.
#pragma once

#include <cstdint>

namespace eigen_g {

struct PathBytes {
  std::uint64_t kept = 0;     // from the reduction to the factor's last use
  std::uint64_t scratch = 0;  // in either, in between for others
  std::uint64_t back = 0,
                less_back =
                    0;  // of two stages' factor in place of `scratch`: what serves well, and what does
};

}  // namespace eigen_g
