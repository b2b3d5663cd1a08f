// eigen_g bench symv
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/bench/symv_measure.hpp"
#include "apps/bench/symv_report.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/symv_tables.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps::bench {

namespace {

struct Options {
  std::string types = "sdczw";
  std::string uplo = "both";
  std::string sizes = "500,1000,1500,2000,3000,4096,6000,8192,10000,14000,20000,28000,32768";
  std::string table;
  int rounds = 21;
  int repeats = 20;
  RunOptions run;
};

constexpr const char* examples = R"(
  eigen_g bench symv                                  all types, both triangles
  eigen_g bench symv --types d --uplo L --sizes 1000:20000:1000
  eigen_g bench symv --json symv.json                 for scripts/plot_symv.py
  eigen_g bench symv --table my_table.txt             with another tuning table)";

ExitCode bench_symv(const Options& o) {
  SymvBenchPlan plan;
  plan.types = parse_types(o.types);
  plan.triangles = parse_triangles(o.uplo);
  plan.sizes = parse_sizes(o.sizes, "--sizes");
  plan.rounds = o.rounds;
  plan.repeats = o.repeats;
  require_gpu_for("symv");
  const ChosenTable chosen = choose_symv_table(o.table, gpu_device(current_gpu()));
  if (!chosen.refused.empty()) complain(chosen.refused);
  if (!o.run.quiet) complain("SYMV's configurations: " + chosen.source);
  plan.table = chosen.table;

  return put_measured("symv", o.run, [&](const auto& tell) {
    plan.progress = [&](const SymvCase&, double fraction) { tell("", fraction); };
    SymvBench bench;
    bench.table = chosen.source;
    bench.cases = measure_symv(plan);
    return bench;
  });
}

}  // namespace

void add_bench_symv(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *bench.add_subcommand("symv", description_of("symv"));
  set_help(command, "eigen_g bench symv [OPTIONS]", examples);
  command.add_option("--types", options->types, "Letters of s d c z w (default: all)")
      ->option_text("LETTERS");
  command.add_option("--uplo", options->uplo, "Triangle: L, U or both (default)")->option_text("L|U|both");
  command.add_option("--sizes", options->sizes, "Numbers and ranges from:to:step (default: 500 to 32768)")
      ->option_text("LIST");
  command.add_option("--rounds", options->rounds, "Timed rounds a contender (default: 21)")
      ->check(CLI::Range(3, 10000))
      ->option_text("N");
  command.add_option("--repeats", options->repeats, "Runs that must agree bit for bit (default: 20)")
      ->check(CLI::Range(2, 1000000))
      ->option_text("N");
  command
      .add_option("--table", options->table, "Tuning table to use (default: see 'eigen_g tune symv --help')")
      ->option_text("FILE");
  add_report_options(command, options->run);
  command.callback([options, &action] { action = [options] { return bench_symv(*options); }; });
}

}  // namespace eigen_g::apps::bench
