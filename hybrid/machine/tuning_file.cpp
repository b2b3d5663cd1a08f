#include "hybrid/machine/tuning_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "hybrid/error.hpp"

namespace eigen_g {

namespace {

constexpr std::array<std::string_view, 7> sections{"products", "solver", "two_stage", "cpu",
                                                   "threads",  "spmv",   "batched"};

[[noreturn]] void refuse(const std::string& reason) {
  throw InvalidArgument("EIGEN_G_TUNING", reason);
}

}  // namespace

TuningValues::TuningValues(const std::string& name, std::string_view text, const std::string& section)
    : where_(name + ": " + section) {
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  if (!root.is_object() || root.value("format", nlohmann::json()) != "eigen_g-tuning" ||
      root.value("version", nlohmann::json()) != 1)
    refuse(name + ": is not JSON with \"format\": \"eigen_g-tuning\" and \"version\": 1");
  for (const auto& [key, values] : root.items()) {
    if (key == "format" || key == "version") continue;
    if (std::find(sections.begin(), sections.end(), key) == sections.end() || !values.is_object())
      refuse(std::string(name).append(": ").append(key).append(
          ": must be an object named products, solver, two_stage, cpu, threads or spmv"));
  }
  if (!root.contains(section) || root[section].empty()) return;
  const nlohmann::json leaves =
      root[section].flatten();  // "/back_width": 128, "/reduction_strips/0/shape": 1
  for (const auto& [pointer, value] : leaves.items()) {
    if (value.is_null() || value.empty()) continue;
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0) || !std::isfinite(number))
      refuse(where_ + pointer + ": is " + value.dump() + "; must be a number >= 0");
    values_[pointer.substr(1)] = number;
  }
}

TuningValues TuningValues::of_environment(const std::string& section) {
  const char* const file = std::getenv("EIGEN_G_TUNING");
  if (!file || !*file) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) refuse(std::string(file) + ": cannot be read");
  return {file, text, section};
}

std::optional<double> TuningValues::take(const std::string& name, bool integer, std::uint64_t most) {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  const double value = found->second;
  const std::uint64_t largest =
      std::min(most, std::uint64_t{1} << 53);  // integers that a double holds exactly
  if (integer && (value != std::floor(value) || value > static_cast<double>(largest)))
    refuse(where_ + "/" + name + ": must be an integer of at most " + std::to_string(largest));
  values_.erase(found);
  return value;
}

void TuningValues::finish(bool holds) const {
  if (!values_.empty()) refuse(where_ + "/" + values_.begin()->first + ": is unknown");
  if (!holds) refuse(where_ + ": the values do not fit together");
}

}  // namespace eigen_g
