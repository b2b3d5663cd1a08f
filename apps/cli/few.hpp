// eigen_g solve --lowest K | --highest K | --near X --count K: a few pairs of a file's matrix or of a grid's operator.
//
// JSON, "format": "eigen_g-solve_few", "version": 1; the rules of report.hpp. Fields: format, version, eigen_g, matrix (file,
// format, n, nnz), wanted (count, end, near), method, status ("converged", "not_converged"), on_gpu, threads, values, residuals, limit,
// norm, orthogonality, products, predicted_products, restarts, filter (degree, cut, upper; null of the dense method), probe (done,
// found), seconds (read, solve, write, total), bytes (host, device), outputs (values, vectors).
#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/common_options.hpp"
#include "apps/cli/exit_codes.hpp"
#include "apps/cli/result_files.hpp"
#include "solver/api/sparse.hpp"

namespace eigen_g::apps {

// As they stand on the command line.
struct FewWishes {
  std::int64_t lowest = 0, highest = 0;
  double near = 0;
  bool near_given = false;
  std::int64_t count = 0;  // of --near; 0: one
  std::string method = "auto";
  double tolerance = 1e-9;
  std::int64_t max_products = 0;  // 0: the library's default
  std::string start;
  bool keep_unconverged = false;
  std::string grid;  // "100x100x100"
  int stencil = 0;   // 0: 7 points

  bool wanted() const { return lowest > 0 || highest > 0 || near_given || !grid.empty(); }
  // An option is given that means something to few pairs alone.
  bool only_for_few() const {
    return method != "auto" || tolerance != FewOptions().tolerance || max_products > 0 || !start.empty() ||
           keep_unconverged || count > 0 || stencil > 0;
  }
};
// `file` is the option of the matrix, which --grid stands for.
void add_few_options(CLI::App& command, CLI::Option& file, FewWishes& wishes);

// "100x90x80"; a side or two may be left out. Throws UsageError.
SparseGrid parse_grid(const std::string& text);

struct FewRequest {
  FewWishes few;
  MatrixOptions matrix;
  RunOptions run;
  std::string prefix;
  ResultFormat format = ResultFormat::npy;
  int gpus = 1;
  bool values_only = false, explain = false;
};
// Converged pairs, or with --keep-unconverged all, go to the result files; not_verified where some have not converged.
ExitCode solve_few_pairs(const FewRequest& request);

}  // namespace eigen_g::apps
