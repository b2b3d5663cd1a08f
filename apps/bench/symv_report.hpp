// What `eigen_g bench symv` measured: once as a structure, from it the table for people and the JSON for
// machines.
//
// JSON, "format": "eigen_g-bench-symv", "version": 1. A field may be added within a version; one that is
// removed or changes its meaning raises it. Seconds are a call's; GB are 1e9 bytes.
//
//   format, version, machine (bench/machine.hpp)
//   table           where the configurations come from: "default", "shipped", or a file
//   error_limit     what `error` may reach
//   cases           one a type, triangle and n:
//     type, uplo, n, lda
//     half_bytes    n (n + 1) / 2 elements: what a symmetric product must read
//     rotation      matrices that the calls go round; past_l2: whether those are more than three times the L2
//     config        eigen_g's, by its name
//     repeats       runs on the same input compared; bit_for_bit: whether all results were the same
//     skipped       null, or why the case was left out (memory); it then has no figures
//     figures       one a contender: "eigen_g", "cublas" (deterministic mode), "cublas_atomics", both also
//                   queued on the stream call by call: "cublas_stream", "cublas_stream_atomics",
//                   "cublas_gemv" (the same type), "cublas_dgemv" (double, the bandwidth to hold against):
//       bytes, flops            of the matrix read, of the product (complex: as real operations)
//       seconds, low, high      median and quartiles over the rounds, inputs rotated
//       gbytes_per_second, gflops
//       in_l2_seconds           the same matrix again and again, back to back; null where it does not
//                               fit the L2
//       calls, rounds, graph    a replay's calls, how many replays, whether they were a CUDA graph
//       error                   against a double-double product (blas2/symv_truth.hpp); null for gemv, and where
//                               the result holds a NaN
//       failure                 null, or why there is no figure; the numbers are then null
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "blas2/symv/symv.hpp"

namespace eigen_g::apps::bench {

// What SymvTruth::error may reach.
inline constexpr double symv_error_limit = 3;

struct SymvFigure {
  std::string name;
  double bytes = 0;
  double flops = 0;
  double seconds = 0, low = 0, high = 0;
  std::optional<double> in_l2_seconds;
  std::int64_t calls = 0;
  int rounds = 0;
  bool graph = false;
  std::optional<double> error;
  std::string failure;  // not empty: no numbers
};

struct SymvCase {
  blas2::SymvType type = blas2::SymvType::d;
  Uplo uplo = Uplo::lower;
  std::int64_t n = 0, lda = 0;
  std::int64_t rotation = 0;
  bool past_l2 = false;
  std::string config;
  int repeats = 0;
  bool bit_for_bit = false;
  std::string skipped;  // not empty: no figures
  std::vector<SymvFigure> figures;

  const SymvFigure* figure(const std::string& name) const;  // null: absent or failed
};

struct SymvBench {
  std::string table;
  double error_limit = symv_error_limit;
  std::vector<SymvCase> cases;
};

// eigen_g's own results are within the limit and repeat, in every case that was not skipped, and one was not.
bool passed(const SymvBench& bench);

nlohmann::ordered_json json_of(const SymvBench& bench, const nlohmann::ordered_json& machine);
std::string to_table(const SymvBench& bench);

}  // namespace eigen_g::apps::bench
