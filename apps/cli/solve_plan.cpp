#include "apps/cli/solve_plan.hpp"

#include <algorithm>
#include <numeric>

#include "apps/cli/text.hpp"
#include "apps/cli/text_table.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/path/choice.hpp"

namespace eigen_g::apps {

namespace {

constexpr Stage predicted_stages[] = {Stage::tridiagonalize, Stage::divide_and_conquer,
                                      Stage::back_transform};

std::string percents(const std::vector<double>& parts) {
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  std::string text;
  for (const double part : parts)
    text += (text.empty() ? "" : ":") + print("%.3g", all > 0 ? 100 * part / all : 0);
  return text;
}

// The reduction in one stage, by this engine; automatic: by the fastest.
const Prediction* one_of(const std::vector<Prediction>& predictions, Engine engine) {
  const Prediction* found = nullptr;
  for (const Prediction& p : predictions)
    if (p.stages == 1 &&
        (engine == Engine::automatic ? !found || p.seconds < found->seconds : p.engine == engine))
      found = &p;
  return found;
}

}  // namespace

double SolvePlan::seconds_of(Stage stage) const {
  for (std::size_t i = 0; i < std::size(predicted_stages); ++i)
    if (predicted_stages[i] == stage) return prediction.times[i].seconds;
  return 0;
}

std::optional<SolvePlan> plan_solve(const Options& options, const Devices& devices, std::int64_t n,
                                    const std::string& calibration) {
  // What two stages take is not predicted.
  if (!devices.calibration || path_on_gpu<double>(options, n) == Path::two_stage) return std::nullopt;
  const int gpu = current_gpu();
  const std::vector<int> further = further_gpus(devices.gpus);
  const Device& first = gpu_facts(gpu);
  const int multiprocessors =
      devices.multiprocessors > 0 ? std::min(devices.multiprocessors, first.cores) : first.cores;
  const TeamRates team = team_rates(*devices.calibration, gpu, further, multiprocessors);
  if (team.devices.front().symv_bandwidth <= 0) return std::nullopt;
  ModelMachine machine = machine_of(team, efficiencies_of(measured_machine(usual_machine)));
  machine.ratio = devices.ratio;
  const std::int64_t m = options.vectors ? options.subset.most(n) : 0;
  const std::vector<Prediction> predictions = predict(machine, n, m);
  const Prediction* const found = one_of(predictions, options.engine);
  if (!found) return std::nullopt;

  SolvePlan plan{n, m, calibration, {first.name}, to_text(devices.ratio), *found};
  if (multiprocessors < first.cores)
    plan.devices.front() += print(" (%d of %d multiprocessors)", multiprocessors, first.cores);
  for (const int other : further) plan.devices.push_back(gpu_facts(other).name);
  plan.devices.push_back(cpu_name());
  if (!options.vectors)  // values alone take no products
    for (PredictedStage& stage : plan.prediction.times)
      if (&stage != &plan.prediction.times.front()) stage = {stage.name, 0, {}};
  plan.prediction.seconds = 0;
  for (const PredictedStage& stage : plan.prediction.times) plan.prediction.seconds += stage.seconds;
  return plan;
}

std::string to_table(const SolvePlan& plan) {
  std::string text = left_column("plan", 14) + "n = " + std::to_string(plan.n) + ", " +
                     (plan.vectors > 0 ? std::to_string(plan.vectors) + " vectors" : "values alone") +
                     ", products " + name(plan.prediction.engine) + ", ratio " + plan.ratio + "\n";
  text += left_column("calibration", 14) + plan.calibration + "\n";
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    text += left_column(i == 0 ? "devices" : "", 14) + plan.devices[i] + "\n";
  TextTable table({"predicted", "seconds", "columns, %"});
  for (const PredictedStage& stage : plan.prediction.times)
    table.add({stage.name, print("%.4f", stage.seconds),
               stage.seconds == 0    ? ""
               : stage.parts.empty() ? "first device"
                                     : percents(stage.parts)});
  table.add({"all", print("%.4f", plan.prediction.seconds), ""});
  return text + table.text();
}

}  // namespace eigen_g::apps
