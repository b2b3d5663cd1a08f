#include "apps/cli/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

// The values of a verification: name in JSON, name in the table (the first four names are the paper's), member.
struct Figure {
  const char* key;
  const char* label;
  double Verification::*value;
};
constexpr std::array<Figure, 7> figures{{
    {"machine_eps", "machine.EPS", &Verification::eps},
    {"residual_frobenius", "|AZ-ZW|_F", &Verification::residual_frobenius},
    {"reconstruction", "|A-ZWZ^t|/(N|A|)", &Verification::reconstruction},
    {"orthogonality", "|Z^tZ-I|/(N)", &Verification::orthogonality},
    {"lapack_residual", "LAPACK residual ratio", &Verification::lapack_residual},
    {"lapack_orthogonality", "LAPACK orthogonality ratio", &Verification::lapack_orthogonality},
    {"worst_residual", "worst pair |Az-wz|/|A|_F", &Verification::worst_residual},
}};

bool defined(const Verification& check, const Figure& figure) {
  return figure.value != &Verification::reconstruction || check.reconstruction != -1;
}

// Each stage once, in the order in which the stages began.
std::vector<Stage> stages_of(const Report& solve) {
  std::vector<Stage> stages;
  for (const StageWork& work : solve.stages)
    if (std::find(stages.begin(), stages.end(), work.stage) == stages.end()) stages.push_back(work.stage);
  return stages;
}

// solve: null for a verification. plan: null if nothing was predicted.
std::string seconds_rows(const Seconds& s, const Report* solve, const SolvePrediction* plan) {
  std::string text = "seconds\n" + seconds_row("  ", "read", s.read);
  if (solve) {
    text += seconds_row("  ", "solve", solve->seconds);
    for (const Stage stage : stages_of(*solve))
      if (solve->seconds_of(stage) > 0)
        text += seconds_row("    ", words(name(stage)), solve->seconds_of(stage),
                            plan ? plan->seconds_of(stage) : 0);
  }
  if (s.verify) text += seconds_row("  ", "verify", *s.verify);
  if (s.write) text += seconds_row("  ", "write", *s.write);
  return text + seconds_row("  ", "total", s.total);
}

std::string count_text(const SolveReport& r) {
  const auto count = static_cast<std::int64_t>(r.values.size());
  std::string text = std::to_string(count);
  if (r.subset.by == Subset::By::all) return text;
  text += " of " + std::to_string(r.matrix.n);
  if (count > 0)
    text += ", indices " + std::to_string(r.solve.first_index) + " to " +
            std::to_string(r.solve.first_index + count - 1);
  return text;
}

Json seconds_json(const Seconds& s, const Report& solve, const std::optional<SolvePrediction>& plan) {
  Json stages = Json::object(), predicted;
  for (const Stage stage : stages_of(solve)) stages[name(stage)] = solve.seconds_of(stage);
  if (plan) {
    for (const Stage stage : plan->stages()) predicted[name(stage)] = plan->seconds_of(stage);
    predicted["calibration"] = plan->calibration;
  }
  return {{"read", s.read},
          {"solve", solve.seconds},
          {"stages", stages},
          {"predicted", predicted},
          {"verify", number_or_null(s.verify)},
          {"write", number_or_null(s.write)},
          {"total", s.total}};
}

// Only the first GPU uses engines; all other devices use native products.
std::string engine_of_device(const Report& solve, std::size_t i) {
  return i == 0 ? engines_text(solve) : name(Engine::native);
}

std::string device_row(const Report& solve, std::size_t i) {
  const DeviceWork& device = solve.devices[i];
  if (device.stages.empty())
    return report_row("  share", print("%.4g of the products, %.4f s, ", device.share, device.seconds) +
                                     engine_of_device(solve, i) + ", " + device_text(device));
  return report_row("  GPU " + std::to_string(device.gpu),
                    print("%.4f s, %.4g Tflop, ", device.seconds, device.flops * 1e-12) +
                        bytes_text(device.bytes) + ", " + device_text(device));
}

Json devices_json(const Report& solve) {
  Json list = Json::array();
  for (std::size_t i = 0; i < solve.devices.size(); ++i) {
    const DeviceWork& device = solve.devices[i];
    list.push_back({{"name", device_text(device)},
                    {"share", device.share},
                    {"seconds", device.seconds},
                    {"engine", engine_of_device(solve, i)},
                    {"bytes", device.bytes},
                    {"flops", device.flops}});
    for (const StageWork& work : device.stages) list.back()["stages"][name(work.stage)] = work.seconds;
  }
  return list;
}

Json head(const char* format) {
  return {{"format", format}, {"version", 2}, {"eigen_g", version()}};
}

Json refinement_json(const Refinement& r) {
  if (r.result == Refinement::Result::native) return {};
  return {{"result", name(r.result)},   {"steps", r.steps},
          {"clusters", r.clusters},     {"largest_cluster", r.largest_cluster},
          {"correction", r.correction}, {"float_seconds", r.float_seconds},
          {"seconds", r.seconds}};
}

}  // namespace

std::string matrix_row(const MatrixFacts& m) {
  std::string text = report_row("matrix", m.file) + report_row("  format", m.format) +
                     report_row("  type", io::name(m.type)) + report_row("  n", std::to_string(m.n));
  if (m.symmetrized) text += report_row("  symmetrized", print("max |a_ij - a_ji| was %.2g", m.asymmetry));
  return text;
}

std::string seconds_row(const std::string& indent, const std::string& name, double seconds,
                        double predicted) {
  constexpr std::size_t width = 26;
  return left_column(indent + name, width) + print("%10.4f", seconds) +
         (predicted > 0 ? print("   predicted %.4f\n", predicted) : "\n");
}

nlohmann::ordered_json matrix_json(const MatrixFacts& m) {
  return {{"file", m.file},
          {"format", m.format},
          {"type", std::string(1, static_cast<char>(m.type))},
          {"n", m.n},
          {"triangle", m.triangle == Uplo::lower ? "lower" : "upper"},
          {"symmetrized", m.symmetrized},
          {"asymmetry", m.asymmetry}};
}

nlohmann::ordered_json subset_json(const Subset& subset) {
  switch (subset.by) {
    case Subset::By::all:
      break;
    case Subset::By::index:
      return {{"by", "index"}, {"first", subset.first}, {"last", subset.last}};
    case Subset::By::value:
      return {{"by", "value"}, {"above", subset.above}, {"upto", subset.upto}};
  }
  return {};
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

nlohmann::ordered_json name_or_null(const std::string& file) {
  return file.empty() ? Json() : Json(file);
}

std::string check_rows(const Verification& check) {
  constexpr std::size_t label_width = 28;
  std::string text = print("check on the %s in double, %lld of %lld pairs\n", check.on_gpu ? "GPU" : "CPU",
                           static_cast<long long>(check.m), static_cast<long long>(check.n));
  for (const Figure& figure : figures) {
    text += "  " + left_column(figure.label, label_width);
    if (!defined(check, figure)) {
      text += "-  (needs all vectors)\n";
      continue;
    }
    text += print("%.6e", check.*figure.value);
    if (figure.value == &Verification::lapack_residual || figure.value == &Verification::lapack_orthogonality)
      text += print("  (limit %g)", lapack_ratio_limit);
    if (figure.value == &Verification::worst_residual)
      text += print("  (pair %lld of %lld)", static_cast<long long>(check.worst_index) + 1,
                    static_cast<long long>(check.m));
    text += "\n";
  }
  if (!check.finite) text += "  there is a NaN or an infinity in the values or vectors\n";
  if (!check.ascending) text += "  the values do not ascend\n";
  return text + "  " + left_column("verification", label_width) + (passed(check) ? "pass" : "FAILED") + "\n";
}

Json verification_json(const Verification& check) {
  Json object{{"n", check.n}, {"m", check.m}};
  object["norm_one"] = check.norm_one;
  object["norm_frobenius"] = check.norm_frobenius;
  for (const Figure& figure : figures)
    object[figure.key] = defined(check, figure) ? Json(check.*figure.value) : Json();
  object["worst_index"] = check.worst_index;
  object["limit"] = lapack_ratio_limit;
  object["ascending"] = check.ascending;
  object["finite"] = check.finite;
  object["on_gpu"] = check.on_gpu;
  object["passed"] = passed(check);
  return object;
}

bool succeeded(const SolveReport& r) {
  return r.solve.status == Status::converged && r.infinite == 0 && (!r.check || passed(*r.check));
}

nlohmann::ordered_json distributed_json(const std::optional<Distributed>& d) {
  if (!d) return {};
  return {{"library", d->library}, {"routine", d->routine}, {"processes", d->processes},  {"rows", d->rows},
          {"cols", d->cols},       {"block", d->block},     {"peak_bytes", d->peak_bytes}};
}

std::string distributed_rows(const Distributed& d) {
  return report_row("library", d.library + ", " + d.routine) +
         report_row("processes", print("%d in a grid of %d x %d, blocks of %lld, at most ", d.processes,
                                       d.rows, d.cols, static_cast<long long>(d.block)) +
                                     bytes_text(d.peak_bytes) + " each");
}

std::string value_rows(const std::vector<double>& values, std::int64_t first_index, io::ScalarType type,
                       bool all) {
  constexpr std::size_t at_each_end = 5;
  const int digits = io::real_type(type) == io::ScalarType::s ? 8 : 16;
  const bool some = !all && values.size() > 2 * at_each_end + 1;  // a gap hides two values or more
  const auto last = first_index + static_cast<std::int64_t>(values.size()) - 1;
  const int width = std::max(10, static_cast<int>(std::to_string(last).size()));
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (some && k == at_each_end) {
      text += print("%*s\n", width, "...");
      k = values.size() - at_each_end;
    }
    text += print("%*lld  %*.*g\n", width, static_cast<long long>(first_index) + static_cast<long long>(k),
                  digits + 8, digits, values[k]);
  }
  return text;
}

std::string to_table(const SolveReport& r) {
  std::string text = matrix_row(r.matrix);
  if (r.solve.status == Status::not_converged) {
    text += report_row("eigenvalues",
                       print("not converged (LAPACK info %lld)", static_cast<long long>(r.solve.info)));
  } else if (r.infinite > 0) {
    text += report_row("eigenvalues",
                       print("beyond the range of %s (index %lld)", io::name(io::real_type(r.matrix.type)),
                             static_cast<long long>(r.infinite)));
  } else {
    text += report_row("eigenvalues", count_text(r));
    text += value_rows(r.values, r.solve.first_index, r.matrix.type, r.print_all);
    text += report_row("eigenvectors", r.vectors > 0 ? std::to_string(r.vectors) : "none");
  }
  const bool several = r.solve.devices.size() > 1;
  text += report_row("devices", devices_text(r.solve) +
                                    (several ? ", ratio " + ratio_text(r.solve, r.ratio) : std::string()));
  for (std::size_t i = 0; several && i < r.solve.devices.size(); ++i) text += device_row(r.solve, i);
  text += report_row("threads", std::to_string(r.threads));
  if (!r.distributed) text += report_row("products", engines_text(r.solve));
  if (r.solve.refinement.result != Refinement::Result::native)
    text += report_row("precision", refinement_text(r.solve.refinement));
  if (r.solve.mode != MemoryMode::in_core) text += report_row("memory", memory_text(r.solve));
  if (!r.solve.fallbacks.empty()) text += report_row("fallbacks", fallbacks_text(r.solve));
  if (r.distributed) text += distributed_rows(*r.distributed);
  if (!r.distributed)
    text += report_row("workspace",
                       bytes_text(r.solve.bytes.host) + " host" +
                           (r.solve.bytes.device ? ", " + bytes_text(r.solve.bytes.device) + " device" : ""));
  if (!r.values_file.empty())
    text += report_row("written", r.values_file + (r.vectors_file.empty() ? "" : ", " + r.vectors_file));
  text += seconds_rows(r.seconds, &r.solve, r.plan ? &*r.plan : nullptr);
  if (r.check) text += check_rows(*r.check);
  return text;
}

std::string counts_rows(const CountVerification& counts) {
  return print("counts of the eigenvalues from %.10g to %.10g%s\n", counts.low, counts.high,
               counts.all ? "" : ", within the given values, the outermost of which are multiple") +
         "  " + left_column("eigenvalues, given values", 28) +
         print("%lld, %lld\n", static_cast<long long>(counts.expected),
               static_cast<long long>(counts.given)) +
         "  " + left_column("verification", 28) + (passed(counts) ? "pass" : "FAILED: pairs are missing") +
         "\n";
}

std::string to_table(const VerifyReport& r) {
  return matrix_row(r.matrix) + (r.b_file.empty() ? "" : report_row("b", r.b_file)) +
         report_row("eigenvalues", r.values_file) + report_row("eigenvectors", r.vectors_file) +
         report_row("threads", std::to_string(r.threads)) + seconds_rows(r.seconds, nullptr, nullptr) +
         check_rows(r.check) + (r.counts ? counts_rows(*r.counts) : "");
}

bool passed(const VerifyReport& report) {
  return passed(report.check) && (!report.counts || passed(*report.counts));
}

std::string json_of(const SolveReport& r) {
  Json values{{"count", r.values.size()},
              {"lowest", Json()},
              {"highest", Json()},
              {"all", r.values},
              {"first_index", r.solve.first_index - 1}};
  if (!r.values.empty()) {
    values["lowest"] = r.values.front();
    values["highest"] = r.values.back();
  }
  Json object = head("eigen_g-solve");
  object["matrix"] = matrix_json(r.matrix);
  object["status"] = r.solve.status != Status::converged ? "not_converged"
                     : r.infinite > 0                    ? "out_of_range"
                                                         : "converged";
  object["info"] = r.solve.info;
  object["subset"] = subset_json(r.subset);
  object["values"] = values;
  object["vectors"] = r.vectors;
  object["ratio"] = ratio_text(r.solve, r.ratio);
  object["devices"] = devices_json(r.solve);
  object["path"] = name(r.solve.path);
  object["mode"] = name(r.solve.mode);
  object["slabs_of_rows"] = r.solve.slabs_of_rows;
  object["slabs_of_columns"] = r.solve.slabs_of_columns;
  object["engine"] = engines_text(r.solve);
  object["refinement"] = refinement_json(r.solve.refinement);
  object["fallbacks"] = fallback_names(r.solve);
  object["threads"] = r.threads;
  object["bytes"] = {{"host", r.solve.bytes.host}, {"device", r.solve.bytes.device}};
  object["seconds"] = seconds_json(r.seconds, r.solve, r.plan);
  object["outputs"] = {{"values", name_or_null(r.values_file)}, {"vectors", name_or_null(r.vectors_file)}};
  object["verification"] = r.check ? verification_json(*r.check) : Json();
  object["distributed"] = distributed_json(r.distributed);
  return json_text(object);
}

std::string json_of(const VerifyReport& r) {
  Json object = head("eigen_g-verify");
  object["matrix"] = matrix_json(r.matrix);
  object["inputs"] = {{"values", r.values_file}, {"vectors", r.vectors_file}, {"b", name_or_null(r.b_file)}};
  object["vectors"] = r.check.m;
  object["threads"] = r.threads;
  object["seconds"] = {
      {"read", r.seconds.read}, {"verify", number_or_null(r.seconds.verify)}, {"total", r.seconds.total}};
  object["verification"] = verification_json(r.check);
  object["counts"] = Json();
  if (r.counts)
    object["counts"] = {{"low", r.counts->low},       {"high", r.counts->high},
                        {"below", r.counts->below},   {"expected", r.counts->expected},
                        {"given", r.counts->given},   {"all", r.counts->all},
                        {"passed", passed(*r.counts)}};
  return json_text(object);
}

}  // namespace eigen_g::apps
