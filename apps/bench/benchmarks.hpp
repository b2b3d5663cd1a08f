// The benchmarks of this folder. apps/papers/benchmarks.hpp has the benchmarks of the papers, apps/cli/benchmarks.cpp the list of all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "apps/bench/bench.hpp"

namespace eigen_g::apps::bench {

// Makes the benchmark that `bench gemm --ladder` runs instead of its own cases.
using MakeLadder =
    std::function<std::shared_ptr<Benchmark>(const std::vector<std::int64_t>& sizes, int rounds)>;

std::shared_ptr<Benchmark> symv_benchmark();
std::shared_ptr<Benchmark> tridiagonalize_benchmark();
std::shared_ptr<Benchmark> solve_benchmark();
std::shared_ptr<Benchmark> gemm_benchmark(MakeLadder make_ladder);
std::shared_ptr<Benchmark> gemm_accuracy_benchmark();
std::shared_ptr<Benchmark> devices_benchmark();
std::shared_ptr<Benchmark> generalised_benchmark();
std::shared_ptr<Benchmark> batched_benchmark();

}  // namespace eigen_g::apps::bench
