// The measurements of `eigen_g bench gemm`.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/bench/gemm_report.hpp"

namespace eigen_g::apps::bench {

struct GemmBenchPlan {
  std::vector<GemmCase> cases;  // op, m, n, k
  int rounds = 7;
  std::function<void(double fraction)> progress;
};

// Square products of these orders, NN and TN; of the largest also the solver's shapes: few terms (64, 128, 256), tall,
// and rank-2k updates.
std::vector<GemmCase> gemm_cases(const std::vector<std::int64_t>& sizes);

// All cases on the current GPU; a case's contenders take turns, and each engine's result is judged. Throws DeviceError
// where there is no GPU or a call fails outside a contender.
GemmBench measure_gemm(const GemmBenchPlan& plan);

}  // namespace eigen_g::apps::bench
