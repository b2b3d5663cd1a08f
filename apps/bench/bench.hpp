// The benchmarks of `eigen_g bench`: one row here, one file each.
#pragma once

#include "apps/command.hpp"

namespace eigen_g::apps::bench {

void add_bench_symv(CLI::App& bench, Action& action);
void add_bench_gemm(CLI::App& bench, Action& action);
void add_bench_gemm_accuracy(CLI::App& bench, Action& action);

struct Benchmark {
  const char* name;
  const char* what;
  void (*add)(CLI::App& bench, Action& action);
};
inline constexpr Benchmark benchmarks[] = {
    {"symv", "Symmetric matrix-vector product against cuBLAS: GB/s and GFLOP/s over n.", add_bench_symv},
    {"gemm", "Matrix products by every engine: TFLOP/s, error, double-float against SGEMM.", add_bench_gemm},
    {"gemm-accuracy", "A solve with every engine, in the paper's figures of accuracy.",
     add_bench_gemm_accuracy},
};

}  // namespace eigen_g::apps::bench
