// What solve and verify found, once as a structure; from it the short table for people and the JSON for
// machines.
//
// JSON, "format": "eigen_g-solve" or "eigen_g-verify", "version": 1. A field may be added within a version;
// one that is removed or changes its meaning raises it. Numbers are doubles that read back to the same bits;
// NaN and infinity are null. Bytes are bytes, seconds are seconds, indices count from 0.
//
//   format, version    as above
//   eigen_g            version of the program
//   matrix             file, format, type ("s", "d", "c", "z": in which it was taken), n, triangle ("lower", "upper": the one that the solver read), symmetrized,
//                      asymmetry (max |a_ij - a_ji| where both triangles were compared, else 0)
//   check              n, m, machine_eps, norm_one, norm_frobenius, residual_frobenius, reconstruction (null where m < n),
//                      orthogonality, lapack_residual, lapack_orthogonality, limit, worst_residual, worst_index,
//                      ascending, finite, on_gpu, passed; null where nothing was checked
//   seconds            of a solve: read, solve (the whole library call), stages (of the call, by name), predicted (of the large
//                      stages, by name, and calibration: where the rates came from; null where there is none), verify,
//                      write (null where it did not happen), total (the whole command); of verify: read, verify, total
//
// Of a solve also:
//   status             "converged" or "not_converged"; failed: the info of the divide and conquer
//   subset             what was asked for: by ("index": first, last; "value": above, upto, null where infinite); null: all
//   values             count, lowest, highest; all: every value found, ascending; first_index: place of the first among
//                      all n
//   vectors            how many were computed
//   devices, ratio     that took part, the GPU first; the share of the work of each
//   work               of each device: name, share (of the flops of the large products), seconds (at work on those that were cut
//                      over devices), engine
//   path, engine       of the reduction, of the matrix products
//   refinement         what mixed precision did: way ("refined", or why the plain solver was taken: "out_of_scope", "not_in_float",
//                      "clusters", "diverged"), steps, clusters, largest_cluster, correction (|E| of the last step), float_seconds,
//                      seconds; null where it was not asked for
//   threads            of the CPU
//   bytes              host, device: workspace beside the matrix and the results
//   outputs            values, vectors: the files written; null where none was
//
//   distributed        engine, routine, processes, rows, cols (of the grid), block, peak_bytes (of a process); null of one process
//
// Of verify also:
//   inputs             values, vectors: the files checked
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/solve_plan.hpp"
#include "apps/io/scalar_type.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps {

struct MatrixFacts {
  std::string file;
  std::string format;
  std::int64_t n = 0;
  Uplo triangle = Uplo::lower;
  bool symmetrized = false;
  double asymmetry = 0;
  io::ScalarType type = io::ScalarType::d;
};

struct Seconds {
  double read = 0;
  std::optional<double> verify, write;
  double total = 0;
};

// Of a solve by several processes.
struct Distributed {
  std::string engine, routine;            // "scalapack", "pdsyevd"
  int processes = 0, rows = 0, cols = 0;  // the grid, whose processes hold the matrix
  std::int64_t block = 0;
  std::uint64_t peak_bytes = 0;  // of the process with the most, as the system counts it
};

struct SolveReport {
  MatrixFacts matrix;
  Subset subset;
  std::optional<SolvePlan> plan;
  Ratio ratio;  // as asked for
  Report solve;
  std::vector<double> values;
  std::int64_t infinite = 0;  // number, from 1, of a value beyond the range of double; 0: there is none
  std::int64_t vectors = 0;
  int threads = 0;
  Seconds seconds;
  std::string values_file, vectors_file;  // "": none written
  std::optional<Verification> check;
  std::optional<Distributed> distributed;
};

// Converged to finite values, and passed the check if there was one: only then results are written and the exit code is 0.
bool succeeded(const SolveReport& report);

struct VerifyReport {
  MatrixFacts matrix;
  std::string values_file, vectors_file;
  int threads = 0;
  Seconds seconds;
  Verification check;
};

// As people read a solve: "a GPU (8 of 132 multiprocessors), a CPU"; the ratio asked for, or of an automatic one what came out
// in percent, "83:17" ("1": one device); the engines of the products of each stage, as "native", "df+native", or where stages
// differ "tridiagonalize native, divide_and_conquer df" (the one with the most flops first); what mixed precision did.
std::string device_text(const DeviceWork& device);
std::string devices_text(const Report& solve);
std::string ratio_text(const Report& solve, const Ratio& wanted);
std::string engines_text(const Report& solve);
std::string refinement_text(const Refinement& refinement);

// The rows of a table that tell of it, and its field of the JSON.
std::string distributed_rows(const Distributed& distributed);
nlohmann::ordered_json distributed_json(const std::optional<Distributed>& distributed);

// Each ends with a newline. A time of zero (a stage that this device does not have) is left out of the table.
std::string to_table(const SolveReport& report);
std::string to_table(const VerifyReport& report);
std::string json_of(const SolveReport& report);
std::string json_of(const VerifyReport& report);

}  // namespace eigen_g::apps
