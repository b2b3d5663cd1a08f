// The measurements of `eigen_g bench solve`.
#pragma once

#include "apps/bench/sizes_plan.hpp"
#include "apps/bench/solve_report.hpp"

namespace eigen_g::apps::bench {

// Brief: all vectors on device pointers only; cuSOLVER's results are not checked, and a single round is not compared with
// another one.
using SolvePlan = SizesPlan;

// All sizes on the current GPU, one after the other, uniform random matrices; the calls of a size take turns. A size that
// does not fit the GPU's memory is a skipped case; a cuSOLVER call whose workspace does not fit is a failed call. Throws
// DeviceError where there is no GPU.
SolveBench measure_solve(const SolvePlan& plan);

}  // namespace eigen_g::apps::bench
