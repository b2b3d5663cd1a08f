// eigen_g solve A --b B [--itype 1|2|3] and eigen_g verify A --b B: generalised problems.
//
// JSON, "format": "eigen_g-solve_generalised" or "eigen_g-verify_generalised", "version": 2, by the rules of report.hpp. Fields:
//   format, version, eigen_g
//   matrix          file, type, n
//   b               file
//   itype, threads
//   seconds         read, verify, total
//   verification    n, m, condition, norm_a, norm_b, residual, residual_limit, orthogonality, orthogonality_limit, bad_minor, ascending,
//                   finite, on_gpu, passed; null: not checked
// A solve has these too:
//   status          "converged", "not_converged", "not_positive_definite", "out_of_range"
//   bad_minor
//   values          count, lowest, highest, all, first_index
//   vectors, devices, path
//   fallbacks       as in report.hpp
//   bytes           host, device
//   seconds         also solve, stages, write
//   outputs         values, vectors; null: not written
//   distributed     as in report.hpp
#pragma once

#include <functional>
#include <string>

#include "apps/cli/matrix_options.hpp"
#include "apps/cli/result_files.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/run_options.hpp"

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
  OpenMatrix opened;  // the file of `matrix`
  RunOptions run;
  std::string prefix;
  ResultFormat format = ResultFormat::npy;
  Options options;  // triangle and subset are set after the matrix is read
  Devices devices;
  std::string calibration;  // the file of --calibration; "": not given
  std::function<Subset(std::int64_t n)> subset;
  bool verify = false, predict = false;
  std::string options_of_gpu;  // as in solve_options.hpp
  bool print = false;          // every eigenvalue
  std::string plot;            // file of --plot; "": none
};
ExitCode solve_generalised(GeneralisedSolve request);

struct GeneralisedVerify {
  GeneralisedOptions b;
  MatrixOptions matrix;
  OpenMatrix opened;  // the file of `matrix`
  RunOptions run;
  std::string values, vectors;
};
ExitCode verify_generalised_files(const GeneralisedVerify& request);

}  // namespace eigen_g::apps
