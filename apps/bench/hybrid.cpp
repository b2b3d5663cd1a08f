// eigen_g bench hybrid
//
// JSON, "format": "eigen_g-bench-hybrid", "version": 1: machine; n; multiprocessors of the first GPU; gpus; calibration
// (where its figures came from); stages: name, flops, planned_seconds, first_alone, automatic, sweep (parts: columns of the
// first GPU, further ones, the CPU; seconds; device_seconds), repeats.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/bench.hpp"
#include "apps/bench/hybrid_measure.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/text_table.hpp"
#include "apps/common_options.hpp"
#include "apps/help.hpp"
#include "apps/progress.hpp"
#include "apps/text.hpp"
#include "hybrid/device.hpp"
#include "solver/calibrate.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  HybridPlan plan;
  int gpus = 1;
  std::string calibration;
  RunOptions run;
};

constexpr const char* examples = R"(
  eigen_g bench hybrid --gpu-sms 8                a GPU cut down to 8 multiprocessors, and the CPU
  eigen_g bench hybrid --gpus 2 --n 20000
  eigen_g bench hybrid --gpu-sms 16 --json hybrid.json)";

std::string share_text(const HybridCut& cut) {
  double sum = 0;
  for (const double part : cut.parts) sum += part;
  std::string text;
  for (const double part : cut.parts) text += (text.empty() ? "" : ":") + print("%.3g", 100 * part / sum);
  return text;
}

std::string table_of(const std::vector<HybridStage>& stages) {
  std::string text;
  for (const HybridStage& stage : stages) {
    TextTable table({"columns, %", "seconds", "TFLOP/s", "x GPU alone", "devices' seconds"});
    const auto add = [&](const HybridCut& cut, const std::string& note) {
      std::string own;
      for (const double seconds : cut.device_seconds)
        own += (own.empty() ? "" : " ") + print("%.4f", seconds);
      table.add({share_text(cut) + note, print("%.4f", cut.seconds),
                 print("%.2f", stage.flops / cut.seconds * 1e-12),
                 print("%.3f", stage.first_alone.seconds / cut.seconds), own});
    };
    add(stage.first_alone, " alone");
    const HybridCut* best = &stage.first_alone;
    for (const HybridCut& cut : stage.sweep) {
      add(cut, "");
      if (cut.seconds < best->seconds) best = &cut;
    }
    add(stage.automatic, " auto");
    text += stage.name + "\n" + table.text() +
            print("auto: planned %.4f s; %.3f of the best of the sweep's time; bits %s\n\n",
                  stage.planned_seconds, stage.automatic.seconds / best->seconds,
                  stage.repeats ? "same" : "DIFFER");
  }
  return text;
}

Json json_of(const HybridCut& cut) {
  return {{"parts", cut.parts}, {"seconds", cut.seconds}, {"device_seconds", cut.device_seconds}};
}

Json json_of(const Options& o, const std::string& source, const std::vector<HybridStage>& stages) {
  Json list = Json::array();
  for (const HybridStage& stage : stages) {
    Json sweep = Json::array();
    for (const HybridCut& cut : stage.sweep) sweep.push_back(json_of(cut));
    list.push_back({{"name", stage.name},
                    {"flops", stage.flops},
                    {"planned_seconds", stage.planned_seconds},
                    {"first_alone", json_of(stage.first_alone)},
                    {"automatic", json_of(stage.automatic)},
                    {"sweep", sweep},
                    {"repeats", stage.repeats}});
  }
  return {{"format", "eigen_g-bench-hybrid"},
          {"version", 1},
          {"machine", machine_json()},
          {"n", o.plan.n},
          {"multiprocessors", o.plan.multiprocessors},
          {"gpus", o.gpus},
          {"calibration", source},
          {"stages", list}};
}

ExitCode bench_hybrid(const Options& o) {
  HybridPlan plan = o.plan;
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
  const std::vector<HybridStage> stages = measure_hybrid(plan, *chosen.calibration);
  progress.finish();
  sink.put(table_of(stages), json_of(o, chosen.source, stages).dump(1) + "\n");
  const bool sound =
      std::all_of(stages.begin(), stages.end(), [](const HybridStage& stage) { return stage.repeats; });
  return sound ? ExitCode::done : ExitCode::not_verified;
}

}  // namespace

void add_bench_hybrid(CLI::App& bench, Action& action) {
  auto options = std::make_shared<Options>();
  HybridPlan& plan = options->plan;
  plan.cpu_percents = {0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 25, 100};
  CLI::App& command = *bench.add_subcommand("hybrid", description_of("hybrid"));
  set_help(command, "eigen_g bench hybrid [OPTIONS]", examples);
  command.add_option("--n", plan.n, "Order (default: 8000)")
      ->check(CLI::Range(std::int64_t{64}, std::int64_t{100'000}))
      ->option_text("N");
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
                  "Shares of the CPU to measure (default: 0 to 25, and 100)")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 100.0))
      ->option_text("LIST");
  command.add_option("--rounds", plan.rounds, "Timed rounds a cut (default: 3)")
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
