// Writes numbers as text, with the fewest decimal digits that read back to the same number (at most 17; float: 9).
#pragma once

#include "apps/io/output_file.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g::io {

// mtx: Matrix Market array, real or complex, general. txt, csv: one matrix row a line, separated by blanks or commas. A complex number is
// written as two numbers: real part, imaginary part.
enum class TextFormat { mtx, txt, csv };

// Writes all of `a` (rows x cols, host) to `out`; the caller commits. Throws FileError.
template <class T = double>
void write_text(OutputFile& out, MatrixView<const same_t<T>> a, TextFormat format, int threads = 0);

}  // namespace eigen_g::io
