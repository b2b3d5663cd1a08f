// eigen_g predict: predicts the stage times of a machine that a few rates describe, or of this machine.
//
// JSON, "format": "eigen_g-predict", "version": 2. Fields:
//   n, vectors
//   source          "figures" (rates on the command line), a machine's name, a calibration's path, or "measured now"
//   rates           products by engine in flop/s, bandwidth in bytes/s, helpers with their rates and link
//   efficiencies    by stage
//   predictions     path ("one_stage", "two_stage"), engine, seconds, times: stage, seconds, shares (columns of each
//                   device; null: not shared)
//   choice          index of the fastest prediction
//   mixed           mixed precision for all pairs: engine, seconds, float_seconds, refinement_seconds, path (of float). Empty
//                   if float's rate is unknown or fewer vectors are wanted
//   teams           with --gpus: gpus, seconds, times: stage, seconds; bytes of each GPU (null: one
//                   GPU; on a machine without a GPU without the buffers). Otherwise empty
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/cli/command.hpp"
#include "apps/papers/clusters.hpp"
#include "apps/papers/predict_nodes.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/text.hpp"
#include "apps/support/text_table.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/calibrate/model.hpp"
#include "solver/driver/backend.hpp"
#include "solver/path/team_model.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

struct ModelOptions {
  ModelFigures giga;  // in GFLOP/s and GB/s
  std::int64_t n = 10000;
  std::int64_t vectors = -1;  // -1: all
  std::string machine;
  std::string efficiencies;  // "": the machine's own
  std::string calibration;
  std::vector<int> gpus;
  NodesOptions nodes;
  bool n_given = false;
  RunOptions run;  // --json, --force and --quiet only
};

constexpr const char* model_examples = R"(
  eigen_g predict --fp64 280 --fp32 7700 --bandwidth 250 --cpu 145    the paper's GTX 1080 with its CPU
  eigen_g predict --fp64 1050 --fp32 2500 --bandwidth 135 --efficiencies ideal
  eigen_g predict --machine nvidia_h200 --n 20000                     a machine that was measured
  eigen_g predict --machine b300 --n 20000                            a GPU by its published peak rates
  eigen_g predict --machine h200 --n 50000 --gpus 1,2,4,8             all stages on several GPUs of one host
  eigen_g predict --nodes 64                                          n = 100000 and 1000000 on clusters, by published runs
  eigen_g predict --n 20000                                           this machine, as 'eigen_g calibrate' measured it)";

struct Described {
  ModelMachine machine;
  std::string source;
};

bool has_figures(const ModelFigures& f) {
  return f.fp64 > 0 || f.fp32 > 0 || f.bandwidth > 0 || f.cpu > 0 || f.df > 0 || f.emulated > 0 ||
         f.ozaki > 0 || f.ozaki_fp8 > 0 || f.link > 0;
}

ModelFigures in_si(const ModelFigures& f) {
  constexpr double giga = 1e9;
  return {f.fp64 * giga,     f.fp32 * giga, f.bandwidth * giga, f.cpu * giga,      f.df * giga,
          f.emulated * giga, f.link * giga, f.ozaki * giga,     f.ozaki_fp8 * giga};
}

std::vector<std::string> measured_names() {
  std::vector<std::string> names;
  for (const MeasuredMachine& machine : measured_machines()) names.push_back(machine.name);
  return names;
}
// The measured machines first. A name may also be given without "nvidia_".
std::vector<std::string> machine_names() {
  std::vector<std::string> names = measured_names();
  for (const DescribedMachine& machine : described_machines()) names.push_back(machine.name);
  return names;
}
bool is_measured(const std::string& name) {
  const std::vector<std::string> names = measured_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The efficiencies that the option names; without the option, the efficiencies of --machine; without both, the usual machine's.
std::string efficiencies_name(const ModelOptions& o) {
  if (o.efficiencies == "h200") return usual_machine;
  if (!o.efficiencies.empty()) return o.efficiencies;
  return is_measured(o.machine) ? o.machine : usual_machine;
}

Described describe(const ModelOptions& o) {
  const std::string of = efficiencies_name(o);
  const Efficiencies e = of == "ideal" ? ideal_efficiencies() : efficiencies_of(measured_machine(of));
  if (!o.machine.empty()) {
    if (has_figures(o.giga) || !o.calibration.empty())
      throw UsageError("predict: --machine cannot be combined with rates or --calibration");
    if (is_measured(o.machine)) return {machine_of(measured_machine(o.machine), e), o.machine};
    return {machine_of(figures_of(described_machine(o.machine), measured_machine(usual_machine)), e),
            o.machine};
  }
  if (has_figures(o.giga)) {
    if (!o.calibration.empty()) throw UsageError("predict: --calibration cannot be combined with rates");
    if (o.giga.fp64 <= 0 || o.giga.bandwidth <= 0)
      throw UsageError("predict: at least --fp64 and --bandwidth are required");
    return {machine_of(in_si(o.giga), e), "figures"};
  }
  const ChosenCalibration chosen = choose_calibration(o.calibration, uncalibrated_machine());
  if (!chosen.refused.empty()) warn(chosen.refused);
  if (chosen.calibration) return {machine_of(*chosen.calibration, e), chosen.source};
  if (gpu_count() == 0)
    throw UsageError(
        "predict: no GPU was found to measure; describe one with --fp64, --fp32 and --bandwidth");
  if (!o.run.quiet) warn("no calibration was found ('eigen_g calibrate' makes one); measuring a quick one");
  return {machine_of(calibrate(Effort::quick), e), "measured now"};
}

std::string percent(double efficiency) {
  return print("%.0f %%", 100 * efficiency);
}

std::string shares(const std::vector<double>& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  std::string text;
  for (const double part : parts) text += (text.empty() ? "" : ":") + print("%.3g", 100 * part / sum);
  return text;
}

std::string title(const Prediction& p) {
  return std::string(p.path == Path::one_stage ? "one-stage path" : "two-stage path") + ", " + name(p.engine);
}

std::string mixed_table(const std::vector<MixedPrediction>& mixed, const Prediction& choice) {
  if (mixed.empty()) return "";
  TextTable table({"mixed precision, refined by", "in float", "refinement", "all", "of the choice"});
  for (const MixedPrediction& p : mixed)
    table.add({name(p.engine), print("%.4g", p.in_float.seconds), print("%.4g", p.refinement),
               print("%.4g", p.seconds), print("%.2f", p.seconds / choice.seconds)});
  return "\n" + table.text();
}

// Several GPUs that divide all stages (solver/path/team_model.hpp).
struct Team {
  int gpus = 1;
  Prediction prediction;
  std::vector<std::uint64_t> bytes;  // for each GPU; empty: one GPU
};

std::vector<Team> teams_of(const ModelOptions& o, std::int64_t m, const Described& d) {
  std::vector<Team> teams;
  for (const int gpus : o.gpus) {
    Team& team = teams.emplace_back();
    team.gpus = gpus;
    team.prediction =
        predict_team(measured_machine(usual_machine), {o.n, m, gpus}, d.machine.products[Engine::native]);
    Plan plan;
    plan.n = o.n;
    plan.options.vectors = m > 0;
    if (m > 0 && m < o.n) plan.options.subset = Subset::by_index(1, m);
    plan.devices.gpus = gpus;
    for (int member = 0; gpus > 1 && member < gpus; ++member)
      team.bytes.push_back(
          gpu_count() > 0
              ? team_bytes<double>(plan, member, gpu_facts(current_gpu()).multiprocessors)
              : static_cast<std::uint64_t>(std::llround(leading_team_bytes({o.n, m, gpus}, member))));
  }
  return teams;
}

std::string team_table(const ModelOptions& o, const std::vector<Team>& teams) {
  if (teams.empty()) return "";
  std::vector<std::string> head{"GPUs at n = " + std::to_string(o.n)};
  for (const PredictedStage& stage : teams.front().prediction.times) head.push_back(stage.name);
  head.insert(head.end(), {"all", "first GPU", "each other"});
  TextTable table(head);
  for (const Team& team : teams) {
    std::vector<std::string> row{std::to_string(team.gpus)};
    for (const PredictedStage& stage : team.prediction.times) row.push_back(print("%.4g", stage.seconds));
    row.push_back(print("%.4g", team.prediction.seconds));
    row.push_back(team.bytes.empty() ? "" : bytes_text(team.bytes.front()));
    row.push_back(team.bytes.size() < 2 ? "" : bytes_text(team.bytes.back()));
    table.add(row);
  }
  return "\n" + table.text() +
         "by solves on up to four H200 of one host, with host pointers, and the rate of native products\n" +
         (gpu_count() > 0 ? "" : "memory: without buffers of 2 to 4 GB, because there is no GPU\n");
}

std::string model_table(const ModelOptions& o, const Described& d, const std::vector<Prediction>& predictions,
                        const Prediction& choice, const std::vector<MixedPrediction>& mixed) {
  const ModelMachine& machine = d.machine;
  std::string text = left_column("machine", 14) + d.source;
  if (!o.machine.empty()) {
    if (is_measured(o.machine)) {
      const MeasuredMachine& measured = measured_machine(o.machine);
      text += ": " + measured.title + ", measured " + measured.date;
    } else {
      const DescribedMachine& described = described_machine(o.machine);
      text += ": " + described.title + ", by its published peak rates of " + described.date;
    }
  }
  text += "\n";
  for (const Engine engine : engines())
    if (machine.products[engine] > 0)
      text += left_column(engine == Engine::native ? "products" : "", 14) + left_column(name(engine), 10) +
              print("%10.4g GFLOP/s\n", machine.products[engine] * 1e-9);
  text +=
      left_column("bandwidth", 14) + left_column("", 10) + print("%10.4g GB/s\n", machine.bandwidth * 1e-9);
  for (const ModelHelper& helper : machine.helpers)
    text += left_column("helper", 14) + left_column(helper.name, 10) +
            print("%10.4g GFLOP/s", helper.products[Engine::native] * 1e-9) +
            (helper.link > 0 ? print(", link %.4g GB/s\n", helper.link * 1e-9) : ", transfers not counted\n");
  const Efficiencies& e = machine.efficiencies;
  text += left_column("efficiencies", 14) + efficiencies_name(o) + ": symmetric product " + percent(e.symv) +
          ", rank-2k " + percent(e.rank_2k) + ", merges " + percent(e.merge) + ", back-transform " +
          percent(e.back_transform) + ", small products " + percent(e.small_products) +
          print(", %.1f us a column\n", e.column_seconds * 1e6);
  if (const TwoStageEfficiencies& two = e.two_stages; two.to_band > 0)
    text += left_column("two-stage", 14) + "full to band " + percent(two.to_band) +
            print(" and %.1f us a column, chase %.1f us a column and %.2f ns a pair, back-transform chase ",
                  two.to_band_column * 1e6, two.chase_column * 1e6, two.chase_pair * 1e9) +
            percent(two.back_transform_chase) + ", back-transform band " + percent(two.back_transform_band) +
            "\n";
  text += "\n";

  TextTable table(
      {"seconds at n = " + std::to_string(o.n), "one-stage", "%", "two-stage", "%", "columns, %"});
  for (std::size_t first = 0; first < predictions.size() / 2; ++first) {
    const Prediction& one = predictions[first];
    const Prediction& two = predictions[first + predictions.size() / 2];
    for (const Prediction* p : {&one, &two})
      for (const PredictedStage& s : p->times) {
        const std::string seconds = print("%.4g", s.seconds),
                          part = p->seconds > 0 ? print("%.0f", 100 * s.seconds / p->seconds) : "";
        table.add({std::string(name(one.engine)) + ": " + s.name, p == &one ? seconds : "",
                   p == &one ? part : "", p == &two ? seconds : "", p == &two ? part : "",
                   s.shares.empty() ? "" : shares(s.shares)});
      }
    table.add({std::string(name(one.engine)) + ": all", print("%.4g", one.seconds), "",
               print("%.4g", two.seconds), "", ""});
  }
  return text + table.text() + "\nchoice: " + title(choice) + print(", %.4g s\n", choice.seconds) +
         mixed_table(mixed, choice);
}

Json rates_json(const PerEngine<double>& rates) {
  Json object = Json::object();
  for (const Engine engine : engines())
    if (rates[engine] > 0) object[name(engine)] = rates[engine];
  return object;
}

std::string model_json(const ModelOptions& o, std::int64_t m, const Described& d,
                       const std::vector<Prediction>& predictions, const Prediction& choice,
                       const std::vector<MixedPrediction>& mixed, const std::vector<Team>& teams) {
  Json of_teams = Json::array();
  for (const Team& team : teams) {
    Json times = Json::array();
    for (const PredictedStage& s : team.prediction.times)
      times.push_back({{"stage", s.name}, {"seconds", s.seconds}});
    of_teams.push_back({{"gpus", team.gpus},
                        {"seconds", team.prediction.seconds},
                        {"times", times},
                        {"bytes", team.bytes.empty() ? Json() : Json(team.bytes)}});
  }
  Json helpers = Json::array();
  for (const ModelHelper& h : d.machine.helpers)
    helpers.push_back({{"name", h.name}, {"products", rates_json(h.products)}, {"link", h.link}});
  Json list = Json::array();
  for (const Prediction& p : predictions) {
    Json times = Json::array();
    for (const PredictedStage& s : p.times)
      times.push_back({{"stage", s.name},
                       {"seconds", s.seconds},
                       {"shares", s.shares.empty() ? Json() : Json(s.shares)}});
    list.push_back(
        {{"path", name(p.path)}, {"engine", name(p.engine)}, {"seconds", p.seconds}, {"times", times}});
  }
  Json of_mixed = Json::array();
  for (const MixedPrediction& p : mixed)
    of_mixed.push_back({{"engine", name(p.engine)},
                        {"seconds", p.seconds},
                        {"float_seconds", p.in_float.seconds},
                        {"refinement_seconds", p.refinement},
                        {"path", name(p.in_float.path)}});
  const Efficiencies& e = d.machine.efficiencies;
  const Json root{{"format", "eigen_g-predict"},
                  {"version", 2},
                  {"n", o.n},
                  {"vectors", m},
                  {"source", d.source},
                  {"rates",
                   {{"products", rates_json(d.machine.products)},
                    {"bandwidth", d.machine.bandwidth},
                    {"helpers", helpers}}},
                  {"efficiencies",
                   {{"symv", e.symv},
                    {"rank_2k", e.rank_2k},
                    {"merge", e.merge},
                    {"back_transform", e.back_transform},
                    {"small_products", e.small_products},
                    {"column_seconds", e.column_seconds},
                    {"to_band", e.two_stages.to_band},
                    {"to_band_column_seconds", e.two_stages.to_band_column},
                    {"chase_column_seconds", e.two_stages.chase_column},
                    {"chase_pair_seconds", e.two_stages.chase_pair},
                    {"back_transform_chase", e.two_stages.back_transform_chase},
                    {"back_transform_band", e.two_stages.back_transform_band}}},
                  {"predictions", list},
                  {"choice", &choice - predictions.data()},
                  {"mixed", of_mixed},
                  {"teams", of_teams}};
  return json_text(root);
}

ExitCode model(const ModelOptions& o) {
  if (o.nodes.nodes > 0) {
    if (has_figures(o.giga) || !o.machine.empty() || !o.efficiencies.empty() || !o.calibration.empty() ||
        o.vectors >= 0 || !o.gpus.empty())
      throw UsageError("predict: --nodes can be combined with --n and --cluster only");
    return predict_nodes(o.nodes, o.n_given ? std::vector{o.n} : std::vector<std::int64_t>{100000, 1000000},
                         o.run);
  }
  if (!o.nodes.cluster.empty()) throw UsageError("predict: --cluster requires --nodes");
  const std::int64_t m = o.vectors < 0 ? o.n : o.vectors;
  if (m > o.n) throw UsageError("predict: --vectors must be at most --n");
  require_apart({{"--calibration", o.calibration}}, {{"--json", o.run.json}}, o.run.force);
  ReportSink sink(o.run);
  const Described described = describe(o);
  const std::vector<Prediction> predictions = predict(described.machine, o.n, m);
  const Prediction& choice = choose(predictions);
  const std::vector<MixedPrediction> mixed =
      m == o.n ? predict_mixed(described.machine, o.n) : std::vector<MixedPrediction>{};
  const std::vector<Team> teams = teams_of(o, m, described);
  sink.put(model_table(o, described, predictions, choice, mixed) + team_table(o, teams),
           model_json(o, m, described, predictions, choice, mixed, teams));
  return ExitCode::done;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App& command = *app.add_subcommand("predict",
                                          "Predict the stage times of a GPU from a few of its rates, by "
                                          "engine, for the one-stage and the two-stage path: "
                                          "equations 1 to 5 of the paper. Without rates: of this machine, "
                                          "by its calibration. GFLOP/s and GB/s are measured rates, "
                                          "not the data sheet's.");
  set_help(command, "eigen_g predict [--fp64 F --bandwidth B [OPTIONS]]", model_examples);
  const auto figure = [&](const char* name, double& value, const char* what) {
    positive(command.add_option(name, value, what))->option_text("NUMBER");
  };
  begin_group(command, "Rates of a machine");
  figure("--fp64", options->giga.fp64, "DGEMM rate of the GPU, GFLOP/s");
  figure("--fp32", options->giga.fp32, "SGEMM rate of the GPU, GFLOP/s");
  figure("--bandwidth", options->giga.bandwidth,
         "Symmetric matrix-vector product of the GPU, GB/s of the stored half");
  figure("--cpu", options->giga.cpu, "DGEMM rate of the CPU, GFLOP/s (default: the GPU works alone)");
  figure("--df", options->giga.df,
         "Double-float product, GFLOP/s (default: 6.6 % of SGEMM, as in the paper)");
  figure("--emulated", options->giga.emulated, "Emulated DGEMM, GFLOP/s (default: not available)");
  figure("--ozaki", options->giga.ozaki, "Products by residues of 8 bits, GFLOP/s (default: not available)");
  figure("--ozaki-fp8", options->giga.ozaki_fp8,
         "Products by residues in floats of 8 bits, GFLOP/s (default: not available)");
  figure("--link", options->giga.link,
         "Link between CPU and GPU, GB/s in each direction (default: transfers are not counted)");
  begin_group(command, "Problem");
  command.add_option("--n", options->n, "Order (default: 10000; with --nodes 100000 and 1000000)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->option_text("N");
  command.add_option("--vectors", options->vectors, "Number of eigenvectors (default: all)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
      ->option_text("N");
  command
      .add_option(
          "--gpus", options->gpus,
          "Also predict seconds and memory of these numbers of GPUs of one host, which divide all stages")
      ->delimiter(',')
      ->check(CLI::Range(1, 8))
      ->option_text("LIST");
  begin_group(command, "Machine or cluster");
  const std::vector<std::string> machines = machine_names();
  const std::string listed = CLI::detail::join(machines, ", ");
  command
      .add_option("--machine", options->machine,
                  "Use the rates of a measured machine, or the published peak rates of a GPU: " + listed)
      ->transform([](const std::string& name) {
        const std::vector<std::string> all = machine_names();
        const std::string full = "nvidia_" + name;
        return std::find(all.begin(), all.end(), full) != all.end() ? full : name;
      })
      ->check(CLI::IsMember(machines))
      ->option_text("NAME");
  std::vector<std::string> efficiencies = measured_names();
  efficiencies.insert(efficiencies.end(), {"h200", "ideal"});
  command
      .add_option("--efficiencies", options->efficiencies,
                  "Efficiencies of the stages: measured on a machine (default: that of --machine, "
                  "else h200, which means " +
                      std::string(usual_machine) + "), or ideal (the equations without losses)")
      ->check(CLI::IsMember(efficiencies))
      ->option_text("NAME");
  not_empty(command.add_option("--calibration", options->calibration,
                               "Calibration of this machine (default: the cached one)"))
      ->option_text("FILE");
  command
      .add_option("--nodes", options->nodes.nodes,
                  "So many nodes of clusters of which solve times were published: seconds and memory")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->option_text("N");
  std::vector<std::string> cluster_names;
  for (const papers::Cluster& cluster : papers::clusters()) cluster_names.push_back(cluster.name);
  command
      .add_option("--cluster", options->nodes.cluster,
                  "With --nodes: of this one alone, " + CLI::detail::join(cluster_names, ", "))
      ->check(CLI::IsMember(cluster_names))
      ->option_text("NAME");
  add_report_options(command, options->run);
  command.callback([options, &action, &command] {
    options->n_given = command.count("--n") > 0;
    action = [options] { return model(*options); };
  });
}

}  // namespace eigen_g::apps
