// Options of eigen_g solve, which the distributed command has too.
#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/common_options.hpp"
#include "apps/cli/few.hpp"
#include "apps/cli/generalised.hpp"
#include "apps/cli/result_files.hpp"

namespace eigen_g::apps {

struct SolveOptions {
  MatrixOptions matrix;
  RunOptions run;
  std::string prefix;
  std::string format = "npy";
  std::string gemm = "native";
  std::string path = "auto";
  std::string precision = "native";
  std::string range_index, range_value;  // "LO:HI"; "": all
  std::string ratio = "auto";
  int gpus = 1, gpu_sms = 0;
  std::string calibration;  // "": the cached one
  bool explain = false;
  bool values_only = false;
  bool verify = false;
  FewWishes few;
  GeneralisedOptions generalised;
};
CLI::Option* add_solve_options(CLI::App& command, SolveOptions& options);  // of MATRIX

// By --format, and -o's name, which of .h5 and .hdf5 is a file of both. Throws UsageError.
ResultFormat result_format(const SolveOptions& options);
// What --range-index or --range-value name. Throws UsageError.
Subset subset_of(const SolveOptions& options, std::int64_t n);

}  // namespace eigen_g::apps
