// Results of solve and verify as structures, and their two forms: a short table for people, JSON for programs.
//
// JSON, "format": "eigen_g-solve" or "eigen_g-verify", "version": 2. A version may get new fields. If a field is removed or changes its
// meaning, the version increases. Numbers are doubles that read back to the same bits; NaN and infinity are null. Sizes are in bytes,
// times in seconds. Indices count from 0, except the subset's first and last, which count from 1 as on the command line.
//
//   format, version    as above
//   eigen_g            version of the program
//   matrix             file, format, type ("s", "d", "c", "z": as it was read), n, triangle ("lower", "upper": the one that the solver
//                      read), symmetrized, asymmetry (max |a_ij - a_ji| if both triangles were compared, else 0)
//   verification       n, m, machine_eps, norm_one, norm_frobenius, residual_frobenius, reconstruction (null if m < n or A is sparse),
//                      orthogonality, lapack_residual, lapack_orthogonality, limit, worst_residual, worst_index,
//                      ascending, finite, on_gpu, passed; null: not checked
//   seconds            solve: read, solve (the whole library call), stages (by name), predicted (large stages by name, and
//                      calibration: the source of the rates; null: no prediction), verify and write (null: not done), total (the
//                      whole command). verify: read, verify, total
//
// A solve has these too:
//   status             "converged", "not_converged" or "out_of_range" (values beyond the type's range)
//   info               LAPACK's info of the divide and conquer
//   subset             by ("index": first, last; "value": above, upto, null: infinite); null: all pairs
//   values             count, lowest, highest; all: every value found, ascending; first_index: index of the first one among all n
//   vectors            number of computed vectors
//   ratio              the ratio that was asked for; if it was automatic, the resulting shares in percent
//   devices            for each device: name, share (of the flops of the large products), seconds (spent on shared products), engine
//   path, engine       path of the reduction; engines of the matrix products
//   mode               where a solve on a GPU kept its matrices: "in_core", "parked" (reflectors in host memory), "slabs" (vectors, too) or
//                      "block_columns" (A as its lower half, too)
//   slabs_of_rows, slabs_of_columns   numbers of slabs; 0: none
//   refinement         result of mixed precision: result ("refined", or why the solve was in native precision: "out_of_scope",
//                      "float_failed", "large_clusters", "diverged"), steps, clusters, largest_cluster, correction (|E| of the last step),
//                      float_seconds, seconds; null: mixed precision was not requested
//   fallbacks          fallbacks because of too little GPU memory, in their order: "mixed_to_native", "in_core_to_parked",
//                      "parked_to_slabs", "to_block_columns", "two_stage_to_one_stage", "gpu_to_cpu"; empty: there was enough memory
//   threads            CPU threads
//   bytes              host, device: workspace in addition to the matrix and the results
//   outputs            values, vectors: the files written; null: not written
//   distributed        library, routine, processes, rows, cols (of the process grid), block, peak_bytes (of one process); null: a solve
//                      by one process
//
// verify has these too:
//   inputs             values, vectors: the files that were checked; b: the file of M of a sparse pencil, else null
//   counts             with --proof: low, high, below, expected, given, all, passed (verify_counts.hpp); else null
//   vectors            number of checked vectors
//   threads            CPU threads
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/solve_prediction.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/solve_text.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_counts.hpp"

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

// Facts about a solve by several processes.
struct Distributed {
  std::string library, routine;           // e.g. "scalapack", "pdsyevd"
  int processes = 0, rows = 0, cols = 0;  // the process grid that holds the matrix
  std::int64_t block = 0;
  std::uint64_t peak_bytes = 0;  // memory of the largest process, as the system reports it
};

struct SolveReport {
  MatrixFacts matrix;
  bool print_all = false;  // every eigenvalue in the table
  Subset subset;
  std::optional<SolvePrediction> plan;
  Ratio ratio;  // as it was asked for
  Report solve;
  std::vector<double> values;
  std::int64_t infinite = 0;  // index, from 1, of a value beyond the type's range; 0: none
  std::int64_t vectors = 0;
  int threads = 0;
  Seconds seconds;
  std::string values_file, vectors_file;  // "": not written
  std::optional<Verification> check;
  std::optional<Distributed> distributed;
};

// True if the solve converged to finite values and passed the verification, if any. Only then results are written and the code is 0.
bool succeeded(const SolveReport& report);

struct VerifyReport {
  MatrixFacts matrix;
  std::string b_file;  // M of a sparse pencil; "": a standard problem
  std::string values_file, vectors_file;
  int threads = 0;
  Seconds seconds;
  Verification check;
  std::optional<CountVerification> counts;
};
// The verification passed, and that by counts if there is one.
bool passed(const VerifyReport& report);

// The table's rows about a distributed solve, and the JSON field.
std::string distributed_rows(const Distributed& distributed);
nlohmann::ordered_json distributed_json(const std::optional<Distributed>& distributed);

// Parts of the reports: rows of a table, and JSON fields. A time that is not known is null, and so is an empty name.
std::string matrix_row(const MatrixFacts& matrix);
std::string seconds_row(const std::string& indent, const std::string& name, double seconds,
                        double predicted = 0);
nlohmann::ordered_json matrix_json(const MatrixFacts& matrix);
nlohmann::ordered_json subset_json(const Subset& subset);
nlohmann::ordered_json number_or_null(const std::optional<double>& value);
nlohmann::ordered_json name_or_null(const std::string& file);

// The table's rows of the eigenvalues: the index of each, from 1, and the value. all: every value; else the first and the last ones.
std::string value_rows(const std::vector<double>& values, std::int64_t first_index, io::ScalarType type,
                       bool all);

// The table's rows about a verification, and the JSON field.
std::string check_rows(const Verification& check);
nlohmann::ordered_json verification_json(const Verification& check);

// Each text ends with a newline. The table omits stages with a time of zero, which this device does not have.
std::string to_table(const SolveReport& report);
std::string to_table(const VerifyReport& report);
std::string json_of(const SolveReport& report);
std::string json_of(const VerifyReport& report);

}  // namespace eigen_g::apps
