#include "solver/api/types.hpp"

#include <algorithm>
#include <array>
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

template <class Value>
std::optional<Value> named(std::string_view text, std::initializer_list<Value> values) {
  for (const Value value : values)
    if (text == name(value)) return value;
  return std::nullopt;
}

}  // namespace

Subset Subset::by_index(std::int64_t first, std::int64_t last) {
  return {.by = By::index, .first = first, .last = last};
}

Subset Subset::by_value(double above, double upto) {
  return {.by = By::value, .above = above, .upto = upto};
}

std::int64_t Subset::max_count(std::int64_t n) const {
  return by == By::index ? last - first + 1 : n;
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
    ratio.shares.push_back(value);
  }
  if (std::all_of(ratio.shares.begin(), ratio.shares.end(), [](double part) { return part == 0; }))
    refuse_ratio(text, "gives no device a share");
  return ratio;
}

std::string to_text(const Ratio& ratio) {
  if (ratio.automatic()) return "auto";
  std::string text;
  for (const double part : ratio.shares) {
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
  return named(text, {Path::automatic, Path::one_stage, Path::two_stage});
}

const char* name(Precision precision) {
  return precision == Precision::mixed ? "mixed" : "native";
}

std::optional<Precision> precision_of(std::string_view text) {
  return named(text, {Precision::native, Precision::mixed});
}

const char* name(Refinement::Result result) {
  constexpr std::array names{"native",       "refined",        "out_of_scope",
                             "float_failed", "large_clusters", "diverged"};
  static_assert(names.size() == static_cast<std::size_t>(Refinement::Result::diverged) + 1);
  return names[static_cast<std::size_t>(result)];
}

const char* name(MemoryMode mode) {
  constexpr std::array names{"in_core", "parked", "slabs", "block_columns"};
  static_assert(names.size() == static_cast<std::size_t>(MemoryMode::block_columns) + 1);
  return names[static_cast<std::size_t>(mode)];
}

const char* name(Fallback fallback) {
  constexpr std::array names{"mixed_to_native",  "in_core_to_parked",      "parked_to_slabs",
                             "to_block_columns", "two_stage_to_one_stage", "gpu_to_cpu"};
  static_assert(names.size() == static_cast<std::size_t>(Fallback::gpu_to_cpu) + 1);
  return names[static_cast<std::size_t>(fallback)];
}

const char* name(Stage stage) {
  constexpr std::array names{"load",
                             "check",
                             "scale",
                             "tridiagonalize",
                             "full_to_band",
                             "chase",
                             "divide_and_conquer",
                             "back_transform_chase",
                             "back_transform_band",
                             "back_transform",
                             "unscale",
                             "store",
                             "refine",
                             "cholesky",
                             "standard_form",
                             "back_substitute"};
  static_assert(names.size() == static_cast<std::size_t>(Stage::back_substitute) + 1);
  return names[static_cast<std::size_t>(stage)];
}

const char* version() {
  return EIGEN_G_VERSION;
}

}  // namespace eigen_g
