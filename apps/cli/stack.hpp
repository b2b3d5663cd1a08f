// Solves and verifies a stack: matrices of one order in one array (..., n, n). Their results are arrays (..., m) and (..., n, m). With
// --b the matrices B are another stack of the same shape.
#pragma once

#include <string>

#include "apps/cli/solve_options.hpp"
#include "apps/support/stopwatch.hpp"

namespace eigen_g::apps {

// A command's objects that were made before the file was known to hold a stack.
struct StackRun {
  const OpenMatrix& opened;
  const Stopwatch &total, &reading;
  ReportSink& sink;
  Progress& progress;
};

// Returns not_verified if a matrix failed or did not pass the verification; then it writes nothing, unless --keep-unconverged is given.
// Throws UsageError for the options that do not apply to a stack.
ExitCode solve_stack(const SolveOptions& options, const StackRun& run);

ExitCode verify_stack(const MatrixOptions& matrix, const GeneralisedOptions& generalised,
                      const std::string& values, const std::string& vectors, const RunOptions& run_options,
                      const StackRun& run);

}  // namespace eigen_g::apps
