// eigen_g solve --lowest K | --highest K | --near X --count K: a few pairs of the matrix in a file, or of the operator on a grid.
//
// JSON, "format": "eigen_g-solve_few", "version": 1, by the rules of report.hpp. Fields:
//   format, version, eigen_g
//   matrix               file, format, n, nnz
//   wanted               count, end, near
//   method, status       status: "converged" or "not_converged"
//   on_gpu, threads
//   values, residuals, limit, norm
//   orthogonality        null with the dense method
//   products, predicted_products, restarts
//   filter               degree, cut, upper; null with the dense method
//   probe                done, found
//   verification         as in report.hpp; null: not checked
//   seconds              read, solve, verify (null: not done), write, total
//   bytes                host, device
//   outputs              values, vectors
#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/matrix_options.hpp"
#include "apps/cli/result_files.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/run_options.hpp"
#include "solver/api/sparse.hpp"

namespace eigen_g::apps {

// The options as they are on the command line.
struct FewCommandOptions {
  std::int64_t lowest = 0, highest = 0;
  double near = 0;
  bool near_given = false;
  std::int64_t count = 0;  // with --near; 0: one pair
  std::string method = "auto";
  double tolerance = 0;           // 0: the library's default
  std::int64_t max_products = 0;  // 0: the library's default
  std::string start;
  bool keep_unconverged = false;
  std::string grid;  // "100x100x100"
  int stencil = 0;   // 0: 7 points

  bool wanted() const { return lowest > 0 || highest > 0 || near_given || !grid.empty(); }
  // True if an option is given that applies to few pairs only.
  bool only_for_few() const {
    return method != "auto" || tolerance != FewOptions().tolerance || max_products > 0 || !start.empty() ||
           count > 0 || stencil > 0;
  }
};
// `file` is the option MATRIX, which --grid replaces.
void add_few_options(CLI::App& command, CLI::Option& file, FewCommandOptions& wanted);

// Parses "100x90x80"; the last one or two sides may be missing, which means 1. Throws UsageError.
SparseGrid parse_grid(const std::string& text);

struct FewSolve {
  FewCommandOptions few;
  MatrixOptions matrix;
  RunOptions run;
  std::string prefix;
  ResultFormat format = ResultFormat::npy;
  int gpus = 1;
  bool values_only = false, predict = false, verify = false;
};
// Writes the converged pairs to the result files; with --keep-unconverged all pairs. Returns not_verified if some did not converge or if
// the pairs fail the verification.
ExitCode solve_few_pairs(const FewSolve& request);

}  // namespace eigen_g::apps
