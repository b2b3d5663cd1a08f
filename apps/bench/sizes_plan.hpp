// What the benchmarks against cuSOLVER are asked to do with their sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace eigen_g::apps::bench {

struct SizesPlan {
  std::vector<std::int64_t> sizes;
  int rounds = 7;  // wanted of each call
  double seconds =
      6;  // no further round of a size begins after so long; up to three are taken whatever they last
  // For large sizes: a round without a warm-up but of the first size, cuSOLVER in its non-deterministic mode only, and only
  // the checks that take little time.
  bool brief = false;
  std::function<void(std::int64_t n, double fraction)> progress;

  // As asked for, or the default (0).
  void take_rounds(int wanted) {
    if (wanted > 0)
      rounds = wanted;
    else if (brief)
      rounds = 1;
  }
};

}  // namespace eigen_g::apps::bench
