// What `eigen_g bench solve` measured: once as a structure, from it the table for people and the JSON for machines.
//
// JSON, "format": "eigen_g-bench-solve", "version": 1. A field may be added within a version; one that is removed or
// changes its meaning raises it. Seconds are a call's.
//
//   format, version, machine (bench/machine.hpp)
//   cusolver        its version, 12004 for 12.0.4; 0: a build without it
//   limit           what the LAPACK ratios may reach (solver/verify.hpp)
//   value_limit     what `values` may reach
//   cases           one a size:
//     n, skipped    null, or why the case was left out (memory); it then has no calls
//     calls         timed_call.hpp. eigen_g's allocate their workspace themselves, which is part of their time;
//                   cuSOLVER's is there before. "vectors": values and all vectors, "values": values only
//         "device_vectors", "device_values"    eigen_g on device pointers
//         "host_vectors", "host_values"        eigen_g on host pointers (pageable memory), transfers included
//         "cusolver_vectors", "cusolver_values", "cusolver_nondeterministic_vectors", "..._values": Xsyevd, device pointers
//       and of eigen_g's: stages (name: median seconds); of those with vectors: residual, orthogonality (LAPACK ratios),
//       null where they were not checked
//     ratios        vectors, values: time of the faster cuSOLVER mode over eigen_g's on device pointers; null without it
//     values        max |w - w'| / (n ulp max |w|) of "device_values" and "device_vectors"
//     bit_for_bit   whether a second "device_vectors" gave the same values and vectors; null where there was one only
//     brief         true: only calls with vectors on device pointers were wanted
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/timed_call.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps::bench {

inline constexpr double solve_value_limit = 3;

struct SolveChecks {
  double residual = 0, orthogonality = 0;  // LAPACK ratios
};

struct SolveCase {
  std::int64_t n = 0;
  std::string skipped;  // not empty: nothing else is there
  std::vector<TimedCall> calls;
  std::map<std::string, std::vector<double>> stages;  // by call: median seconds by static_cast<int>(Stage)
  std::map<std::string, SolveChecks> checks;          // by call
  std::optional<double> values;
  std::optional<bool> bit_for_bit;
  bool brief = false;
};

struct SolveBench {
  int cusolver = 0;
  std::vector<SolveCase> cases;
};

// The calls of eigen_g that were wanted ran, those with vectors pass the LAPACK ratios, the values agree and repeat, in
// every case that was not skipped, and one was not.
bool passed(const SolveBench& bench);

nlohmann::ordered_json json_of(const SolveBench& bench, const nlohmann::ordered_json& machine);
std::string to_table(const SolveBench& bench);

}  // namespace eigen_g::apps::bench
