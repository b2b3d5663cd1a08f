#include "apps/bench/tridiagonalize_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/bench/text_table.hpp"
#include "apps/cli/text.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> peers{"cusolver", "cusolver_nondeterministic"};

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> rate(const TridiagonalizeCase& c) {
  const TimedCall* const own = find(c.calls, "eigen_g");
  return own ? std::optional(c.bytes() / own->seconds * 1e-9) : std::nullopt;
}

Json json_of(const TridiagonalizeBreakdown& b) {
  return {{"total", b.total},   {"product", b.product},
          {"update", b.update}, {"synchronisation", b.synchronisation},
          {"panel", b.panel()}, {"panel_columns", b.panel_columns},
          {"blocks", b.blocks}, {"sizes_measured", b.sizes_measured}};
}

Json json_of(const TridiagonalizeCase& c) {
  Json calls = Json::array();
  for (const TimedCall& call : c.calls) calls.push_back(bench::json_of(call));
  Json checks{{"backward", or_null(c.backward)},
              {"orthogonality", or_null(c.orthogonality)},
              {"trace", or_null(c.trace)},
              {"squares", or_null(c.squares)},
              {"eigenvalues", or_null(c.eigenvalues)},
              {"bit_for_bit", c.bit_for_bit ? Json(*c.bit_for_bit) : Json(nullptr)}};
  return {{"n", c.n},
          {"lda", c.lda},
          {"bytes", c.bytes()},
          {"skipped", c.skipped.empty() ? Json(nullptr) : Json(c.skipped)},
          {"calls", calls},
          {"gbytes_per_second", or_null(rate(c))},
          {"ratio", or_null(ratio(c.calls, "eigen_g", peers))},
          {"checks", c.skipped.empty() ? checks : Json(nullptr)},
          {"brief", c.brief},
          {"breakdown", c.breakdown ? json_of(*c.breakdown) : Json(nullptr)}};
}

double limit_for(std::int64_t n) {
  return n < 64 ? small_reduction_limit : reduction_limit;
}

// A NaN is not within a limit.
bool within(const std::optional<double>& value, double limit) {
  return !value || *value <= limit;
}

bool passed(const TridiagonalizeCase& c) {
  if (!find(c.calls, "eigen_g") || !within(c.eigenvalues, identity_limit)) return false;
  if (c.brief && c.eigenvalues) return true;
  return within(c.backward, limit_for(c.n)) && within(c.orthogonality, limit_for(c.n)) && c.trace &&
         within(c.trace, identity_limit) && c.squares && within(c.squares, identity_limit) &&
         c.bit_for_bit.value_or(false);
}

std::string figure(const std::optional<double>& value) {
  return value ? print("%.2g", *value) : "-";
}

std::string breakdown_table(const TridiagonalizeBench& bench) {
  TextTable table({"n", "total ms", "on chip", "product", "panel", "update", "synchronisation"});
  bool any = false;
  for (const TridiagonalizeCase& c : bench.cases) {
    if (!c.breakdown) continue;
    any = true;
    const auto ms = [](double seconds) { return print("%.2f", seconds * 1e3); };
    const TridiagonalizeBreakdown& b = *c.breakdown;
    table.add({std::to_string(c.n), ms(b.total), ms(b.on_chip), ms(b.product), ms(b.panel()), ms(b.update),
               ms(b.synchronisation)});
  }
  return any ? "\n" + table.text() +
                   "product, update and synchronisation measured alone on the same shapes; panel is what is "
                   "left,\nless the products that updates of large matrices make on their way.\n"
             : "";
}

}  // namespace

bool passed(const TridiagonalizeBench& bench) {
  const auto skipped = [](const TridiagonalizeCase& c) { return !c.skipped.empty(); };
  if (std::all_of(bench.cases.begin(), bench.cases.end(), skipped)) return false;
  return std::all_of(bench.cases.begin(), bench.cases.end(),
                     [&](const TridiagonalizeCase& c) { return skipped(c) || passed(c); });
}

Json json_of(const TridiagonalizeBench& bench, const Json& machine) {
  Json cases = Json::array();
  for (const TridiagonalizeCase& c : bench.cases) cases.push_back(json_of(c));
  return {{"format", "eigen_g-bench-tridiagonalize"},
          {"version", 1},
          {"machine", machine},
          {"cusolver", bench.cusolver},
          {"limits",
           {{"reduction", reduction_limit},
            {"small_reduction", small_reduction_limit},
            {"identity", identity_limit}}},
          {"cases", cases}};
}

std::string to_table(const TridiagonalizeBench& bench) {
  TextTable table({"n", "eigen_g", "GB/s", "cuSOLVER", "non-det.", "x", "backward", "orthog.", "trace",
                   "squares", "values", "bits"});
  for (const TridiagonalizeCase& c : bench.cases) {
    if (!c.skipped.empty()) continue;
    const auto gbytes = rate(c);
    table.add({std::to_string(c.n), seconds_text(find(c.calls, "eigen_g")),
               gbytes ? print("%.0f", *gbytes) : "-", seconds_text(find(c.calls, "cusolver")),
               seconds_text(find(c.calls, "cusolver_nondeterministic")),
               ratio_text(ratio(c.calls, "eigen_g", peers)), figure(c.backward), figure(c.orthogonality),
               figure(c.trace), figure(c.squares), figure(c.eigenvalues),
               !c.bit_for_bit   ? "-"
               : *c.bit_for_bit ? "same"
                                : "DIFFER"});
  }
  std::string text =
      table.text() +
      "GB/s: 4/3 n^3 bytes over eigen_g's time; x: the faster cuSOLVER mode's time over eigen_g's.\n"
      "Ratios in n ulp units; limits: backward, orthogonality " +
      print("%g, the others %g.\n", reduction_limit, identity_limit) + breakdown_table(bench);
  for (const TridiagonalizeCase& c : bench.cases) {
    const std::string which = "n = " + std::to_string(c.n);
    if (!c.skipped.empty()) text += "skipped: " + which + ": " + c.skipped + "\n";
    for (const TimedCall& call : c.calls)
      if (!call.failure.empty()) text += "failed: " + which + " " + call.name + ": " + call.failure + "\n";
  }
  return text;
}

}  // namespace eigen_g::apps::bench
