#include "apps/cli/benchmarks.hpp"

#include "apps/bench/benchmarks.hpp"
#include "apps/papers/benchmarks.hpp"

namespace eigen_g::apps {

bench::Benchmarks benchmarks() {
  using namespace bench;
  return {symv_benchmark(),          tridiagonalize_benchmark(),
          solve_benchmark(),         gemm_benchmark(gemm_ladder_benchmark),
          gemm_accuracy_benchmark(), devices_benchmark(),
          spmv_benchmark(),          himeno_benchmark(),
          generalised_benchmark(),   batched_benchmark()};
}

}  // namespace eigen_g::apps
