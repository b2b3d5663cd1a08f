// Reads a dense matrix from plain text or CSV, one matrix row a line.
#include <complex>
#include <string>

#include "apps/io/number_table.hpp"
#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_number.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

// Number of lines with numbers, as far as type_of_text() needs it: more than `most` are not counted.
std::int64_t lines_of_numbers(std::string_view text, std::int64_t most) {
  std::int64_t lines = 0;
  const std::string_view body = without_mark(text);
  const char* p = body.data();
  const char* const end = p + body.size();
  while (p != end && lines <= most) {
    p = skip_blanks(p, end);
    lines += !at_line_end(p, end) && *p != '%' && *p != '#';
    while (!at_line_end(p, end)) ++p;
    if (p != end) ++p;
  }
  return lines;
}

}  // namespace

ScalarType type_of_text(const MappedFile& file) {
  const std::int64_t cols = numbers_on_first_line(file.text());
  const bool pairs = cols > 0 && cols % 2 == 0 && lines_of_numbers(file.text(), cols / 2) == cols / 2;
  return pairs ? ScalarType::z : ScalarType::d;
}

template <class T>
Stored<T> read_text_square(const MappedFile& file, const ReadOptions& options) {
  NumberTable table = read_number_table(file, true, options.threads, options.progress);
  const std::int64_t rows = table.rows;
  const bool pairs = table.cols == 2 * rows;
  if (table.cols != rows && !pairs)
    throw FileError(
        file.path(), 0,
        "holds " + std::to_string(rows) + " lines of " + std::to_string(table.cols) +
            " numbers; a square matrix is required: as many numbers on a line as lines, or twice as "
            "many for complex numbers");
  if (pairs && !is_complex<T>)
    throw FileError(file.path(), 0, "has complex numbers, two numbers each; a real matrix is required");
  if (!pairs && is_complex<T>) {  // real numbers as complex ones
    NumberTable wide{rows, 2 * rows, std::vector<double>(2 * table.values.size())};
    for (std::size_t k = 0; k < table.values.size(); ++k) wide.values[2 * k] = table.values[k];
    table = std::move(wide);
  }
  const Dense<T> dense = dense_of<T>(file.path(), table);
  Stored<T> stored;
  stored.n = rows;
  stored.data = dense.data;
  stored.owner = dense.owner;
  stored.format_name = pairs ? "text, complex" : "text";
  return stored;
}

EIGEN_G_INSTANTIATE(all_types, read_text_square);

}  // namespace eigen_g::io
