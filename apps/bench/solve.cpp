// eigen_g bench solve
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/bench/solve_measure.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"

namespace eigen_g::apps::bench {

namespace {

struct Options {
  std::string sizes = "128,256,512,1000,2000,4000,10000";
  int rounds = 0;  // 0: the default
  SolvePlan plan;
  RunOptions run;
};

constexpr const char* examples = R"(
  eigen_g bench solve                                 128 to 10000, about a minute
  eigen_g bench solve --sizes 2000,20000,32768 --brief
  eigen_g bench solve --json s.json && scripts/plot_solver.py s.json -o figures)";

ExitCode bench_solve(const Options& o) {
  SolvePlan plan = o.plan;
  plan.sizes = parse_sizes(o.sizes, "--sizes");
  plan.take_rounds(o.rounds);
  return put_measured("solve", o.run, [&](const auto& tell) {
    plan.progress = [&](std::int64_t n, double fraction) { tell(std::to_string(n), fraction); };
    return measure_solve(plan);
  });
}

}  // namespace

void add_bench_solve(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *bench.add_subcommand("solve", description_of("solve"));
  set_help(command, "eigen_g bench solve [OPTIONS]", examples);
  command.add_option("--sizes", options->sizes, "Numbers and ranges from:to:step (default: 128 to 10000)")
      ->option_text("LIST");
  command
      .add_option("--rounds", options->rounds,
                  "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)")
      ->check(CLI::Range(1, 10000))
      ->option_text("N");
  command.add_flag(
      "--brief", options->plan.brief,
      "For large sizes: all vectors on device pointers only, one cuSOLVER mode (the non-deterministic), "
      "no warm-up but of the first size");
  add_report_options(command, options->run);
  command.callback([options, &action] { action = [options] { return bench_solve(*options); }; });
}

}  // namespace eigen_g::apps::bench
