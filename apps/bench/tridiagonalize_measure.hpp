// The measurements of `eigen_g bench tridiagonalize`.
#pragma once

#include <cstdint>

#include "apps/bench/sizes_plan.hpp"
#include "apps/bench/tridiagonalize_report.hpp"

namespace eigen_g::apps::bench {

// Brief: no check but that the eigenvalues agree with cuSOLVER's.
struct TridiagonalizePlan : SizesPlan {
  std::int64_t check = 4000;  // Q is formed and checked for n up to this
  bool breakdown = false;
};

// All sizes on the current GPU, one after the other, uniform random matrices; the calls of a size take turns. A size that
// does not fit the GPU's memory is a skipped case. Throws DeviceError where there is no GPU.
TridiagonalizeBench measure_tridiagonalize(const TridiagonalizePlan& plan);

}  // namespace eigen_g::apps::bench
