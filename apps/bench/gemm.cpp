// eigen_g bench gemm
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/gemm_measure.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/common_options.hpp"
#include "apps/help.hpp"
#include "apps/progress.hpp"
#include "hybrid/device.hpp"

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
  if (gpu_count() == 0) throw DeviceError("bench gemm needs a GPU, and there is none");
  ReportSink sink(o.run);
  GemmBench bench;
  {
    Progress progress(!o.run.quiet);
    plan.progress = [&progress](double fraction) { progress.at("bench gemm", fraction); };
    bench = measure_gemm(plan);
  }
  sink.put(to_table(bench), json_of(bench, machine_json()).dump(1) + "\n");
  return passed(bench) ? ExitCode::done : ExitCode::not_verified;
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
  command
      .add_option("--json", options->run.json,
                  "Write the report as JSON; - for stdout, the table then goes to stderr")
      ->option_text("FILE");
  add_quiet_option(command, options->run.quiet);
  command.callback([options, &action] { action = [options] { return bench_gemm(*options); }; });
}

}  // namespace eigen_g::apps::bench
