// eigen_g solve A --b B [--itype 1|2|3], eigen_g verify A --b B: generalised problems.
//
// JSON, "format": "eigen_g-solve_generalised" or "eigen_g-verify_generalised", "version": 1; the rules of report.hpp. Fields: format,
// version, eigen_g, matrix (file, type, n), b (file), itype, threads, seconds (read, verify, total), check (condition, norm_a, norm_b,
// residual, residual_limit, orthogonality, orthogonality_limit, bad_minor, ascending, finite, on_gpu, passed; null: not checked); of
// a solve also status ("converged", "not_converged", "not_positive_definite", "out_of_range"), bad_minor, values (count, lowest,
// highest, all, first_index), vectors, devices, path, bytes (host, device), outputs (values, vectors; null: none), and in seconds
// solve, acts, stages, write.
#pragma once

#include <functional>
#include <string>

#include "apps/cli/common_options.hpp"
#include "apps/cli/exit_codes.hpp"
#include "apps/cli/result_files.hpp"

namespace eigen_g::apps {

struct GeneralisedOptions {
  std::string file;  // B; "": a standard problem
  int itype = 1;
  bool wanted() const { return !file.empty(); }
};
void add_generalised_options(CLI::App& command, GeneralisedOptions& options);

struct GeneralisedSolve {
  GeneralisedOptions b;
  MatrixOptions matrix;
  RunOptions run;
  std::string prefix;
  ResultFormat format = ResultFormat::npy;
  Options options;  // the triangle and the subset follow when the matrix is there
  Devices devices;
  std::string calibration;  // the file; "": none is named
  std::function<Subset(std::int64_t n)> subset;
  bool verify = false, explain = false;
};
ExitCode solve_generalised(GeneralisedSolve request);

struct GeneralisedVerify {
  GeneralisedOptions b;
  MatrixOptions matrix;
  RunOptions run;
  std::string values, vectors;
};
ExitCode verify_generalised_files(const GeneralisedVerify& request);

}  // namespace eigen_g::apps
