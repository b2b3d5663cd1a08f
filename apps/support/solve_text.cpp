#include "apps/support/solve_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/support/text.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps {

namespace {

// The engines that did flops, the one with the most first; "": none.
std::string engines_of(const EngineFlops& flops) {
  std::vector<Engine> ran;
  for (const Engine engine : engines())
    if (flops[engine] > 0) ran.push_back(engine);
  std::stable_sort(ran.begin(), ran.end(), [&](Engine i, Engine j) { return flops[i] > flops[j]; });
  std::string text;
  for (const Engine engine : ran) text += (text.empty() ? "" : "+") + std::string(name(engine));
  return text;
}

}  // namespace

std::string device_text(const DeviceWork& device) {
  if (device.gpu < 0) return device.name;
  const int all = device.gpu < gpu_count() ? gpu_facts(device.gpu).multiprocessors : device.multiprocessors;
  return device.name + (device.multiprocessors < all
                            ? print(" (%d of %d multiprocessors)", device.multiprocessors, all)
                            : std::string());
}

std::string devices_text(const std::vector<DeviceWork>& devices) {
  std::vector<std::string> names;
  for (const DeviceWork& device : devices) names.push_back(device_text(device));
  return joined(names);
}

std::string devices_text(const Report& solve) {
  return devices_text(solve.devices);
}

std::string ratio_text(const Report& solve, const Ratio& wanted) {
  if (solve.devices.size() == 1) return "1";
  if (!wanted.automatic()) return to_text(wanted);
  Ratio percent;
  for (const DeviceWork& device : solve.devices)
    percent.shares.push_back(std::round(1000 * device.share) / 10);
  return to_text(percent);
}

std::string engines_text(const Report& solve) {
  std::vector<std::pair<Stage, std::string>> ran;
  for (const StageWork& work : solve.stages)
    if (std::string engines = engines_of(work.flops); !engines.empty()) ran.emplace_back(work.stage, engines);
  if (ran.empty()) return name(Engine::native);
  if (std::all_of(ran.begin(), ran.end(), [&](const auto& one) { return one.second == ran.front().second; }))
    return ran.front().second;
  std::string text;
  for (const auto& [stage, engines] : ran)
    text += (text.empty() ? "" : ", ") + std::string(name(stage)) + " " + engines;
  return text;
}

std::string refinement_text(const Refinement& r) {
  const auto count = [](std::int64_t number, const char* what) {
    return print("%lld ", static_cast<long long>(number)) + what + (number == 1 ? "" : "s");
  };
  const std::string native = "native, not mixed: ", tried = native + count(r.steps, "step") + ", then ";
  switch (r.result) {
    case Refinement::Result::native:
      return "native";
    case Refinement::Result::refined:
      return print("mixed: in float %.4f s, ", r.float_seconds) + count(r.steps, "step") +
             print(" of refinement %.4f s, ", r.seconds) + count(r.clusters, "cluster");
    case Refinement::Result::out_of_scope:
      return native + "mixed needs all pairs of a real double matrix on a GPU with enough memory";
    case Refinement::Result::float_failed:
      return native + "float did not converge";
    case Refinement::Result::large_clusters:
      return tried + print("a cluster of %lld", static_cast<long long>(r.largest_cluster));
    case Refinement::Result::diverged:
      return tried + "no convergence";
  }
  return "";
}

std::vector<std::string> fallback_names(const Report& solve) {
  std::vector<std::string> names;
  for (const Fallback fallback : solve.fallbacks) names.emplace_back(name(fallback));
  return names;
}

std::string memory_text(const Report& solve) {
  std::string text = name(solve.mode);
  std::replace(text.begin(), text.end(), '_', ' ');
  if (solve.slabs_of_rows > 0)
    text += ", " + std::to_string(solve.slabs_of_rows) + " slabs of rows, " +
            std::to_string(solve.slabs_of_columns) + " of columns";
  if (solve.mode == MemoryMode::parked || solve.slabs_of_rows > 0) text += ", with data in host memory";
  return text;
}

std::string fallbacks_text(const Report& solve) {
  return words(joined(fallback_names(solve))) + ": too little GPU memory";
}

}  // namespace eigen_g::apps
