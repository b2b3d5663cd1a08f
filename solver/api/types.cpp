#include "solver/api/types.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace eigen_g {

namespace {

[[noreturn]] void refuse_ratio(std::string_view text, const std::string& reason) {
  throw InvalidArgument(Argument::ratio, "'" + std::string(text) + "' " + reason);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

Subset Subset::numbers(std::int64_t first, std::int64_t last) {
  Subset subset;
  subset.by = By::number;
  subset.first = first;
  subset.last = last;
  return subset;
}

Subset Subset::values(double above, double upto) {
  Subset subset;
  subset.by = By::value;
  subset.above = above;
  subset.upto = upto;
  return subset;
}

std::int64_t Subset::most(std::int64_t n) const {
  return by == By::number ? last - first + 1 : n;
}

Ratio parse_ratio(std::string_view text) {
  if (trimmed(text) == "auto") return {};
  Ratio ratio;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const auto colon = rest.find(':');
    more = colon != std::string_view::npos;
    const std::string_view share = trimmed(rest.substr(0, colon));
    if (more) rest.remove_prefix(colon + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), value);
    if (share.empty() || error != std::errc() || end != share.data() + share.size() ||
        !std::isfinite(value) || value < 0)
      refuse_ratio(text, "is not a ratio: it must be auto or numbers >= 0 with colons between, as 27:14");
    ratio.parts.push_back(value);
  }
  if (std::all_of(ratio.parts.begin(), ratio.parts.end(), [](double part) { return part == 0; }))
    refuse_ratio(text, "gives no device a share");
  return ratio;
}

std::string to_text(const Ratio& ratio) {
  if (ratio.automatic()) return "auto";
  std::string text;
  for (const double part : ratio.parts) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
    text += (text.empty() ? "" : ":") + std::string(digits, end);
  }
  return text;
}

double Report::seconds_of(Stage stage) const {
  double sum = 0;
  for (const StageWork& work : stages)
    if (work.stage == stage) sum += work.seconds;
  return sum;
}

const char* name(Path path) {
  return path == Path::one_stage ? "one_stage" : path == Path::two_stage ? "two_stage" : "auto";
}

std::optional<Path> path_of(std::string_view text) {
  if (text == "one") return Path::one_stage;
  if (text == "two") return Path::two_stage;
  for (const Path path : {Path::automatic, Path::one_stage, Path::two_stage})
    if (text == name(path)) return path;
  return std::nullopt;
}

const char* name(Precision precision) {
  return precision == Precision::mixed ? "mixed" : "native";
}

std::optional<Precision> precision_of(std::string_view text) {
  for (const Precision precision : {Precision::native, Precision::mixed})
    if (text == name(precision)) return precision;
  return std::nullopt;
}

const char* name(Refinement::Way way) {
  switch (way) {
    case Refinement::Way::native:
      return "native";
    case Refinement::Way::refined:
      return "refined";
    case Refinement::Way::out_of_scope:
      return "out_of_scope";
    case Refinement::Way::not_in_float:
      return "not_in_float";
    case Refinement::Way::clusters:
      return "clusters";
    case Refinement::Way::diverged:
      return "diverged";
  }
  return "";
}

const char* name(Stage stage) {
  switch (stage) {
    case Stage::transfer:
      return "transfer";
    case Stage::check:
      return "check";
    case Stage::scale:
      return "scale";
    case Stage::tridiagonalize:
      return "tridiagonalize";
    case Stage::full_to_band:
      return "full_to_band";
    case Stage::chase:
      return "chase";
    case Stage::divide_and_conquer:
      return "divide_and_conquer";
    case Stage::chase_back:
      return "chase_back";
    case Stage::band_back:
      return "band_back";
    case Stage::back_transform:
      return "back_transform";
    case Stage::unscale:
      return "unscale";
    case Stage::refine:
      return "refine";
  }
  return "";
}

const char* version() {
  return EIGEN_G_VERSION;
}

}  // namespace eigen_g
