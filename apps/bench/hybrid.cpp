// eigen_g bench hybrid
//
// JSON, "format": "eigen_g-bench-hybrid", "version": 3: machine; multiprocessors of the first GPU; gpus; calibration (where
// its figures came from); sizes: n, stages: name, flops, planned_seconds, first_alone, automatic, sweep (parts of the flops:
// the first GPU, further ones, the CPU; seconds; rounds; laps; device_seconds), repeats.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/hybrid_measure.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/sizes.hpp"
#include "apps/bench/text_table.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/text.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/calibrate/calibrate.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  HybridPlan plan;
  std::string sizes = "8000";
  int gpus = 1;
  bool quick = false;
  std::optional<int> rounds;
  std::string calibration;
  RunOptions run;
};

constexpr const char* examples = R"(
  eigen_g bench hybrid --gpu-sms 8                a GPU cut down to 8 multiprocessors, and the CPU
  eigen_g bench hybrid --quick --n 2000,5000,10000,20000
  eigen_g bench hybrid --gpus 2 --n 20000
  eigen_g bench hybrid --gpu-sms 16 --json hybrid.json)";

std::string list_text(const std::vector<double>& values, double scale, const char* format,
                      const char* between) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : between) + print(format, scale * value);
  return text;
}

std::string table_of(const HybridStage& stage) {
  TextTable table({"flops, %", "seconds", "TFLOP/s", "x GPU alone", "D&C, back", "devices' seconds"});
  const auto add = [&](const HybridCut& cut, const std::string& note) {
    table.add({list_text(cut.parts, 100, "%.3g", ":") + note, print("%.4f", cut.seconds),
               print("%.2f", stage.flops / cut.seconds * 1e-12),
               print("%.3f", 1 / ratio(cut, stage.first_alone)), list_text(cut.laps, 1, "%.4f", " "),
               list_text(cut.device_seconds, 1, "%.4f", " ")});
  };
  add(stage.first_alone, " alone");
  for (const HybridCut& cut : stage.sweep) add(cut, "");
  add(stage.automatic, " auto");
  const std::string planned =
      stage.planned_seconds > 0 ? print("planned %.4f s; ", stage.planned_seconds) : "";
  return table.text() + "auto: " + planned +
         print("%.3f of the time of the best above, %.3f of the GPU's alone; bits %s\n",
               ratio(stage.automatic, stage.best()), ratio(stage.automatic, stage.first_alone),
               stage.repeats ? "same" : "DIFFER");
}

std::string table_of(const std::vector<HybridSize>& sizes) {
  std::string text;
  for (const HybridSize& size : sizes)
    for (const HybridStage& stage : size.stages)
      text += (text.empty() ? "" : "\n") + stage.name + ", n = " + std::to_string(size.n) + "\n" +
              table_of(stage);
  return text;
}

Json json_of(const HybridCut& cut) {
  return {{"parts", cut.parts},
          {"seconds", cut.seconds},
          {"rounds", cut.rounds},
          {"laps", cut.laps},
          {"device_seconds", cut.device_seconds}};
}

Json json_of(const HybridStage& stage) {
  Json sweep = Json::array();
  for (const HybridCut& cut : stage.sweep) sweep.push_back(json_of(cut));
  return {{"name", stage.name},
          {"flops", stage.flops},
          {"planned_seconds", stage.planned_seconds},
          {"first_alone", json_of(stage.first_alone)},
          {"automatic", json_of(stage.automatic)},
          {"sweep", sweep},
          {"repeats", stage.repeats}};
}

Json json_of(const Options& o, const std::string& source, const std::vector<HybridSize>& sizes) {
  Json list = Json::array();
  for (const HybridSize& size : sizes) {
    Json stages = Json::array();
    for (const HybridStage& stage : size.stages) stages.push_back(json_of(stage));
    list.push_back({{"n", size.n}, {"stages", stages}});
  }
  return {{"format", "eigen_g-bench-hybrid"},
          {"version", 3},
          {"machine", machine_json()},
          {"multiprocessors", o.plan.multiprocessors},
          {"gpus", o.gpus},
          {"calibration", source},
          {"sizes", list}};
}

bool sound(const std::vector<HybridSize>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](const HybridSize& size) {
    return std::all_of(size.stages.begin(), size.stages.end(),
                       [](const HybridStage& stage) { return stage.repeats; });
  });
}

ExitCode bench_hybrid(const Options& o) {
  HybridPlan plan = o.plan;
  plan.rounds = o.rounds.value_or(o.quick ? 2 : 3);
  plan.sizes = parse_sizes(o.sizes, "--n");
  for (const std::int64_t n : plan.sizes)
    if (n < 64 || n > 100'000) throw UsageError("--n: a size must be from 64 to 100000");
  plan.products = !o.quick;
  const int there = gpu_count();
  require_gpu_for("hybrid");
  if (o.gpus > there)
    throw UsageError("--gpus: " + std::to_string(o.gpus) + " are asked for, there are " +
                     std::to_string(there));
  for (int gpu = 0; static_cast<int>(plan.gpus.size()) + 1 < o.gpus; ++gpu)
    if (gpu != current_gpu()) plan.gpus.push_back(gpu);
  ReportSink sink(o.run);
  Progress progress(!o.run.quiet);
  ChosenCalibration chosen = choose_calibration(o.calibration, uncalibrated_machine());
  if (!chosen.refused.empty()) complain(chosen.refused);
  if (!chosen.calibration) {
    chosen.source = "measured now";
    chosen.calibration = calibrate(
        Effort::quick, plan.threads,
        [&](const std::string& device, double fraction) { progress.at("tune " + device, fraction); });
  }
  plan.progress = [&progress](double fraction) { progress.at("bench hybrid", fraction); };
  const std::vector<HybridSize> sizes = measure_hybrid(plan, *chosen.calibration);
  progress.finish();
  sink.put(table_of(sizes), json_of(o, chosen.source, sizes).dump(1) + "\n");
  return sound(sizes) ? ExitCode::done : ExitCode::not_verified;
}

}  // namespace

void add_bench_hybrid(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  HybridPlan& plan = options->plan;
  CLI::App& command = *bench.add_subcommand("hybrid", description_of("hybrid"));
  set_help(command, "eigen_g bench hybrid [OPTIONS]", examples);
  command.add_option("--n", options->sizes, "Orders: numbers and from:to:step (default: 8000)")
      ->option_text("LIST");
  command.add_flag(
      "--quick", options->quick,
      "The stages of a solve alone without single products, and two rounds where --rounds is not given");
  command
      .add_option("--gpu-sms", plan.multiprocessors,
                  "Only so many multiprocessors of the first GPU (default: all)")
      ->check(CLI::Range(1, 1 << 16))
      ->option_text("N");
  command.add_option("--gpus", options->gpus, "GPUs (default: 1)")
      ->check(CLI::Range(1, 64))
      ->option_text("N");
  command
      .add_option("--cpu-percents", plan.cpu_percents,
                  "Shares of the CPU to measure (default: around what its rate is worth)")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 100.0))
      ->option_text("LIST");
  command
      .add_option("--rounds", options->rounds, "Timed rounds a cut, of which the median counts (default: 3)")
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
  command
      .add_option("--calibration", options->calibration,
                  "Calibration of this machine (default: the cached one)")
      ->option_text("FILE");
  add_threads_option(command, plan.threads);
  add_report_options(command, options->run);
  command.callback([options, &action] { action = [options] { return bench_hybrid(*options); }; });
}

}  // namespace eigen_g::apps::bench
