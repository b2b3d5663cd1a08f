// eigen_g bench solve: whole solves of uniform random matrices beside cuSOLVER's Xsyevd.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/bench/bench.hpp"
#include "apps/cli/text.hpp"
#include "solver/verify/verify.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/peers.hpp"
#include "apps/bench/solve_case.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

constexpr double value_limit = 3;  // of max |w - w'| / (n ulp max |w|), w' without vectors

class Solve final : public Benchmark {
 public:
  Solve()
      : Benchmark({"solve",
                   "Whole solves against cuSOLVER's Xsyevd: seconds by stage, and verification, over n.", R"(
  eigen_g bench solve                                 128 to 10000, about a minute
  eigen_g bench solve --sizes 2000,20000,32768 --brief
  eigen_g bench solve --json s.json && scripts/plot_solver.py s.json -o figures)"}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "128,256,512,1000,2000,4000,10000",
              "Numbers and ranges from:to:step (default: 128 to 10000)");
    add_rounds(command, "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)", 1);
    command.add_flag("--brief", brief,
                     "For large sizes: all vectors on device pointers only, one cuSOLVER mode (the "
                     "non-deterministic), no warm-up but of the first size");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CasePlan> cases(const Session& session, Json& head) override {
    head.update(
        {{"cusolver", Cusolver::version()}, {"limit", lapack_ratio_limit}, {"value_limit", value_limit}});
    using By = Solver::By;
    std::vector<CasePlan> plans;
    for (const std::int64_t n : sizes) {
      const TimingRule rule = rule_for_long_calls(n);
      std::vector<Solver> ours{{"device_vectors", By::device_pointers, true, true, !brief || rule.rounds > 1},
                               {"device_values", By::device_pointers, false},
                               {"host_vectors", By::host_pointers, true, true},
                               {"host_values", By::host_pointers, false}};
      std::vector<Solver> solvers{
          {"cusolver_vectors", By::cusolver, true, true},
          {"cusolver_values", By::cusolver, false},
          {"cusolver_nondeterministic_vectors", By::cusolver, true, false, false, false},
          {"cusolver_nondeterministic_values", By::cusolver, false, false, false, false}};
      if (brief)
        solvers = {solvers[2], ours[0]};  // what is left in the end is ours
      else
        solvers.insert(solvers.begin(), ours.begin(), ours.end());
      plans.push_back(solve_case(session, {n, rule, solvers, !brief}, {{"brief", brief}}));
    }
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    for (const std::string what : {"vectors", "values"})
      c["ratios"][what] =
          quotient(c, {"cusolver_" + what + "/seconds", "cusolver_nondeterministic_" + what + "/seconds"},
                   "device_" + what + "/seconds");
  }

  std::vector<Limit> limits(const Json& c) const override {
    const bool all = c["brief"] == false;
    std::vector<Limit> limits{{"bit_for_bit", 0, !all}, {"values", value_limit, !all}};
    for (const std::string call : {"device_vectors", "host_vectors", "device_values", "host_values"}) {
      if (!all && call != "device_vectors") continue;
      limits.push_back({call + "/seconds"});
      if (call.ends_with("vectors"))
        for (const char* check : {"/residual", "/orthogonality"})
          limits.push_back({call + check, lapack_ratio_limit});
    }
    return limits;
  }

  std::vector<Table> tables(const Json& report) const override {
    std::string stages;
    for (const Json& c : report["cases"]) {
      const Json all = at(c, "device_vectors/stages");
      for (const auto& stage : all.items())
        if (const std::string column = "; " + words(stage.key()) + " = stages/" + stage.key() + " %.2f 1e3";
            stages.find(column) == std::string::npos)
          stages += column;
    }
    return {{R"(n = n; eigen_g = device_vectors/seconds time; cuSOLVER = cusolver_vectors/seconds time;
      non-det. = cusolver_nondeterministic_vectors/seconds time; x = ratios/vectors %.2f;
      values only = device_values/seconds time; cuSOLVER = cusolver_values/seconds time;
      non-det. = cusolver_nondeterministic_values/seconds time; x = ratios/values %.2f;
      host pointers = host_vectors/seconds time; values only = host_values/seconds time;
      residual = device_vectors/residual %.2g; orthog. = device_vectors/orthogonality %.2g;
      host: residual = host_vectors/residual %.2g; orthog. = host_vectors/orthogonality %.2g;
      cuSOLVER: residual = cusolver_vectors/residual %.2g; orthog. = cusolver_vectors/orthogonality %.2g;
      bits = bit_for_bit bits)",
             "x: the faster cuSOLVER mode's time over eigen_g's on device pointers. residual, orthog.: "
             "LAPACK's ratios, "
             "limit 10.\neigen_g allocates within its time, cuSOLVER's workspace is there before.\n"},
            {"ms a stage = name; n = n" + stages, "", "stages", true}};
  }
};

}  // namespace

std::shared_ptr<Benchmark> solve_benchmark() {
  return std::make_shared<Solve>();
}

}  // namespace eigen_g::apps::bench
