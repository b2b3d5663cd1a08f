// Options of eigen_g solve and of eigen_g_mpi solve.
#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/few.hpp"
#include "apps/cli/generalised.hpp"
#include "apps/cli/matrix_options.hpp"
#include "apps/cli/result_files.hpp"
#include "apps/support/run_options.hpp"

namespace eigen_g::apps {

struct SolveOptions {
  MatrixOptions matrix;
  RunOptions run;
  std::string prefix;
  std::string format = "npy";
  std::string engine = "native";
  std::string library = "auto";  // the library that factorises, for few pairs
  std::string path = "auto";
  std::string precision = "native";
  std::string subset_by_index, subset_by_value;  // "LO:HI"; "": all
  std::string ratio = "auto";
  int gpus = 1, multiprocessors = 0;
  std::uint64_t memory_limit = 0;  // bytes; 0: what is free
  std::string calibration;         // "": the cached file
  bool predict = false;
  bool print = false;  // every eigenvalue
  std::string plot;    // file of --plot; "": none
  bool values_only = false;
  bool verify = false;
  FewCommandOptions few;
  GeneralisedOptions generalised;
};
CLI::Option* add_solve_options(CLI::App& command, SolveOptions& options);  // returns the option MATRIX

// The format that --format names; HDF5 if the name of -o ends in .h5 or .hdf5. Throws UsageError.
ResultFormat result_format(const SolveOptions& options);
// The given options that only a solve on a GPU uses, "--engine, --precision"; "": none.
std::string options_of_gpu(const SolveOptions& options);
// The subset that --subset-by-index or --subset-by-value names. Throws UsageError.
Subset subset_of(const SolveOptions& options, std::int64_t n);

}  // namespace eigen_g::apps
