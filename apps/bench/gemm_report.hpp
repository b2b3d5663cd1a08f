// What `eigen_g bench gemm` measured: once as a structure, from it the table for people and the JSON for machines.
//
// JSON, "format": "eigen_g-bench-gemm", "version": 1. A field may be added within a version; one that is removed or
// changes its meaning raises it. Seconds are a call's, in the stream, launches and conversions included.
//
//   format, version, machine (bench/machine.hpp)
//   error_limit     what `error` may reach
//   rates           of measure_engine_rates, and the seconds that it took: what the automatic choice goes by; each of
//                   native, df, emulated with flops_per_second, seconds_per_entry, smallest_result
//   cases           one a shape:
//     op            "NN", "TN", "NT", "SYR2K" (lower; m = n, and 2 n^2 k flops)
//     m, n, k
//     automatic     the engine that the automatic choice takes by those rates
//     df_over_sgemm ratio of the two rates; null where one is missing
//     skipped       null, or why the case was left out (memory); it then has no figures
//     figures       one a contender: "native", "df", "emulated", and beside them "sgemm" (cuBLAS in float), "df_product"
//                   (operands already converted), "df_convert" (both operands converted, nothing multiplied; no rate):
//       seconds, low, high    median and quartiles over the rounds
//       tflops                null for df_convert
//       rounds
//       error                 max |C - C_ref| / (k 2^-45 |A||B|) over 1024 entries, against long double; null where
//                             none is taken
//       failure               null, or why there is no figure; the numbers are then null
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gemm_df/engines/engine.hpp"

namespace eigen_g::apps::bench {

inline constexpr double gemm_error_limit = 1;

struct GemmFigure {
  std::string name;
  double seconds = 0, low = 0, high = 0;
  int rounds = 0;
  bool multiplies = true;
  std::optional<double> error;
  std::string failure;  // not empty: no numbers
};

struct GemmCase {
  std::string op;
  std::int64_t m = 0, n = 0, k = 0;
  Engine automatic = Engine::native;
  std::string skipped;  // not empty: no figures
  std::vector<GemmFigure> figures;

  double flops() const;
  const GemmFigure* figure(const std::string& name) const;  // null: absent or failed
  std::optional<double> df_over_sgemm() const;
};

struct GemmBench {
  ProductRates rates;
  double rates_seconds = 0;
  std::vector<GemmCase> cases;
};

// Every engine ran, and is within the limit, in every case that was not skipped, and one was not.
bool passed(const GemmBench& bench);

nlohmann::ordered_json json_of(const GemmBench& bench, const nlohmann::ordered_json& machine);
std::string to_table(const GemmBench& bench);

}  // namespace eigen_g::apps::bench
