// Numbers as text: the shortest decimal digits that read back to the same double (at most 17).
#pragma once

#include "apps/io/output_file.hpp"
#include "hybrid/matrix_view.hpp"

namespace eigen_g::io {

// mtx: Matrix Market array real general. txt: a row of the matrix a line, blanks between.
enum class TextFormat { mtx, txt };

// Writes all of `a` (rows x cols, host) to `out`; the caller commits. Throws FileError.
void write_text(OutputFile& out, MatrixView<const double> a, TextFormat format, int threads = 0);

}  // namespace eigen_g::io
