// The benchmarks of `eigen_g bench`: one row here, one file each.
#pragma once

#include <string>

#include "apps/cli/command.hpp"

namespace eigen_g::apps::bench {

void add_bench_symv(CLI::App& bench, Action& action);
void add_bench_tridiagonalize(CLI::App& bench, Action& action);
void add_bench_solve(CLI::App& bench, Action& action);
void add_bench_gemm(CLI::App& bench, Action& action);
void add_bench_gemm_accuracy(CLI::App& bench, Action& action);
void add_bench_hybrid(CLI::App& bench, Action& action);

struct Benchmark {
  const char* name;
  const char* what;
  void (*add)(CLI::App& bench, Action& action);
};
inline constexpr Benchmark benchmarks[] = {
    {"symv", "Symmetric matrix-vector product against cuBLAS: GB/s and GFLOP/s over n.", add_bench_symv},
    {"tridiagonalize", "Reduction to tridiagonal form against cuSOLVER's sytrd: seconds and GB/s over n.",
     add_bench_tridiagonalize},
    {"solve", "Whole solves against cuSOLVER's Xsyevd: seconds by stage, and verification, over n.",
     add_bench_solve},
    {"gemm", "Matrix products by every engine: TFLOP/s, error, double-float against SGEMM.", add_bench_gemm},
    {"gemm-accuracy", "A solve with every engine, in the paper's figures of accuracy.",
     add_bench_gemm_accuracy},
    {"hybrid",
     "Large products cut over GPUs and CPU: seconds over the ratio, and the automatic one against the best.",
     add_bench_hybrid},
};

// Of the table; `name` must be in it.
inline std::string description_of(const std::string& name) {
  for (const Benchmark& b : benchmarks)
    if (name == b.name) return b.what;
  return "";
}

}  // namespace eigen_g::apps::bench
