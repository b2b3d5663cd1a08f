// eigen_g bench gemm-accuracy: a solve of a random matrix with each engine, in the paper's figures.
#include <CLI/CLI.hpp>

#include "apps/bench/bench.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/solve_case.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

class Accuracy final : public Benchmark {
 public:
  Accuracy()
      : Benchmark({"gemm-accuracy", "A solve with every engine, in the paper's figures of accuracy.", R"(
  eigen_g bench gemm-accuracy
  eigen_g bench gemm-accuracy --n 4000 --json accuracy.json)",
                   "calls", 2}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--n", "10000", "Orders: numbers and from:to:step (default: 10000)");
    command.add_option("--seed", seed_, "Of the random entries (default: 1)")->option_text("N");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CasePlan> cases(const Session& session, Json& head) override {
    head["seed"] = seed_;
    std::vector<Solver> solvers;
    for (const std::string engine : {"native", "df", "emulated"})
      solvers.push_back({.name = engine, .by = Solver::By::host_pointers, .checked = true, .engine = engine});
    std::vector<CasePlan> plans;
    for (const std::int64_t n : sizes)
      plans.push_back(solve_case(session, {n, {.rounds = 1, .warm_up = false}, solvers, true, seed_}, {}));
    return plans;
  }
#endif

  std::vector<Limit> limits(const Json&) const override {
    return {{"native/passed"}, {"df/passed"}, {"emulated/passed"}};
  }

  std::vector<Table> tables(const Json&) const override {
    return {
        {R"(n = n; engine = name; |AZ-ZW|_F = residual_frobenius %.2e; |A-ZWZ^t|/(N|A|) = reconstruction %.2e;
      |Z^tZ-I|/(N) = paper_orthogonality %.2e; LAPACK residual = residual %.3f; orthogonality = orthogonality %.3f;
      D&C s = stages/divide_and_conquer %.4f; back s = stages/back_transform %.4f; solve s = seconds %.4f;
      passed = passed)",
         "Random matrices. Eigen-G's own for N = 10000 (IPSJ SIG):\n"
         "paper, double        3.37e-11  6.93e-19  7.79e-17\n"
         "paper, double-float  5.66e-10  6.67e-18  1.39e-15\n",
         "", true}};
  }

 private:
  std::uint64_t seed_ = 1;
};

}  // namespace

std::shared_ptr<Benchmark> gemm_accuracy_benchmark() {
  return std::make_shared<Accuracy>();
}

}  // namespace eigen_g::apps::bench
