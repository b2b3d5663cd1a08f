#include "apps/cli/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/text.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

// The figures of a check: name in JSON, name for people (the first four are the paper's), where they are.
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

constexpr std::size_t name_width = 14;

bool defined(const Verification& check, const Figure& figure) {
  return figure.value != &Verification::reconstruction || check.m == check.n;
}

std::string row(const char* name, const std::string& text) {
  return left_column(name, name_width) + text + "\n";
}

std::string matrix_row(const MatrixFacts& m) {
  std::string text = row("matrix", m.file) + row("  format", m.format) + row("  n", std::to_string(m.n));
  if (m.symmetrized) text += row("  symmetrized", print("max |a_ij - a_ji| was %.2g", m.asymmetry));
  return text;
}

std::string seconds_row(const std::string& indent, const std::string& name, double seconds,
                        double predicted = 0) {
  constexpr std::size_t width = 26;
  return left_column(indent + name, width) + print("%10.4f", seconds) +
         (predicted > 0 ? print("   predicted %.4f\n", predicted) : "\n");
}

// `solve`, `plan`: null in a verification, and where nothing was predicted.
std::string seconds_rows(const Seconds& s, const Report* solve, const SolvePlan* plan) {
  std::string text = "seconds\n" + seconds_row("  ", "read", s.read);
  if (solve) {
    text += seconds_row("  ", "solve", solve->seconds);
    for (const Stage stage : all_stages)
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
    text += ", numbers " + std::to_string(r.solve.first) + " to " + std::to_string(r.solve.first + count - 1);
  return text;
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

Json matrix_json(const MatrixFacts& m) {
  return {{"file", m.file},
          {"format", m.format},
          {"n", m.n},
          {"triangle", m.triangle == Uplo::lower ? "lower" : "upper"},
          {"symmetrized", m.symmetrized},
          {"asymmetry", m.asymmetry}};
}

Json subset_json(const Subset& subset) {
  switch (subset.by) {
    case Subset::By::all:
      break;
    case Subset::By::number:
      return {{"by", "index"}, {"first", subset.first}, {"last", subset.last}};
    case Subset::By::value:
      return {{"by", "value"}, {"above", subset.above}, {"upto", subset.upto}};
  }
  return {};
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json seconds_json(const Seconds& s, const Report& solve, const std::optional<SolvePlan>& plan) {
  Json stages = Json::object(), predicted;
  for (const Stage stage : all_stages) stages[name(stage)] = solve.seconds_of(stage);
  if (plan) {
    for (const Stage stage : {Stage::tridiagonalize, Stage::divide_and_conquer, Stage::back_transform})
      predicted[name(stage)] = plan->seconds_of(stage);
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

Json work_json(const std::vector<DeviceWork>& work) {
  Json list = Json::array();
  for (const DeviceWork& device : work)
    list.push_back({{"name", device.name},
                    {"share", device.share},
                    {"seconds", device.seconds},
                    {"engine", device.engine}});
  return list;
}

Json check_json(const Verification& check) {
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

Json name_or_null(const std::string& file) {
  return file.empty() ? Json() : Json(file);
}

// A file name need not be UTF-8, and JSON must be: bytes that are not are replaced.
std::string text_of(const Json& object) {
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json head(const char* format) {
  return {{"format", format}, {"version", 1}, {"eigen_g", version()}};
}

}  // namespace

bool succeeded(const SolveReport& r) {
  return r.solve.status == Status::converged && (!r.check || passed(*r.check));
}

std::string to_table(const SolveReport& r) {
  std::string text = matrix_row(r.matrix);
  if (r.solve.status == Status::not_converged) {
    text +=
        row("eigenvalues", print("not converged (LAPACK info %lld)", static_cast<long long>(r.solve.failed)));
  } else {
    text += row("eigenvalues", count_text(r));
    if (!r.values.empty()) {
      text += row("  lowest", print("%.16g", r.values.front()));
      text += row("  highest", print("%.16g", r.values.back()));
    }
    text += row("eigenvectors", r.vectors > 0 ? std::to_string(r.vectors) : "none");
  }
  text += row("devices", joined(r.solve.devices) +
                             (r.solve.devices.size() > 1 ? ", ratio " + r.solve.ratio : std::string()));
  if (r.solve.work.size() > 1)
    for (const DeviceWork& device : r.solve.work)
      text +=
          row("  share", print("%.4g", device.share) + print(" of the products, %.4f s, ", device.seconds) +
                             device.engine + ", " + device.name);
  text += row("threads", std::to_string(r.threads));
  text += row("products", r.solve.engine);
  text +=
      row("workspace", bytes_text(r.solve.host_bytes) + " host" +
                           (r.solve.device_bytes ? ", " + bytes_text(r.solve.device_bytes) + " device" : ""));
  if (!r.values_file.empty())
    text += row("written", r.values_file + (r.vectors_file.empty() ? "" : ", " + r.vectors_file));
  text += seconds_rows(r.seconds, &r.solve, r.plan ? &*r.plan : nullptr);
  if (r.check) text += check_rows(*r.check);
  return text;
}

std::string to_table(const VerifyReport& r) {
  return matrix_row(r.matrix) + row("eigenvalues", r.values_file) + row("eigenvectors", r.vectors_file) +
         row("threads", std::to_string(r.threads)) + seconds_rows(r.seconds, nullptr, nullptr) +
         check_rows(r.check);
}

std::string json_of(const SolveReport& r) {
  const bool converged = r.solve.status == Status::converged;
  Json values{{"count", r.values.size()},
              {"lowest", Json()},
              {"highest", Json()},
              {"all", r.values},
              {"first_index", r.solve.first - 1}};
  if (!r.values.empty()) {
    values["lowest"] = r.values.front();
    values["highest"] = r.values.back();
  }
  Json object = head("eigen_g-solve");
  object["matrix"] = matrix_json(r.matrix);
  object["status"] = converged ? "converged" : "not_converged";
  object["failed"] = r.solve.failed;
  object["subset"] = subset_json(r.subset);
  object["values"] = values;
  object["vectors"] = r.vectors;
  object["devices"] = r.solve.devices;
  object["ratio"] = r.solve.ratio;
  object["work"] = work_json(r.solve.work);
  object["engine"] = r.solve.engine;
  object["threads"] = r.threads;
  object["bytes"] = {{"host", r.solve.host_bytes}, {"device", r.solve.device_bytes}};
  object["seconds"] = seconds_json(r.seconds, r.solve, r.plan);
  object["outputs"] = {{"values", name_or_null(r.values_file)}, {"vectors", name_or_null(r.vectors_file)}};
  object["check"] = r.check ? check_json(*r.check) : Json();
  return text_of(object);
}

std::string json_of(const VerifyReport& r) {
  Json object = head("eigen_g-verify");
  object["matrix"] = matrix_json(r.matrix);
  object["inputs"] = {{"values", r.values_file}, {"vectors", r.vectors_file}};
  object["vectors"] = r.check.m;
  object["threads"] = r.threads;
  object["seconds"] = {
      {"read", r.seconds.read}, {"verify", number_or_null(r.seconds.verify)}, {"total", r.seconds.total}};
  object["check"] = check_json(r.check);
  return text_of(object);
}

}  // namespace eigen_g::apps
