#include "apps/bench/solve_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/bench/text_table.hpp"
#include "apps/cli/text.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

const char* const own_calls[] = {"device_vectors", "device_values", "host_vectors", "host_values"};

std::optional<double> ratio_of(const SolveCase& c, const std::string& what) {
  return ratio(c.calls, "device_" + what, {"cusolver_" + what, "cusolver_nondeterministic_" + what});
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json call_json(const SolveCase& c, const TimedCall& call) {
  Json object = json_of(call);
  if (const auto stages = c.stages.find(call.name); stages != c.stages.end()) {
    Json seconds = Json::object();
    for (const Stage stage : all_stages)
      seconds[name(stage)] = stages->second[static_cast<std::size_t>(stage)];
    object["stages"] = seconds;
  }
  const auto checks = c.checks.find(call.name);
  const bool checked = checks != c.checks.end();
  object["residual"] = checked ? Json(checks->second.residual) : Json(nullptr);
  object["orthogonality"] = checked ? Json(checks->second.orthogonality) : Json(nullptr);
  return object;
}

Json case_json(const SolveCase& c) {
  Json calls = Json::array();
  for (const TimedCall& call : c.calls) calls.push_back(call_json(c, call));
  return {
      {"n", c.n},
      {"skipped", c.skipped.empty() ? Json(nullptr) : Json(c.skipped)},
      {"calls", calls},
      {"ratios", {{"vectors", or_null(ratio_of(c, "vectors"))}, {"values", or_null(ratio_of(c, "values"))}}},
      {"values", or_null(c.values)},
      {"bit_for_bit", c.bit_for_bit ? Json(*c.bit_for_bit) : Json(nullptr)},
      {"brief", c.brief}};
}

bool passes(const SolveCase& c, const std::string& call) {
  const auto checks = c.checks.find(call);
  return checks != c.checks.end() && checks->second.residual <= lapack_ratio_limit &&
         checks->second.orthogonality <= lapack_ratio_limit;
}

bool passed(const SolveCase& c) {
  if (!find(c.calls, "device_vectors") || !passes(c, "device_vectors") || !c.bit_for_bit.value_or(c.brief))
    return false;
  if (c.brief) return true;
  for (const char* name : own_calls)
    if (!find(c.calls, name)) return false;
  return passes(c, "host_vectors") && c.values && *c.values <= solve_value_limit;
}

std::string check_text(const SolveCase& c, const std::string& call) {
  const auto found = c.checks.find(call);
  return found == c.checks.end() ? "-"
                                 : print("%.2g, %.2g", found->second.residual, found->second.orthogonality);
}

std::string stage_table(const SolveBench& bench) {
  std::vector<std::string> header{"ms a stage", "n"};
  for (const Stage stage : all_stages) header.push_back(words(name(stage)));
  TextTable table(header);
  for (const SolveCase& c : bench.cases)
    for (const char* call : own_calls) {
      const auto stages = c.stages.find(call);
      if (stages == c.stages.end()) continue;
      std::vector<std::string> row{words(call), std::to_string(c.n)};
      for (const double seconds : stages->second) row.push_back(print("%.2f", seconds * 1e3));
      table.add(row);
    }
  return table.text();
}

}  // namespace

bool passed(const SolveBench& bench) {
  const auto skipped = [](const SolveCase& c) { return !c.skipped.empty(); };
  if (std::all_of(bench.cases.begin(), bench.cases.end(), skipped)) return false;
  return std::all_of(bench.cases.begin(), bench.cases.end(),
                     [&](const SolveCase& c) { return skipped(c) || passed(c); });
}

Json json_of(const SolveBench& bench, const Json& machine) {
  Json cases = Json::array();
  for (const SolveCase& c : bench.cases) cases.push_back(case_json(c));
  return {{"format", "eigen_g-bench-solve"},
          {"version", 1},
          {"machine", machine},
          {"cusolver", bench.cusolver},
          {"limit", lapack_ratio_limit},
          {"value_limit", solve_value_limit},
          {"cases", cases}};
}

std::string to_table(const SolveBench& bench) {
  TextTable table({"n", "eigen_g", "cuSOLVER", "non-det.", "x", "values only", "cuSOLVER", "non-det.", "x",
                   "host pointers", "values only", "ratios", "host", "cuSOLVER", "bits"});
  for (const SolveCase& c : bench.cases) {
    if (!c.skipped.empty()) continue;
    const auto seconds = [&](const char* name) { return seconds_text(find(c.calls, name)); };
    table.add({std::to_string(c.n), seconds("device_vectors"), seconds("cusolver_vectors"),
               seconds("cusolver_nondeterministic_vectors"), ratio_text(ratio_of(c, "vectors")),
               seconds("device_values"), seconds("cusolver_values"),
               seconds("cusolver_nondeterministic_values"), ratio_text(ratio_of(c, "values")),
               seconds("host_vectors"), seconds("host_values"), check_text(c, "device_vectors"),
               check_text(c, "host_vectors"), check_text(c, "cusolver_vectors"),
               !c.bit_for_bit   ? "-"
               : *c.bit_for_bit ? "same"
                                : "DIFFER"});
  }
  std::string text =
      table.text() +
      "x: the faster cuSOLVER mode's time over eigen_g's on device pointers. ratios: LAPACK's, residual and\n"
      "orthogonality, limit " +
      print("%g. eigen_g allocates within its time, cuSOLVER's workspace is there before.\n\n",
            lapack_ratio_limit) +
      stage_table(bench);
  for (const SolveCase& c : bench.cases) {
    const std::string which = "n = " + std::to_string(c.n);
    if (!c.skipped.empty()) text += "skipped: " + which + ": " + c.skipped + "\n";
    for (const TimedCall& call : c.calls)
      if (!call.failure.empty())
        text += "failed: " + which + " " + words(call.name) + ": " + call.failure + "\n";
  }
  return text;
}

}  // namespace eigen_g::apps::bench
