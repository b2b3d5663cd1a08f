// The measurements of `eigen_g bench tridiagonalize`.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/bench/tridiagonalize_report.hpp"

namespace eigen_g::apps::bench {

struct TridiagonalizePlan {
  std::vector<std::int64_t> sizes;
  int rounds = 7;  // wanted of each call
  double seconds =
      6;  // no further round of a size begins after so long; up to three are taken whatever they last
  std::int64_t check = 4000;  // Q is formed and checked for n up to this
  bool breakdown = false;
  // For large sizes: a round without a warm-up but of the first size, cuSOLVER in its non-deterministic mode only, and no
  // check but that the eigenvalues agree with cuSOLVER's.
  bool brief = false;
  std::function<void(std::int64_t n, double fraction)> progress;
};

// All sizes on the current GPU, one after the other, uniform random matrices; the calls of a size take turns. A size that
// does not fit the GPU's memory is a skipped case. Throws DeviceError where there is no GPU.
TridiagonalizeBench measure_tridiagonalize(const TridiagonalizePlan& plan);

}  // namespace eigen_g::apps::bench
