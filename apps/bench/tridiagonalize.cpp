// eigen_g bench tridiagonalize
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/bench/tridiagonalize_measure.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"

namespace eigen_g::apps::bench {

namespace {

struct Options {
  std::string sizes = "512,1000,2000,4000,10000";
  int rounds = 0;  // 0: the default
  TridiagonalizePlan plan;
  RunOptions run;
};

constexpr const char* examples = R"(
  eigen_g bench tridiagonalize                        512 to 10000, half a minute
  eigen_g bench tridiagonalize --sizes 2000,20000,32768 --brief
  eigen_g bench tridiagonalize --json t.json && scripts/plot_solver.py t.json -o figures)";

ExitCode bench_tridiagonalize(const Options& o) {
  TridiagonalizePlan plan = o.plan;
  plan.sizes = parse_sizes(o.sizes, "--sizes");
  plan.take_rounds(o.rounds);
  return put_measured("tridiagonalize", o.run, [&](const auto& tell) {
    plan.progress = [&](std::int64_t n, double fraction) { tell(std::to_string(n), fraction); };
    return measure_tridiagonalize(plan);
  });
}

}  // namespace

void add_bench_tridiagonalize(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *bench.add_subcommand("tridiagonalize", description_of("tridiagonalize"));
  set_help(command, "eigen_g bench tridiagonalize [OPTIONS]", examples);
  command.add_option("--sizes", options->sizes, "Numbers and ranges from:to:step (default: 512 to 10000)")
      ->option_text("LIST");
  command
      .add_option("--rounds", options->rounds,
                  "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)")
      ->check(CLI::Range(1, 10000))
      ->option_text("N");
  command
      .add_option("--check", options->plan.check,
                  "Form Q and check it for n up to this, on the CPU (default: 4000)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{100000}))
      ->option_text("N");
  command.add_flag("--breakdown", options->plan.breakdown,
                   "Also time products, updates and synchronisation by themselves");
  command.add_flag(
      "--brief", options->plan.brief,
      "For large sizes: one cuSOLVER mode (the non-deterministic), no warm-up but of the first size, and no "
      "check but of the eigenvalues against cuSOLVER's");
  add_report_options(command, options->run);
  command.callback([options, &action] { action = [options] { return bench_tridiagonalize(*options); }; });
}

}  // namespace eigen_g::apps::bench
