// The measurements of `eigen_g bench solve`.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/bench/solve_report.hpp"

namespace eigen_g::apps::bench {

struct SolvePlan {
  std::vector<std::int64_t> sizes;
  int rounds = 7;  // wanted of each call
  double seconds =
      6;  // no further round of a size begins after so long; up to three are taken whatever they last
  // For large sizes: all vectors on device pointers only, a round without a warm-up but of the first size, cuSOLVER in its
  // non-deterministic mode only; its results are not checked, and a single round is not compared with another one.
  bool brief = false;
  std::function<void(std::int64_t n, double fraction)> progress;
};

// All sizes on the current GPU, one after the other, uniform random matrices; the calls of a size take turns. A size that
// does not fit the GPU's memory is a skipped case; a cuSOLVER call whose workspace does not fit is a failed call. Throws
// DeviceError where there is no GPU.
SolveBench measure_solve(const SolvePlan& plan);

}  // namespace eigen_g::apps::bench
