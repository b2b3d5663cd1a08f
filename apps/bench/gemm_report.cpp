#include "apps/bench/gemm_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/bench/text_table.hpp"
#include "apps/cli/text.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

double tflops(const GemmCase& c, const GemmFigure& f) {
  return c.flops() / f.seconds * 1e-12;
}

Json figure_json(const GemmCase& c, const GemmFigure& f) {
  const bool measured = f.failure.empty();
  Json object{{"name", f.name}};
  auto put = [&](const char* key, double value) { object[key] = measured ? Json(value) : Json(nullptr); };
  put("seconds", f.seconds);
  put("low", f.low);
  put("high", f.high);
  object["tflops"] = measured && f.multiplies ? Json(tflops(c, f)) : Json(nullptr);
  object["rounds"] = f.rounds;
  object["error"] = or_null(f.error);
  object["failure"] = measured ? Json(nullptr) : Json(f.failure);
  return object;
}

Json case_json(const GemmCase& c) {
  Json figures = Json::array();
  for (const GemmFigure& f : c.figures) figures.push_back(figure_json(c, f));
  return {{"op", c.op},
          {"m", c.m},
          {"n", c.n},
          {"k", c.k},
          {"automatic", name(c.automatic)},
          {"df_over_sgemm", or_null(c.df_over_sgemm())},
          {"skipped", c.skipped.empty() ? Json(nullptr) : Json(c.skipped)},
          {"figures", figures}};
}

Json rate_json(const EngineRate& r) {
  return {{"flops_per_second", r.flops_per_second},
          {"seconds_per_entry", r.seconds_per_entry},
          {"smallest_result", r.smallest_result}};
}

std::string shape(const GemmCase& c) {
  return print("%s %lld x %lld, k = %lld", c.op.c_str(), static_cast<long long>(c.m),
               static_cast<long long>(c.n), static_cast<long long>(c.k));
}

bool is_engine(const GemmFigure& f) {
  return engine_of(f.name).has_value();
}

}  // namespace

double GemmCase::flops() const {
  return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

const GemmFigure* GemmCase::figure(const std::string& name) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const GemmFigure& f) { return f.name == name && f.failure.empty(); });
  return found == figures.end() ? nullptr : &*found;
}

std::optional<double> GemmCase::df_over_sgemm() const {
  const GemmFigure* df = figure("df");
  const GemmFigure* sgemm = figure("sgemm");
  if (!df || !sgemm) return std::nullopt;
  return sgemm->seconds / df->seconds;
}

bool passed(const GemmBench& bench) {
  const auto skipped = [](const GemmCase& c) { return !c.skipped.empty(); };
  if (std::all_of(bench.cases.begin(), bench.cases.end(), skipped)) return false;
  return std::all_of(bench.cases.begin(), bench.cases.end(), [&](const GemmCase& c) {
    return skipped(c) || std::all_of(c.figures.begin(), c.figures.end(), [](const GemmFigure& f) {
             return !is_engine(f) || (f.failure.empty() && f.error && *f.error <= gemm_error_limit);
           });
  });
}

Json json_of(const GemmBench& bench, const Json& machine) {
  Json cases = Json::array();
  for (const GemmCase& c : bench.cases) cases.push_back(case_json(c));
  Json rates;
  for (const Engine engine : engines()) rates[name(engine)] = rate_json(bench.rates[engine]);
  rates["seconds"] = bench.rates_seconds;
  return {{"format", "eigen_g-bench-gemm"},  {"version", 1},   {"machine", machine},
          {"error_limit", gemm_error_limit}, {"rates", rates}, {"cases", cases}};
}

std::string to_table(const GemmBench& bench) {
  TextTable table({"op", "m", "n", "k", "native", "df", "emulated", "sgemm", "df/sgemm", "df alone",
                   "convert %", "error: native", "df", "emulated", "auto"});
  for (const GemmCase& c : bench.cases) {
    if (!c.skipped.empty()) continue;
    std::vector<std::string> row{c.op, std::to_string(c.m), std::to_string(c.n), std::to_string(c.k)};
    const auto rate = [&](const char* name) {
      const GemmFigure* f = c.figure(name);
      row.push_back(f ? print("%.2f", tflops(c, *f)) : "-");
    };
    for (const char* name : {"native", "df", "emulated", "sgemm"}) rate(name);
    const auto ratio = c.df_over_sgemm();
    row.push_back(ratio ? print("%.4f", *ratio) : "-");
    rate("df_product");
    const GemmFigure* convert = c.figure("df_convert");
    const GemmFigure* df = c.figure("df");
    row.push_back(convert && df ? print("%.2f", 100 * convert->seconds / df->seconds) : "-");
    for (const char* name : {"native", "df", "emulated"}) {
      const GemmFigure* f = c.figure(name);
      row.push_back(f && f->error ? print("%.2g", *f->error) : "-");
    }
    row.emplace_back(name(c.automatic));
    table.add(row);
  }
  std::string text = table.text();
  text +=
      "TFLOP/s, medians, conversions included (df alone: operands already converted). error: max |C - C_ref| "
      "in "
      "units of k 2^-45 |A||B|, limit " +
      print("%g", gemm_error_limit) + ". auto: the engine that the automatic choice takes.\n";
  for (const GemmCase& c : bench.cases) {
    if (!c.skipped.empty()) text += "skipped: " + shape(c) + ": " + c.skipped + "\n";
    for (const GemmFigure& f : c.figures)
      if (!f.failure.empty()) text += "failed: " + shape(c) + " " + f.name + ": " + f.failure + "\n";
  }
  return text;
}

}  // namespace eigen_g::apps::bench
