// eigen_g bench gemm-accuracy: the eigenpairs of a random matrix with each engine, in the paper's figures.
//
// JSON, "format": "eigen_g-bench-gemm-accuracy", "version": 1:
//
//   format, version, machine (bench/machine.hpp), n, seed
//   runs   one an engine: engine (asked for), ran (Report::engine), seconds (of the solve) and stages (by name),
//          residual_frobenius, reconstruction, orthogonality, lapack_residual, lapack_orthogonality (solver/verify.hpp),
//          passed; failure: null, or why there are no figures, which are then left out
//   paper  the same three figures of Eigen-G in double and in double-float: N = 10000, a random matrix (IPSJ SIG)
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/bench/bench.hpp"
#include "apps/bench/machine.hpp"
#include "apps/bench/measured.hpp"
#include "apps/bench/text_table.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/text.hpp"
#include "apps/generate/matrices.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

struct AccuracyOptions {
  std::int64_t n = 10000;
  std::uint64_t seed = 1;
  RunOptions run;
};

struct Run {
  Engine engine = Engine::native;
  Report report;
  Verification check;
  std::string failure;
};

struct PaperRow {
  const char* engine;
  double residual, reconstruction, orthogonality;
};
constexpr std::array<PaperRow, 2> paper{
    {{"double", 3.37e-11, 6.93e-19, 7.79e-17}, {"double-float", 5.66e-10, 6.67e-18, 1.39e-15}}};

std::vector<Run> run_engines(const AccuracyOptions& o, Progress& progress) {
  const auto n = static_cast<std::size_t>(o.n);
  std::vector<double> a(n * n), w(n), z(n * n);
  generate::Spec spec;
  spec.n = o.n;
  spec.seed = o.seed;
  progress.at("generate");
  generate::fill(spec, a.data(), o.n);
  std::vector<Run> runs;
  for (const Engine engine : engines()) {
    Run run;
    run.engine = engine;
    Options how;
    how.device = DeviceChoice::gpu;
    how.engine = engine;
    how.progress = [&](Stage stage, double fraction) {
      progress.at(std::string(name(engine)) + ": " + words(name(stage)), fraction);
    };
    try {
      run.report = ::eigen_g::eigen_g(o.n, a.data(), o.n, w.data(), z.data(), o.n, how);
      progress.at("verify");
      run.check = verify(Uplo::lower, o.n, a.data(), o.n, o.n, w.data(), z.data(), o.n, DeviceChoice::gpu);
    } catch (const Error& error) {  // an engine that is not there, or whose memory does not fit
      run.failure = error.what();
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Json run_json(const Run& run) {
  Json object{{"engine", name(run.engine)}};
  if (run.failure.empty()) {
    Json stages = Json::object();
    for (const Stage stage : all_stages) stages[name(stage)] = run.report.seconds_of(stage);
    object["ran"] = run.report.engine;
    object["seconds"] = run.report.seconds;
    object["stages"] = stages;
    object["residual_frobenius"] = run.check.residual_frobenius;
    object["reconstruction"] = run.check.reconstruction;
    object["orthogonality"] = run.check.orthogonality;
    object["lapack_residual"] = run.check.lapack_residual;
    object["lapack_orthogonality"] = run.check.lapack_orthogonality;
    object["passed"] = passed(run.check);
  }
  object["failure"] = run.failure.empty() ? Json(nullptr) : Json(run.failure);
  return object;
}

Json json_of(const AccuracyOptions& o, const std::vector<Run>& runs) {
  Json all = Json::array(), published = Json::array();
  for (const Run& run : runs) all.push_back(run_json(run));
  for (const PaperRow& row : paper)
    published.push_back({{"engine", row.engine},
                         {"residual_frobenius", row.residual},
                         {"reconstruction", row.reconstruction},
                         {"orthogonality", row.orthogonality}});
  return {{"format", "eigen_g-bench-gemm-accuracy"},
          {"version", 1},
          {"machine", machine_json()},
          {"n", o.n},
          {"seed", o.seed},
          {"runs", all},
          {"paper", published}};
}

std::string to_table(const AccuracyOptions& o, const std::vector<Run>& runs) {
  TextTable table({"engine", "|AZ-ZW|_F", "|A-ZWZ^t|/(N|A|)", "|Z^tZ-I|/(N)", "LAPACK residual",
                   "orthogonality", "D&C s", "back s", "solve s", "verified"});
  for (const Run& run : runs) {
    if (!run.failure.empty()) continue;
    const auto figure = [](double value) { return print("%.2e", value); };
    const auto seconds = [](double value) { return print("%.4f", value); };
    table.add({name(run.engine), figure(run.check.residual_frobenius), figure(run.check.reconstruction),
               figure(run.check.orthogonality), print("%.3f", run.check.lapack_residual),
               print("%.3f", run.check.lapack_orthogonality),
               seconds(run.report.seconds_of(Stage::divide_and_conquer)),
               seconds(run.report.seconds_of(Stage::back_transform)), seconds(run.report.seconds),
               passed(run.check) ? "pass" : "FAILED"});
  }
  for (const PaperRow& row : paper)
    table.add({std::string("paper, ") + row.engine, print("%.2e", row.residual),
               print("%.2e", row.reconstruction), print("%.2e", row.orthogonality), "-", "-", "-", "-", "-",
               "-"});
  std::string text =
      print("random matrix, N = %lld; the paper's N = 10000\n", static_cast<long long>(o.n)) + table.text();
  for (const Run& run : runs)
    if (!run.failure.empty()) text += std::string("failed: ") + name(run.engine) + ": " + run.failure + "\n";
  return text;
}

constexpr const char* examples = R"(
  eigen_g bench gemm-accuracy
  eigen_g bench gemm-accuracy --n 4000 --json accuracy.json)";

ExitCode bench_gemm_accuracy(const AccuracyOptions& o) {
  require_gpu_for("gemm-accuracy");
  ReportSink sink(o.run);
  std::vector<Run> runs;
  {
    Progress progress(!o.run.quiet);
    runs = run_engines(o, progress);
  }
  sink.put(to_table(o, runs), json_of(o, runs).dump(1) + "\n");
  const bool good = std::all_of(runs.begin(), runs.end(),
                                [](const Run& run) { return run.failure.empty() && passed(run.check); });
  return good ? ExitCode::done : ExitCode::not_verified;
}

}  // namespace

void add_bench_gemm_accuracy(CLI::App& bench, Action& action) {
  auto options = std::make_shared<AccuracyOptions>();
  CLI::App& command = *bench.add_subcommand("gemm-accuracy", description_of("gemm-accuracy"));
  set_help(command, "eigen_g bench gemm-accuracy [OPTIONS]", examples);
  command.add_option("--n", options->n, "Order of the matrix (default: 10000)")
      ->check(CLI::Range(1, 1000000))
      ->option_text("N");
  command.add_option("--seed", options->seed, "Of the random entries (default: 1)")->option_text("N");
  add_report_options(command, options->run);
  command.callback([options, &action] { action = [options] { return bench_gemm_accuracy(*options); }; });
}

}  // namespace eigen_g::apps::bench
