// A case of `bench solve --gpus`: whole solves of one random matrix in host memory by several numbers of GPUs, and by cuSOLVERMg on the same GPUs if its
// library is found. CUDA builds only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/bench/bench.hpp"

namespace eigen_g::apps::bench {

struct TeamCaseOptions {
  std::int64_t n = 0;
  char type = 'd';  // s, d, c or z
  TimingRule rule;
  std::vector<int> gpus;    // numbers of GPUs, ascending
  bool values_only = true;  // also solves without vectors
  bool repeated = true;     // solves a second time and compares the bits
  bool peer = true;         // also cuSOLVERMg
};

// Orders above this one are verified by `sampled_pairs` pairs that are spread over the spectrum.
inline constexpr std::int64_t largest_order_verified_whole = 25000, sampled_pairs = 512;

// README.md describes the fields of its JSON.
CaseOptions team_case(const Session& session, const TeamCaseOptions& plan, Json parameters);

// "gpus_2", "gpus_2_values", "cusolvermg_2": the names of the calls.
std::string team_call(int gpus, bool vectors);
std::string cusolvermg_call(int gpus);

}  // namespace eigen_g::apps::bench
