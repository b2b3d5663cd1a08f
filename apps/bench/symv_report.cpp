#include "apps/bench/symv_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/bench/text_table.hpp"
#include "apps/cli/text.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

double half_bytes(const SymvCase& c) {
  const auto n = static_cast<double>(c.n);
  return n * (n + 1) / 2 * static_cast<double>(element_bytes(c.type));
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json figure_json(const SymvFigure& f) {
  Json object{{"name", f.name}, {"bytes", f.bytes}, {"flops", f.flops}};
  const bool measured = f.failure.empty();
  auto put = [&](const char* key, double value) { object[key] = measured ? Json(value) : Json(nullptr); };
  put("seconds", f.seconds);
  put("low", f.low);
  put("high", f.high);
  put("gbytes_per_second", f.bytes / f.seconds * 1e-9);
  put("gflops", f.flops / f.seconds * 1e-9);
  object["in_l2_seconds"] = or_null(f.in_l2_seconds);
  object["calls"] = f.calls;
  object["rounds"] = f.rounds;
  object["graph"] = f.graph;
  object["error"] = or_null(f.error);
  object["failure"] = measured ? Json(nullptr) : Json(f.failure);
  return object;
}

Json case_json(const SymvCase& c) {
  Json figures = Json::array();
  for (const SymvFigure& f : c.figures) figures.push_back(figure_json(f));
  return {{"type", std::string(1, static_cast<char>(c.type))},
          {"uplo", std::string(1, static_cast<char>(c.uplo))},
          {"n", c.n},
          {"lda", c.lda},
          {"half_bytes", half_bytes(c)},
          {"rotation", c.rotation},
          {"past_l2", c.past_l2},
          {"config", c.config},
          {"repeats", c.repeats},
          {"bit_for_bit", c.bit_for_bit},
          {"skipped", c.skipped.empty() ? Json(nullptr) : Json(c.skipped)},
          {"figures", figures}};
}

std::string microseconds(double seconds) {
  return print(seconds < 1e-4 ? "%.2f" : "%.1f", seconds * 1e6);
}

double rate(const SymvFigure& f) {
  return f.bytes / f.seconds * 1e-9;
}

// GB/s of a peer and how many times its rate eigen_g reaches.
void add_peer(std::vector<std::string>& row, const SymvFigure* own, const SymvFigure* peer) {
  row.push_back(peer ? print("%.0f", rate(*peer)) : "-");
  row.push_back(own && peer ? print("%.2f", rate(*own) / rate(*peer)) : "-");
}

std::string in_l2(const SymvFigure* figure) {
  return figure && figure->in_l2_seconds ? microseconds(*figure->in_l2_seconds) : "-";
}

}  // namespace

const SymvFigure* SymvCase::figure(const std::string& name) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const SymvFigure& f) { return f.name == name && f.failure.empty(); });
  return found == figures.end() ? nullptr : &*found;
}

bool passed(const SymvBench& bench) {
  const auto skipped = [](const SymvCase& c) { return !c.skipped.empty(); };
  if (std::all_of(bench.cases.begin(), bench.cases.end(), skipped)) return false;
  return std::all_of(bench.cases.begin(), bench.cases.end(), [&](const SymvCase& c) {
    if (skipped(c)) return true;
    const SymvFigure* own = c.figure("eigen_g");
    return own && own->error && *own->error <= bench.error_limit && c.bit_for_bit;
  });
}

Json json_of(const SymvBench& bench, const Json& machine) {
  Json cases = Json::array();
  for (const SymvCase& c : bench.cases) cases.push_back(case_json(c));
  return {{"format", "eigen_g-bench-symv"},   {"version", 1},  {"machine", machine}, {"table", bench.table},
          {"error_limit", bench.error_limit}, {"cases", cases}};
}

std::string to_table(const SymvBench& bench) {
  TextTable table({"type",    "uplo",   "n",       "us",    "GB/s",       "GFLOP/s", "cuBLAS", "x",
                   "atomics", "x",      "stream",  "x",     "stream at.", "x",       "dgemv",  "x",
                   "L2: us",  "cuBLAS", "atomics", "error", "bits",       "config"});
  for (const SymvCase& c : bench.cases) {
    if (!c.skipped.empty()) continue;
    const SymvFigure* own = c.figure("eigen_g");
    const SymvFigure* cublas = c.figure("cublas");
    const SymvFigure* atomics = c.figure("cublas_atomics");
    std::vector<std::string> row{std::string(1, static_cast<char>(c.type)),
                                 std::string(1, static_cast<char>(c.uplo)),
                                 std::to_string(c.n) + (c.past_l2 ? "" : "*")};
    row.push_back(own ? microseconds(own->seconds) : "failed");
    row.push_back(own ? print("%.0f", rate(*own)) : "-");
    row.push_back(own ? print("%.0f", own->flops / own->seconds * 1e-9) : "-");
    add_peer(row, own, cublas);
    add_peer(row, own, atomics);
    for (const char* name : {"cublas_stream", "cublas_stream_atomics"}) add_peer(row, own, c.figure(name));
    add_peer(row, own, c.figure("cublas_dgemv"));
    for (const SymvFigure* f : {own, cublas, atomics}) row.push_back(in_l2(f));
    row.push_back(own && own->error ? print("%.2g", *own->error) : "-");
    row.push_back(c.bit_for_bit ? "same" : "DIFFER");
    row.push_back(c.config);
    table.add(row);
  }
  std::string text = table.text();
  text +=
      "GB/s of the half matrix (dgemv: of the whole), inputs rotated past the L2 (*: they fit it); x: "
      "eigen_g's rate\n"
      "over that one's; stream: cuBLAS queued call by call, not as a graph; at.: with\natomics. L2: one "
      "matrix again and again, "
      "microseconds a call. error: of the limit " +
      print("%g", bench.error_limit) + ".\n";
  for (const SymvCase& c : bench.cases) {
    const std::string which = print("%c %c n = %lld", static_cast<char>(c.type), static_cast<char>(c.uplo),
                                    static_cast<long long>(c.n));
    if (!c.skipped.empty()) text += "skipped: " + which + ": " + c.skipped + "\n";
    for (const SymvFigure& f : c.figures)
      if (!f.failure.empty()) text += "failed: " + which + " " + f.name + ": " + f.failure + "\n";
  }
  return text;
}

}  // namespace eigen_g::apps::bench
