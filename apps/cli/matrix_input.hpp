// How a matrix is read from the file that the command line names, and how a fault in it is named.
#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/common_options.hpp"

namespace eigen_g::apps {

// What MATRIX's options say to a reader; progress is told while it reads.
io::ReadOptions read_options(const MatrixOptions& options, int threads, Progress& progress);
// "entry (2, 1) is NaN"; row and col from 0.
io::FileError not_finite_in_file(const std::string& file, std::int64_t row, std::int64_t col, double value);

}  // namespace eigen_g::apps
