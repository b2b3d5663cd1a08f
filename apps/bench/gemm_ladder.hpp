// bench gemm --ladder: paper 5's products, step by step, beside cuBLAS. CUDA builds only.
#pragma once

#include "apps/bench/bench.hpp"

namespace eigen_g::apps::bench {

// B := A A of the paper's operand, float and double: naive, tiles of 16 and 32 in shared memory, cuBLAS. check() puts each
// call's `error`: |sum of B - checksum| / (u sqrt(n + 2) checksum).
std::vector<CasePlan> ladder_cases(const Session& session, const std::vector<std::int64_t>& sizes,
                                   int rounds);
std::vector<Limit> ladder_limits();
Table ladder_table();

}  // namespace eigen_g::apps::bench
