#include "apps/cli/solve_prediction.hpp"

#include <algorithm>
#include <numeric>

#include "apps/support/text.hpp"
#include "apps/support/text_table.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/sparse.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/backend.hpp"
#include "solver/path/choice.hpp"
#include "solver/path/team_model.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"

namespace eigen_g::apps {

namespace {

std::string shares_text(const std::vector<double>& parts) {
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  std::string text;
  for (const double part : parts)
    text += (text.empty() ? "" : ":") + print("%.3g", all > 0 ? 100 * part / all : 0);
  return text;
}

// The prediction for this path and engine. Engine::automatic: the fastest engine.
const Prediction* find(const std::vector<Prediction>& predictions, Path path, Engine engine) {
  const Prediction* found = nullptr;
  for (const Prediction& p : predictions)
    if (p.path == path &&
        (engine == Engine::automatic ? !found || p.seconds < found->seconds : p.engine == engine))
      found = &p;
  return found;
}

// Returns the prediction p for values only: no products run after the reduction.
Prediction of_values(Prediction p) {
  const std::span<const Stage> stages = predicted_stages(p.path);
  p.seconds = 0;
  for (std::size_t i = 0; i < p.times.size(); ++i) {
    const bool reduces =
        stages[i] == Stage::tridiagonalize || stages[i] == Stage::full_to_band || stages[i] == Stage::chase;
    if (!reduces) p.times[i] = {p.times[i].name, 0, {}};
    p.seconds += p.times[i].seconds;
  }
  return p;
}

// Number of diagonals below the main one, up to the last nonzero one. If there are more than `most`, some number greater than `most`.
std::int64_t bandwidth_of(const io::SymmetricMatrix& matrix, std::int64_t most) {
  const bool lower = matrix.uplo == Uplo::lower;
  std::int64_t found = 0;
  for (std::int64_t j = 0; j < matrix.n && found <= most; ++j)
    for (std::int64_t away = lower ? matrix.n - 1 - j : j; away > found; --away)
      if (matrix.data[(lower ? j + away : j - away) + j * matrix.lda] != 0) found = away;
  return found;
}

// The bytes of a mode. Nothing if the solve does not have this mode.
std::optional<WorkspaceBytes> bytes_in_mode(const Options& options, std::int64_t n, MemoryMode mode) {
  try {
    return workspace_bytes<double>(n, options, true, Pointers::host, mode);
  } catch (const InvalidArgument&) {
    if (mode == MemoryMode::in_core) throw;
    return std::nullopt;
  }
}

const char* words_of(Path path) {
  return path == Path::one_stage ? "one-stage path" : "two-stage path";
}

// All stages on several GPUs: by the usual machine's seconds, and the rate of products of these GPUs if it was calibrated.
SolvePrediction predict_on_team(const Plan& plan) {
  const MeasuredMachine& measured = measured_machine(usual_machine);
  const int gpu = current_gpu(), gpus = plan.devices.gpus;
  double products = 0;
  if (plan.devices.calibration) {
    const TeamRates rates = team_rates(*plan.devices.calibration, gpu, {}, gpu_facts(gpu).multiprocessors);
    products = product_rate(rates.devices.front(), name(Engine::native), 8192, 8192, 8192);
  }
  const TeamProblem problem{plan.n, plan.max_count(), gpus};
  SolvePrediction p{
      plan.n,
      plan.max_count(),
      "seconds of " + measured.name + (products > 0 ? " at the rate of this machine's products" : ""),
      {gpu_facts(gpu).name},
      to_text(plan.devices.ratio),
      predict_team(measured, problem, products)};
  for (const int further : helper_gpus(gpus)) p.devices.push_back(gpu_facts(further).name);
  for (int member = 0; member < gpus; ++member)
    p.bytes_of_gpus.push_back(team_bytes<double>(plan, member, gpu_facts(gpu).multiprocessors));
  return p;
}

}  // namespace

std::optional<SolvePrediction> predict_solve(const Options& options, const Devices& asked, std::int64_t n,
                                             const std::string& calibration) {
  const Plan planned = make_plan<double>({n, options, asked});
  const Devices& devices = planned.devices;  // its gpus are not 0
  if (planned.team) return predict_on_team(planned);
  const Path path = path_on_gpu<double>(options, devices.engine_rates, n);
  if (!devices.calibration) return std::nullopt;
  const int gpu = current_gpu();
  const std::vector<int> further = helper_gpus(devices.gpus);
  const Device& first = gpu_facts(gpu);
  const int multiprocessors = devices.multiprocessors > 0
                                  ? std::min(devices.multiprocessors, first.multiprocessors)
                                  : first.multiprocessors;
  const TeamRates team = team_rates(*devices.calibration, gpu, further, multiprocessors);
  if (team.devices.front().symv_bytes_per_second <= 0) return std::nullopt;
  ModelMachine machine = machine_of(team, efficiencies_of(measured_machine(usual_machine)));
  machine.ratio = devices.ratio;
  const std::int64_t m = options.vectors ? options.subset.max_count(n) : 0;
  const std::vector<Prediction> predictions = predict(machine, n, m);
  const Path forced = path == Path::two_stage ? Path::one_stage : Path::two_stage;
  const Prediction* const found = find(predictions, path, options.engine);
  const Prediction* const other = find(predictions, forced, options.engine);
  if (!found || !other) return std::nullopt;

  SolvePrediction plan{n,
                       m,
                       calibration,
                       {first.name},
                       to_text(devices.ratio),
                       options.vectors ? *found : of_values(*found),
                       options.vectors ? *other : of_values(*other)};
  for (const MixedPrediction& p : m == n ? predict_mixed(machine, n) : std::vector<MixedPrediction>{})
    if (options.engine == Engine::automatic ? !plan.mixed || p.seconds < plan.mixed->seconds
                                            : p.engine == options.engine)
      plan.mixed = p;
  const std::uint64_t room = devices.memory_limit > 0 ? devices.memory_limit : gpu_device(gpu).memory_free;
  for (const MemoryMode mode :
       {MemoryMode::in_core, MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns}) {
    if (mode != MemoryMode::in_core && devices.gpus > 1) break;
    const std::optional<WorkspaceBytes> bytes = bytes_in_mode(options, n, mode);
    if (!bytes) continue;
    plan.bytes = *bytes;
    if (plan.bytes.device > room) continue;
    plan.mode = mode;
    break;
  }
  if (multiprocessors < first.multiprocessors)
    plan.devices.front() += print(" (%d of %d multiprocessors)", multiprocessors, first.multiprocessors);
  for (const int gpu_index : further) plan.devices.push_back(gpu_facts(gpu_index).name);
  plan.devices.push_back(cpu_name());
  return plan;
}

namespace {

std::uint64_t dense_bytes(const Options& options, const Devices& devices, std::int64_t n) {
  const std::int64_t m = options.vectors ? options.subset.max_count(n) : 0;
  return sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n + m) +
         workspace_bytes<double>(n, options, use_gpu(devices.device, n)).host;
}

// Seconds of the dense solver by the fixed rates of predict_few().
double rough_seconds(const Options& options, const Devices& devices, std::int64_t n) {
  FewOptions few;
  few.count = std::max<std::int64_t>(1, options.vectors ? options.subset.max_count(n) : 1);
  return predict_few(n, -1, few, devices).dense_seconds;
}

}  // namespace

DenseCost dense_cost(const Options& options, const Devices& devices, std::int64_t n) {
  DenseCost cost;
  cost.bytes = dense_bytes(options, devices, n);
  if (use_gpu(devices.device, n)) {
    cost.seconds = rough_seconds(options, devices, n);
    return cost;
  }
  const std::int64_t m = options.vectors ? options.subset.max_count(n) : 0;
  Prediction prediction = predict_on_cpu(calibrate_cpu(Effort::quick, devices.threads), n, m);
  if (!options.vectors) prediction = of_values(std::move(prediction));
  cost.stages = prediction.times;
  cost.seconds = prediction.seconds;
  return cost;
}

std::string large_cost_text(const Options& options, const Devices& devices, std::int64_t n) {
  constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
  if (n == 0 || (rough_seconds(options, devices, n) < 1 && dense_bytes(options, devices, n) < gibibyte))
    return "";
  const DenseCost cost = dense_cost(options, devices, n);
  return print("about %.2g s and %.2g GiB (an estimate)", cost.seconds,
               static_cast<double>(cost.bytes) / static_cast<double>(gibibyte));
}

std::string to_table(const DenseCost& cost) {
  TextTable table({"estimated", "seconds"});
  for (const PredictedStage& stage : cost.stages) table.add({stage.name, print("%.2g", stage.seconds)});
  table.add({"all", print("%.2g", cost.seconds)});
  return left_column("plan", 14) + "the CPU alone, by LAPACK; rates measured now\n" + table.text() +
         left_column("memory", 14) +
         print("%.3g GiB\n", static_cast<double>(cost.bytes) / static_cast<double>(1 << 30));
}

std::string to_table(const SolvePrediction& plan) {
  std::string text = left_column("plan", 14) + "n = " + std::to_string(plan.n) + ", " +
                     (plan.vectors > 0 ? std::to_string(plan.vectors) + " vectors" : "values only") +
                     ", products " + name(plan.prediction.engine) + ", " + words_of(plan.prediction.path) +
                     ", ratio " + plan.ratio + "\n";
  text += left_column("calibration", 14) + plan.calibration + "\n";
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    text += left_column(i == 0 ? "devices" : "", 14) + plan.devices[i] + "\n";
  if (plan.mode)
    text += left_column("memory", 14) + name(*plan.mode) + ", " + bytes_text(plan.bytes.device) +
            " on the GPU, " + bytes_text(plan.bytes.host) + " on the host" +
            (*plan.mode == MemoryMode::in_core ? "" : "; the times are for in_core") + "\n";
  for (std::size_t i = 0; i < plan.bytes_of_gpus.size(); ++i)
    text += left_column(i == 0 ? "memory" : "", 14) + bytes_text(plan.bytes_of_gpus[i]) + " on GPU " +
            std::to_string(i + 1) + " of " + std::to_string(plan.bytes_of_gpus.size()) + "\n";
  TextTable table({"predicted", "seconds", "columns, %"});
  for (const PredictedStage& stage : plan.prediction.times)
    table.add({stage.name, print("%.4f", stage.seconds),
               stage.seconds == 0            ? ""
               : !plan.bytes_of_gpus.empty() ? (stage.name == "band to tridiagonal" ? "first GPU" : "divided")
               : stage.shares.empty()        ? "first GPU"
                                             : shares_text(stage.shares)});
  table.add({"all", print("%.4f", plan.prediction.seconds), ""});
  if (plan.other)
    table.add({std::string("by the ") + words_of(plan.other->path), print("%.4f", plan.other->seconds), ""});
  if (plan.mixed) {
    table.add({"in mixed precision", print("%.4f", plan.mixed->seconds), ""});
    table.add({"  in float", print("%.4f", plan.mixed->in_float.seconds), ""});
    table.add({"  refinement", print("%.4f", plan.mixed->refinement), ""});
  }
  return text + table.text();
}

std::string band_text(const Options& options, const Devices& devices, const io::SymmetricMatrix& matrix) {
  if (path_on_gpu<double>(options, devices.engine_rates, matrix.n) != Path::two_stage) return "";
  const std::int64_t widest = widest_given_band(matrix.n, options.vectors),
                     known = widest_given_band(matrix.n, false), found = bandwidth_of(matrix, known);
  if (found > known) return "";
  return left_column("band", 14) + std::to_string(found) + " diagonals below the main one: " +
         (found <= widest ? "reduced directly, without the first stage\n"
                          : "with vectors it is faster as a full matrix; up to " + std::to_string(widest) +
                                " are reduced directly\n");
}

}  // namespace eigen_g::apps
