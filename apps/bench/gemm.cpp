// eigen_g bench gemm
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/gemm_measure.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"

namespace eigen_g::apps::bench {

namespace {

struct Options {
  std::string sizes = "1024,2048,4096,8192";
  int rounds = 7;
  RunOptions run;
};

constexpr const char* examples = R"(
  eigen_g bench gemm                                  squares to 8192, and the solver's shapes at 8192
  eigen_g bench gemm --sizes 10000 --json gemm.json)";

ExitCode bench_gemm(const Options& o) {
  GemmBenchPlan plan;
  plan.cases = gemm_cases(parse_sizes(o.sizes, "--sizes"));
  plan.rounds = o.rounds;
  return put_measured("gemm", o.run, [&](const auto& tell) {
    plan.progress = [&](double fraction) { tell("", fraction); };
    return measure_gemm(plan);
  });
}

}  // namespace

void add_bench_gemm(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *bench.add_subcommand("gemm", description_of("gemm"));
  set_help(command, "eigen_g bench gemm [OPTIONS]", examples);
  command.add_option("--sizes", options->sizes, "Numbers and ranges from:to:step (default: 1024 to 8192)")
      ->option_text("LIST");
  command.add_option("--rounds", options->rounds, "Timed rounds a contender (default: 7)")
      ->check(CLI::Range(3, 10000))
      ->option_text("N");
  add_report_options(command, options->run);
  command.callback([options, &action] { action = [options] { return bench_gemm(*options); }; });
}

}  // namespace eigen_g::apps::bench
