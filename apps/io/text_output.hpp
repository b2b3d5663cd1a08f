// Numbers as text: the shortest decimal digits that read back to the same number (at most 17; of float 9).
#pragma once

#include "apps/io/output_file.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g::io {

// mtx: Matrix Market array real (or complex) general. txt: a row of the matrix a line, blanks between. A complex number is two, real
// and imaginary part.
enum class TextFormat { mtx, txt };

// Writes all of `a` (rows x cols, host) to `out`; the caller commits. Throws FileError.
template <class T = double>
void write_text(OutputFile& out, MatrixView<const same_t<T>> a, TextFormat format, int threads = 0);

}  // namespace eigen_g::io
