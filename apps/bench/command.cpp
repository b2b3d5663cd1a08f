// eigen_g bench: measures the speed of the parts and of whole solves. Each benchmark is a subcommand (apps/bench/README.md).
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "apps/bench/bench.hpp"
#include "apps/support/help.hpp"
#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

constexpr const char* bench_examples = R"(
  eigen_g bench --list
  eigen_g bench symv --types d --sizes 2000,10000,20000
  eigen_g bench symv --json symv.json && scripts/plot_symv.py symv.json -o figures
  eigen_g bench tridiagonalize --breakdown
  eigen_g bench solve --json solve.json && scripts/plot_solver.py solve.json -o figures)";

}  // namespace

void add_bench(CLI::App& app, Action& action, const bench::Benchmarks& benchmarks) {
  CLI::App& command = *app.add_subcommand("bench", "Measure speed, and check the results that were timed.");
  set_help(command, "eigen_g bench BENCHMARK [OPTIONS]", bench_examples);
  auto list = std::make_shared<bool>(false);
  command.add_flag("--list", *list, "List the benchmarks and exit");
  command.require_subcommand(0, 1);
  bench::add_benchmarks(command, action, benchmarks);
  command.callback([list, benchmarks, &command, &action] {
    if (*list) {
      action = [benchmarks] {
        for (const auto& b : benchmarks) std::cout << left_column(b->about.name, 16) << b->about.what << "\n";
        return ExitCode::done;
      };
    } else if (command.get_subcommands().empty()) {
      throw UsageError("bench: a benchmark or --list is required (see 'eigen_g bench --help')");
    }
  });
}

}  // namespace eigen_g::apps
