// What `eigen_g bench tridiagonalize` measured: once as a structure, from it the table for people and the JSON for
// machines.
//
// JSON, "format": "eigen_g-bench-tridiagonalize", "version": 1. A field may be added within a version; one that is removed
// or changes its meaning raises it. Seconds are a call's; GB are 1e9 bytes.
//
//   format, version, machine (bench/machine.hpp)
//   cusolver        its version, 12004 for 12.0.4; 0: a build without it
//   limits          what the checks may reach: reduction (backward, orthogonality; small_reduction where n < 64), identity
//                   (trace, squares, eigenvalues)
//   cases           one a size:
//     n, lda
//     bytes         4/3 n^3: what must be read of the matrix
//     skipped       null, or why the case was left out (memory); it then has no calls
//     calls         timed_call.hpp: "eigen_g", "cusolver", "cusolver_nondeterministic"; the matrix is there, and the
//                   workspace, before each
//     gbytes_per_second   of eigen_g's call: bytes over seconds
//     ratio         time of the faster cuSOLVER mode over eigen_g's; null without it
//     checks        of eigen_g's result:
//       backward, orthogonality   solver/verify_reduction.hpp; null where n is larger than was to be checked
//       trace         |trace T - trace A| / (n ulp ||A||_F)
//       squares       | ||T||_F^2 - ||A||_F^2 | / (n ulp ||A||_F^2)
//       eigenvalues   max |w - w'| / (n ulp max |w|) of T's values and those of cuSOLVER's T; null without it
//       bit_for_bit   whether two runs gave the same d, e and tau
//     brief         true: of the checks only `eigenvalues` was made, of cuSOLVER's modes only one was timed
//     breakdown     null where it was not asked for; seconds:
//       total             eigen_g's call
//       on_chip           the last on_chip_order columns, which the chip holds, reduced alone
//       product           before those: the products A v alone (blas2 symv on the trailing matrices, from graphs)
//       update            the rank-2k updates alone, of panel_columns columns each
//       synchronisation   two barriers a column alone, among `blocks` blocks
//       panel             the rest: total without the four; below zero where the reduction does something of them faster
//                         than it is done alone
//       on_chip_order, panel_columns, blocks, sizes_measured (from which the sums over the columns are interpolated)
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/timed_call.hpp"

namespace eigen_g::apps::bench {

inline constexpr double reduction_limit = 1;         // backward error and orthogonality of a random matrix
inline constexpr double small_reduction_limit = 10;  // where n < 64 bounds little
inline constexpr double identity_limit = 3;          // trace, squares, eigenvalues

struct TridiagonalizeBreakdown {
  double total = 0, on_chip = 0, product = 0, update = 0, synchronisation = 0;
  std::int64_t on_chip_order = 0;
  int panel_columns = 0, blocks = 0, sizes_measured = 0;
  double panel() const { return total - on_chip - product - update - synchronisation; }
};

struct TridiagonalizeCase {
  std::int64_t n = 0, lda = 0;
  std::string skipped;  // not empty: nothing else is there
  std::vector<TimedCall> calls;
  std::optional<double> backward, orthogonality, eigenvalues;
  std::optional<double> trace, squares;
  std::optional<bool> bit_for_bit;
  bool brief = false;
  std::optional<TridiagonalizeBreakdown> breakdown;

  double bytes() const {
    return 4.0 / 3.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  }
};

struct TridiagonalizeBench {
  int cusolver = 0;
  std::vector<TridiagonalizeCase> cases;
};

// eigen_g's own call ran, its checks are within their limits and it repeats (of a brief case: the eigenvalues agree), in
// every case that was not skipped, and one was not.
bool passed(const TridiagonalizeBench& bench);

nlohmann::ordered_json json_of(const TridiagonalizeBench& bench, const nlohmann::ordered_json& machine);
std::string to_table(const TridiagonalizeBench& bench);

}  // namespace eigen_g::apps::bench
