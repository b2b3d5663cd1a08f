#include "apps/bench/timed_call.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/cli/text.hpp"

namespace eigen_g::apps::bench {

nlohmann::ordered_json json_of(const TimedCall& call) {
  using Json = nlohmann::ordered_json;
  const bool measured = call.failure.empty();
  const auto or_null = [&](auto value) { return measured ? Json(value) : Json(nullptr); };
  return {{"name", call.name},
          {"seconds", or_null(call.seconds)},
          {"low", or_null(call.low)},
          {"high", or_null(call.high)},
          {"rounds", call.rounds},
          {"device_bytes", call.device_bytes ? Json(*call.device_bytes) : Json(nullptr)},
          {"failure", measured ? Json(nullptr) : Json(call.failure)}};
}

const TimedCall* find(const std::vector<TimedCall>& calls, const std::string& name) {
  const auto found = std::find_if(calls.begin(), calls.end(),
                                  [&](const TimedCall& c) { return c.name == name && c.failure.empty(); });
  return found == calls.end() ? nullptr : &*found;
}

std::optional<double> ratio(const std::vector<TimedCall>& calls, const std::string& own,
                            const std::vector<std::string>& peers) {
  const TimedCall* const our_call = find(calls, own);
  std::optional<double> fastest;
  for (const std::string& name : peers)
    if (const TimedCall* const peer = find(calls, name))
      fastest = std::min(fastest.value_or(peer->seconds), peer->seconds);
  if (!our_call || !fastest) return std::nullopt;
  return *fastest / our_call->seconds;
}

std::string seconds_text(const TimedCall* call) {
  if (!call) return "-";
  return call->seconds < 1 ? print("%.2f ms", call->seconds * 1e3) : print("%.3f s", call->seconds);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? print("%.2f", *ratio) : "-";
}

}  // namespace eigen_g::apps::bench
