// The benchmarks of the papers' experiments. They are parts of `eigen_g bench`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/bench/bench.hpp"

namespace eigen_g::apps::bench {

std::shared_ptr<Benchmark> spmv_benchmark();
std::shared_ptr<Benchmark> himeno_benchmark();
// Part of the benchmark `gemm`: --ladder.
std::shared_ptr<Benchmark> gemm_ladder_benchmark(const std::vector<std::int64_t>& sizes, int rounds);

}  // namespace eigen_g::apps::bench
