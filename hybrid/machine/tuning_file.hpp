// TuningValues: values of the tuning structs that a file replaces, for a machine on which other values are faster.
//
// The environment variable EIGEN_G_TUNING names the file. Without it the structs hold the values of their headers. The file is JSON:
//
//   {"format": "eigen_g-tuning", "version": 1,
//    "products":  {"rank_2k_max_columns": 96},                          gemm_df/tuning.hpp            ProductTuning
//    "solver":    {"back_width": 128, "min_order_on_gpu": 200},         solver/devices/tuning.hpp     SolverTuning
//    "two_stage": {"orders_of_double": {"with_vectors": 4000}},         solver/devices/two_stage_tuning.hpp
//    "cpu":       {"planned_rate": 0.7},                                solver/devices/tuning.hpp     CpuTuning
//    "threads":   {"rows": [{"max_order": 499, "threads": 1}]},         hybrid/machine/tuning.hpp     ThreadTuning
//    "spmv":      {"bytes_a_second": 3e12},                             blas2/spmv/choice.hpp         SpmvRates
//    "batched":   {"lanes": 2}}                                         solver/batched/batched_device.hpp  BatchTuning
//
// Every section and every member may be missing. An array is a list; an element that is null or missing keeps its value.
// Each struct reads its section once, at its first use. With the file, results may differ in their last bits from results without it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace eigen_g {

class TuningValues {
 public:
  // The values of one section of the text of a file; name: the file's, for messages. Throws InvalidArgument("EIGEN_G_TUNING") if the text
  // is not a tuning file, has an unknown section, or a value that is not a finite number >= 0.
  TuningValues(const std::string& name, std::string_view text, const std::string& section);
  // As above, for the file that EIGEN_G_TUNING names; no values if the variable is not set or empty. Throws also if the file cannot be read.
  static TuningValues of_environment(const std::string& section);

  // member := the value of this name, if there is one. name: "back_width", "orders_of_double/with_vectors", "reduction_strips/0/shape".
  // Throws InvalidArgument("EIGEN_G_TUNING") if the member is an integer that cannot hold the value.
  template <class T>
  void replace(const std::string& name, T& member) {
    std::uint64_t most = 0;
    if constexpr (std::is_integral_v<T>) most = std::numeric_limits<T>::max();
    if (const auto value = take(name, std::is_integral_v<T>, most)) member = static_cast<T>(*value);
  }
  // Throws InvalidArgument("EIGEN_G_TUNING") if a name of the section was not asked for, or if `holds` is false.
  void finish(bool holds = true) const;

 private:
  TuningValues() = default;
  std::optional<double> take(const std::string& name, bool integer, std::uint64_t most);
  std::string where_;                     // file and section, for messages
  std::map<std::string, double> values_;  // the values that replace() has not taken yet
};

}  // namespace eigen_g
