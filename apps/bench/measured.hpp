// What the commands of all benchmarks do around their measurement.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apps/bench/machine.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/exit_codes.hpp"
#include "apps/cli/progress.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps::bench {

// Throws DeviceError where there is no GPU.
inline void require_gpu_for(const std::string& benchmark) {
  if (gpu_count() == 0) throw DeviceError("bench " + benchmark + " needs a GPU, and there is none");
}

// measure(tell), with tell(what, fraction) for the progress line, gives a result of which to_table, json_of and passed
// are known.
template <class Measure>
ExitCode put_measured(const std::string& benchmark, const RunOptions& run, Measure&& measure) {
  require_gpu_for(benchmark);
  ReportSink sink(run);
  const auto result = [&] {
    Progress progress(!run.quiet);
    return measure([&](const std::string& what, double fraction) {
      progress.at("bench " + benchmark + (what.empty() ? "" : " " + what), fraction);
    });
  }();
  sink.put(to_table(result), json_of(result, machine_json()).dump(1) + "\n");
  return passed(result) ? ExitCode::done : ExitCode::not_verified;
}

}  // namespace eigen_g::apps::bench
