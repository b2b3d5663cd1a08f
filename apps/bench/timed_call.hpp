// The time of one way to do a task, as the reports of `bench tridiagonalize` and `bench solve` tell it.
//
// JSON: name, seconds (median), low, high (quartiles), rounds, device_bytes (workspace beside the operands; null where it
// is not known), failure (null, or why there are no numbers, which are then null).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace eigen_g::apps::bench {

struct TimedCall {
  std::string name;
  double seconds = 0, low = 0, high = 0;
  int rounds = 0;
  std::optional<std::uint64_t> device_bytes;
  std::string failure;  // not empty: no numbers
};

nlohmann::ordered_json json_of(const TimedCall& call);

// By name; null: absent or failed.
const TimedCall* find(const std::vector<TimedCall>& calls, const std::string& name);

// How many times as long the fastest of `peers` takes as `own`; nothing where it or all of them are missing.
std::optional<double> ratio(const std::vector<TimedCall>& calls, const std::string& own,
                            const std::vector<std::string>& peers);

// For tables: "12.3 ms", "-".
std::string seconds_text(const TimedCall* call);
std::string ratio_text(const std::optional<double>& ratio);

}  // namespace eigen_g::apps::bench
