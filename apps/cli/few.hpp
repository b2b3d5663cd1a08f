// eigen_g solve --lowest K | --highest K | --near X --count K | --interval A:B: a few pairs of the matrix in a file, of the pencil
// K - w M with M of --b, or of the operator on a grid.
//
// JSON, "format": "eigen_g-solve_few", "version": 1, by the rules of report.hpp. Fields:
//   format, version, eigen_g
//   matrix               file, format, n, nnz
//   b                    file, form ("matrix" or "diagonal"), nnz; null: a standard problem
//   wanted               count (null: an interval), end, near, interval, buckling, proof
//   method, status       status: "converged", "not_proven" (with --proof counts) or "not_converged"
//   on_gpu, threads
//   values, residuals, limit, norm
//   orthogonality        null with the dense method
//   products, predicted_products, restarts
//   filter               degree, cut, upper; null with the dense method
//   probe                done, found
//   library              the library that factorised; null: there was no factorisation. The next four are null then too
//   bounds               of the distance of each value from an eigenvalue
//   shift                wished, used, reason (null: not moved)
//   proof                proven, low, count_low, high, count_high, found, repaired, reason (null: proven or not tried)
//   factorisation        count, entries, bytes; seconds: analysis, factorisation, solves
//   verification         as in report.hpp; null: not checked
//   seconds              read, solve, verify (null: not done), write, total
//   bytes                host, device
//   outputs              values, vectors
//
// With --count-only: "format": "eigen_g-count", "version": 1. Fields:
//   format, version, eigen_g, matrix, b, factorisation (entries, bytes)
//   counts               for each point: asked, at (another point if the first one is an eigenvalue), below (the number of values)
//   within               with --interval the number of values in it; else null
//   seconds              read, total
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "apps/cli/generalised.hpp"
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
  std::int64_t count = 0;             // with --near; 0: one pair
  bool above = false, below = false;  // only pairs on this side of the value of --near
  std::string interval;               // "A:B"
  std::int64_t max_pairs = 0;         // limit for --interval; 0: the library's limit
  bool count_only = false, buckling = false;
  std::string proof = "auto";
  std::string method = "auto";
  double tolerance = 0;           // 0: the library's default
  std::int64_t max_products = 0;  // 0: the library's default
  std::string start;
  bool keep_unconverged = false;
  std::string grid;  // "100x100x100"
  int stencil = 0;   // 0: 7 points

  bool wanted() const {
    return lowest > 0 || highest > 0 || near_given || !interval.empty() || !grid.empty();
  }
  // True if an option is given that applies to few pairs only.
  bool only_for_few() const {
    return method != "auto" || tolerance != FewOptions().tolerance || max_products > 0 || !start.empty() ||
           count > 0 || stencil > 0 || above || below || max_pairs > 0 || count_only || buckling ||
           proof != "auto";
  }
};
// `file` is the option MATRIX, which --grid replaces.
void add_few_options(CLI::App& command, CLI::Option& file, FewCommandOptions& wanted);

// Parses "A:B", two finite numbers with A < B. Throws UsageError.
std::pair<double, double> parse_interval(const std::string& text);
// Parses "100x90x80"; the last one or two sides may be missing, which means 1. Throws UsageError.
SparseGrid parse_grid(const std::string& text);

struct FewSolve {
  FewCommandOptions few;
  MatrixOptions matrix;
  GeneralisedOptions b;
  FactorLibrary library = FactorLibrary::automatic;
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
