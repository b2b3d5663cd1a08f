// Options for reading the matrix file of the command line, and the error for an invalid entry in it.
#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/matrix_options.hpp"
#include "apps/io/sparse_file.hpp"

namespace eigen_g::apps {

// Reader options from the options of MATRIX. The reader reports its progress to `progress`.
io::ReadOptions read_options(const MatrixOptions& options, int threads, Progress& progress);
// Message: "entry (2, 1) is NaN". row and col count from 0.
io::FileError not_finite_in_file(const std::string& file, std::int64_t row, std::int64_t col, double value);
// As require_finite() of matrix_options.hpp.
void require_finite(const MatrixOptions& options, const io::SparseMatrix& matrix);

}  // namespace eigen_g::apps
