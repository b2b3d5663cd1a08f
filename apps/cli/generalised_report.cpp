#include "apps/cli/generalised_report.hpp"

#include <nlohmann/json.hpp>

#include "apps/support/text.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

std::string generalised_seconds_row(const std::string& name, double seconds) {
  return left_column(name, 26) + print("%10.4f\n", seconds);
}

const char* equation(int itype) {
  return itype == 1 ? "A x = w B x" : itype == 2 ? "A B x = w x" : "B A x = w x";
}

std::string head_rows(const GeneralisedFound& r) {
  return report_row("matrix", r.matrix.file) + report_row("  type", io::name(r.type)) +
         report_row("  n", std::to_string(r.n)) + report_row("B", r.b.file) +
         report_row("problem", equation(r.b.itype)) + report_row("threads", std::to_string(r.threads));
}

std::string generalised_check_rows(const GeneralisedVerification& v) {
  const auto figure = [](const char* label, double value, double limit = 0) {
    return "  " + left_column(label, 28) + print("%.6e", value) +
           (limit > 0 ? print("  (limit %.3g)\n", limit) : "\n");
  };
  std::string text = print("check on the %s in double, %lld of %lld pairs\n", v.on_gpu ? "GPU" : "CPU",
                           static_cast<long long>(v.m), static_cast<long long>(v.n));
  if (v.bad_minor > 0)
    text += print("  B's leading minor of order %lld is not positive definite\n",
                  static_cast<long long>(v.bad_minor));
  else
    text += figure("condition of B", v.condition) +
            figure("residual ratio of a pair", v.residual, v.residual_limit) +
            figure("B-orthogonality ratio", v.orthogonality, v.orthogonality_limit);
  if (!v.finite) text += "  there is a NaN or an infinity in the values or vectors\n";
  if (!v.ascending) text += "  the values do not ascend\n";
  return text + "  " + left_column("verification", 28) + (passed(v) ? "pass" : "FAILED") + "\n";
}

Json generalised_verification_json(const std::optional<GeneralisedVerification>& v) {
  if (!v) return {};
  return {{"n", v->n},
          {"m", v->m},
          {"condition", v->condition},
          {"norm_a", v->norm_a},
          {"norm_b", v->norm_b},
          {"residual", v->residual},
          {"residual_limit", v->residual_limit},
          {"orthogonality", v->orthogonality},
          {"orthogonality_limit", v->orthogonality_limit},
          {"bad_minor", v->bad_minor},
          {"ascending", v->ascending},
          {"finite", v->finite},
          {"on_gpu", v->on_gpu},
          {"passed", passed(*v)}};
}

Json head_json(const char* format, const GeneralisedFound& r) {
  return {
      {"format", format},
      {"version", 2},
      {"eigen_g", version()},
      {"matrix", {{"file", r.matrix.file}, {"type", std::string(1, static_cast<char>(r.type))}, {"n", r.n}}},
      {"b", {{"file", r.b.file}}},
      {"itype", r.b.itype},
      {"threads", r.threads},
      {"seconds", {{"read", r.read}, {"verify", r.verify}, {"total", r.total}}},
      {"verification", generalised_verification_json(r.check)}};
}

}  // namespace

std::string why_not(const GeneralisedFound& r) {
  if (r.report.bad_minor > 0)
    return print("B is not positive definite: its leading minor of order %lld is not",
                 static_cast<long long>(r.report.bad_minor));
  if (r.report.status != Status::converged) return "the divide and conquer did not converge";
  return r.infinite ? std::string("eigenvalues are beyond the range of ") + io::name(io::real_type(r.type))
                    : "verification FAILED";
}

std::string solve_table(const GeneralisedFound& r) {
  std::string text = head_rows(r);
  text += report_row("eigenvalues", r.solved() ? std::to_string(r.values.size()) : "none: " + why_not(r));
  if (r.solved()) text += value_rows(r.values, r.report.first_index, r.type, r.print_all);
  text += report_row("devices", devices_text(r.report));
  if (!r.report.fallbacks.empty()) text += report_row("fallbacks", fallbacks_text(r.report));
  text += r.distributed ? distributed_rows(*r.distributed)
                        : report_row("workspace", bytes_text(r.report.bytes.host) + " host, " +
                                                      bytes_text(r.report.bytes.device) + " device");
  if (!r.values_file.empty())
    text += report_row("written", r.values_file + (r.vectors_file.empty() ? "" : ", " + r.vectors_file));
  text += "seconds\n" + generalised_seconds_row("  read", r.read) +
          generalised_seconds_row("  solve", r.report.seconds);
  for (const StageWork& work : r.report.stages)
    if (work.seconds > 0) text += generalised_seconds_row("    " + words(name(work.stage)), work.seconds);
  if (r.check) text += generalised_seconds_row("  verify", r.verify);
  text += generalised_seconds_row("  total", r.total);
  return r.check ? text + generalised_check_rows(*r.check) : text;
}

std::string solve_json(const GeneralisedFound& r) {
  const auto file = [](const std::string& name) { return name.empty() ? Json() : Json(name); };
  Json json = head_json("eigen_g-solve_generalised", r);
  json["status"] = r.report.bad_minor > 0                 ? "not_positive_definite"
                   : r.report.status != Status::converged ? "not_converged"
                   : r.infinite                           ? "out_of_range"
                                                          : "converged";
  json["bad_minor"] = r.report.bad_minor;
  json["values"] = {{"count", r.values.size()},
                    {"lowest", r.values.empty() ? Json() : Json(r.values.front())},
                    {"highest", r.values.empty() ? Json() : Json(r.values.back())},
                    {"all", r.values},
                    {"first_index", r.report.first_index - 1}};
  json["vectors"] = r.vectors ? r.report.m : 0;
  json["devices"] = Json::array();
  for (const DeviceWork& device : r.report.devices) json["devices"].push_back(device_text(device));
  json["path"] = name(r.report.path);
  json["fallbacks"] = fallback_names(r.report);
  json["bytes"] = {{"host", r.report.bytes.host}, {"device", r.report.bytes.device}};
  Json& seconds = json["seconds"];
  seconds["solve"] = r.report.seconds;
  seconds["write"] = r.write;
  for (const StageWork& work : r.report.stages)
    seconds["stages"][name(work.stage)] = r.report.seconds_of(work.stage);
  json["outputs"] = {{"values", file(r.values_file)}, {"vectors", file(r.vectors_file)}};
  json["distributed"] = distributed_json(r.distributed);
  return json_text(json);
}

std::string verify_table(const GeneralisedFound& r) {
  return head_rows(r) + generalised_check_rows(*r.check);
}

std::string verify_json(const GeneralisedFound& r) {
  return json_text(head_json("eigen_g-verify_generalised", r));
}

}  // namespace eigen_g::apps
