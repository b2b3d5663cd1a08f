#include "apps/python/plan.hpp"

#include <initializer_list>
#include <memory>

#include "apps/python/gil.hpp"

namespace eigen_g::python {

namespace nb = nanobind;

namespace {

const char* name(DeviceChoice device) {
  return device == DeviceChoice::automatic ? "auto" : device == DeviceChoice::cpu ? "cpu" : "gpu";
}

const char* name(CholeskyFactor factor) {
  switch (factor) {
    case CholeskyFactor::compute:
      return "compute";
    case CholeskyFactor::compute_and_return:
      return "compute_and_return";
    case CholeskyFactor::reuse:
      break;
  }
  return "reuse";
}

template <class Choice, class Which>
Choice chosen(std::initializer_list<Choice> choices, const std::string& wanted, Which argument) {
  std::string all;
  for (const Choice choice : choices) {
    if (wanted == name(choice)) return choice;
    all += (all.empty() ? "" : ", ") + std::string(name(choice));
  }
  throw InvalidArgument(argument, "is '" + wanted + "', must be one of " + all);
}

// Holds the callback as long as a copy of the Progress function exists. The last copy is destroyed with the GIL held.
struct Reporter {
  nb::object callback;
  void report(Stage stage, double fraction) const {
    const GilHeld gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!callback.is_none()) callback(eigen_g::name(stage), fraction);
  }
};

}  // namespace

CallOptions make_plan(const std::string& dtype, bool lower, bool vectors,
                      std::optional<std::pair<std::int64_t, std::int64_t>> index_range,
                      std::optional<std::pair<double, double>> values, const std::string& path,
                      const std::string& engine, const std::string& device, int gpus, int threads,
                      const std::optional<std::string>& ratio, const std::string& precision,
                      int multiprocessors, std::int64_t memory_limit, int itype, const std::string& factor) {
  CallOptions plan{dtype, {}, {}, itype};
  Options& options = plan.options;
  options.uplo = lower ? Uplo::lower : Uplo::upper;
  options.vectors = vectors;
  if (index_range) options.subset = Subset::by_index(index_range->first, index_range->second);
  if (values) options.subset = Subset::by_value(values->first, values->second);
  options.path = chosen({Path::automatic, Path::one_stage, Path::two_stage}, path, Argument::path);
  options.engine = chosen({Engine::native, Engine::df, Engine::emulated, Engine::ozaki, Engine::ozaki_fast,
                           Engine::ozaki_fp8, Engine::automatic},
                          engine, Argument::engine);
  options.precision = chosen({Precision::native, Precision::mixed}, precision, "precision");
  plan.factor = chosen({CholeskyFactor::compute, CholeskyFactor::compute_and_return, CholeskyFactor::reuse},
                       factor, "factor");
  Devices& devices = plan.devices;
  devices.device =
      chosen({DeviceChoice::automatic, DeviceChoice::cpu, DeviceChoice::gpu}, device, Argument::device);
  devices.gpus = gpus;
  devices.threads = threads;
  devices.multiprocessors = multiprocessors;
  if (memory_limit < 0)
    throw InvalidArgument("memory_limit", "is " + std::to_string(memory_limit) + "; must be at least 0");
  devices.memory_limit = static_cast<std::uint64_t>(memory_limit);
  if (ratio) devices.ratio = parse_ratio(*ratio);
  return plan;
}

Options with_progress(const Options& options, std::int64_t n, nb::object callback) {
  Options result = options;
  if (callback.is_none() && n < min_order_to_interrupt) return result;
  result.progress = [reporter = std::make_shared<Reporter>(Reporter{std::move(callback)})](
                        Stage stage, double fraction) { reporter->report(stage, fraction); };
  return result;
}

}  // namespace eigen_g::python
