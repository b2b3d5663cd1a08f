#include "apps/cli/stack_report.hpp"

#include <nlohmann/json.hpp>

#include "apps/support/solve_text.hpp"
#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

std::string stack_rows(const StackFacts& s) {
  std::string shape;
  for (const std::int64_t extent : s.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
  return matrix_row(s.matrix) +
         report_row("  matrices", std::to_string(s.count) + (s.shape.size() > 1 ? ", " + shape : "")) +
         (s.b.empty() ? "" : report_row("B", s.b) + report_row("problems", "A x = w B x"));
}

std::string stack_check_rows(const BatchVerification& v, bool generalised) {
  const auto figure = [](const char* label, double value, std::int64_t matrix) {
    return "  " + left_column(label, 28) +
           print("%.6e  (limit %g)  [%lld]\n", value, lapack_ratio_limit, static_cast<long long>(matrix));
  };
  std::string text = print("check on the %s in double, the worst of %lld matrices and its index, from 0\n",
                           v.on_gpu ? "GPU" : "CPU", static_cast<long long>(v.count));
  if (v.count > 0)
    text += figure(generalised ? "residual ratio of a pair" : "LAPACK residual ratio", v.lapack_residual,
                   v.residual_matrix) +
            figure(generalised ? "B-orthogonality / condition" : "LAPACK orthogonality ratio",
                   v.lapack_orthogonality, v.orthogonality_matrix);
  if (!v.finite) text += "  there is a NaN or an infinity in the values or vectors\n";
  if (!v.ascending) text += "  the values of a matrix do not ascend\n";
  return text + "  " + left_column("verification", 28) +
         (passed(v) ? std::string("pass\n")
                    : print("FAILED for %lld matrices, the first is [%lld]\n",
                            static_cast<long long>(v.failed), static_cast<long long>(v.first_failed)));
}

Json index_or_null(std::int64_t index) {
  return index >= 0 ? Json(index) : Json();
}

Json stack_verification_json(const std::optional<BatchVerification>& v) {
  if (!v) return {};
  return {{"failed", v->failed},
          {"first_failed", index_or_null(v->first_failed)},
          {"lapack_residual", v->lapack_residual},
          {"residual_matrix", index_or_null(v->residual_matrix)},
          {"lapack_orthogonality", v->lapack_orthogonality},
          {"orthogonality_matrix", index_or_null(v->orthogonality_matrix)},
          {"limit", lapack_ratio_limit},
          {"ascending", v->ascending},
          {"finite", v->finite},
          {"on_gpu", v->on_gpu},
          {"passed", passed(*v)}};
}

Json head_json(const char* format, const StackFacts& s, int threads) {
  return {{"format", format}, {"version", 1},     {"eigen_g", version()},   {"matrix", matrix_json(s.matrix)},
          {"shape", s.shape}, {"count", s.count}, {"b", name_or_null(s.b)}, {"threads", threads}};
}

}  // namespace

bool succeeded(const StackSolveReport& r) {
  return r.batch.failed == 0 && (!r.check || passed(*r.check));
}

std::string to_table(const StackSolveReport& r) {
  std::string text = stack_rows(r.stack);
  const auto number = [](std::int64_t x) { return std::to_string(x); };
  text +=
      report_row("eigenvalues", number(r.batch.m) + " of " + number(r.stack.matrix.n) + " of each matrix");
  text += report_row("eigenvectors", r.vectors ? number(r.batch.m) + " of each matrix" : "none");
  if (r.batch.failed > 0)
    text += report_row(
        "failed", number(r.batch.failed) + " matrices, the first is [" + number(r.batch.first_failed) + "]");
  text += report_row("devices", devices_text(r.batch.devices));
  text += report_row("threads", number(r.threads));
  text += report_row(
      "workspace", bytes_text(r.batch.bytes.host) + " host, " + bytes_text(r.batch.bytes.device) + " device");
  if (!r.values_file.empty())
    text += report_row("written", r.values_file + (r.vectors_file.empty() ? "" : ", " + r.vectors_file));
  text +=
      "seconds\n" + seconds_row("  ", "read", r.seconds.read) + seconds_row("  ", "solve", r.batch.seconds);
  if (r.seconds.verify) text += seconds_row("  ", "verify", *r.seconds.verify);
  if (r.seconds.write) text += seconds_row("  ", "write", *r.seconds.write);
  text += seconds_row("  ", "total", r.seconds.total);
  if (r.batch.seconds > 0)
    text +=
        report_row("matrices a second", print("%.4g", static_cast<double>(r.stack.count) / r.batch.seconds));
  return r.check ? text + stack_check_rows(*r.check, !r.stack.b.empty()) : text;
}

std::string to_table(const StackVerifyReport& r) {
  return stack_rows(r.stack) + report_row("eigenvalues", r.values_file) +
         report_row("eigenvectors", r.vectors_file) + report_row("threads", std::to_string(r.threads)) +
         "seconds\n" + seconds_row("  ", "read", r.seconds.read) +
         seconds_row("  ", "verify", r.seconds.verify.value_or(0)) +
         seconds_row("  ", "total", r.seconds.total) + stack_check_rows(r.check, !r.stack.b.empty());
}

std::string json_of(const StackSolveReport& r) {
  Json json = head_json("eigen_g-solve_stack", r.stack, r.threads);
  json["failed"] = r.batch.failed;
  json["first_failed"] = index_or_null(r.batch.first_failed);
  json["failures"] = Json::array();
  for (std::size_t k = 0; k < r.status.size(); ++k)
    if (r.status[k] != 0) json["failures"].push_back({{"index", k}, {"status", r.status[k]}});
  json["subset"] = subset_json(r.subset);
  json["pairs"] = r.batch.m;
  json["vectors"] = r.vectors;
  json["matrices_per_second"] =
      r.batch.seconds > 0 ? Json(static_cast<double>(r.stack.count) / r.batch.seconds) : Json();
  json["devices"] = Json::array();
  for (const DeviceWork& device : r.batch.devices) json["devices"].push_back(device_text(device));
  json["bytes"] = {{"host", r.batch.bytes.host}, {"device", r.batch.bytes.device}};
  json["seconds"] = {{"read", r.seconds.read},
                     {"solve", r.batch.seconds},
                     {"verify", number_or_null(r.seconds.verify)},
                     {"write", number_or_null(r.seconds.write)},
                     {"total", r.seconds.total}};
  json["outputs"] = {{"values", name_or_null(r.values_file)}, {"vectors", name_or_null(r.vectors_file)}};
  json["verification"] = stack_verification_json(r.check);
  return json_text(json);
}

std::string json_of(const StackVerifyReport& r) {
  Json json = head_json("eigen_g-verify_stack", r.stack, r.threads);
  json["inputs"] = {{"values", r.values_file}, {"vectors", r.vectors_file}};
  json["pairs"] = r.m;
  json["seconds"] = {
      {"read", r.seconds.read}, {"verify", number_or_null(r.seconds.verify)}, {"total", r.seconds.total}};
  json["verification"] = stack_verification_json(r.check);
  return json_text(json);
}

}  // namespace eigen_g::apps
