#include "apps/io/text_output.hpp"

#include <algorithm>
#include <charconv>
#include <complex>
#include <vector>

#include "apps/io/text_lines.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

template <class Number>
void append_digits(std::string& text, Number value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  text.append(digits, static_cast<std::size_t>(end - digits));
}

template <class R>
void append_entry(std::string& text, R value, char) {
  append_digits(text, value);
}
template <class R>
void append_entry(std::string& text, const std::complex<R>& value, char between) {
  append_digits(text, value.real());
  append_digits(text += between, value.imag());
}

}  // namespace

void append_number(std::string& text, double value) {
  append_digits(text, value);
}
void append_number(std::string& text, float value) {
  append_digits(text, value);
}
void append_number(std::string& text, std::int64_t value) {
  append_digits(text, value);
}

template <class T>
void write_text(OutputFile& out, MatrixView<const same_t<T>> a, TextFormat format, int threads) {
  // mtx: column after column, a number a line. txt, csv: a matrix row a line.
  if (format == TextFormat::mtx) {
    std::string head =
        std::string("%%MatrixMarket matrix array ") + (is_complex<T> ? "complex" : "real") + " general\n";
    append_number(head, a.rows);
    append_number(head += ' ', a.cols);
    out.write(head += '\n');
    const std::int64_t pieces_a_column = (a.rows + lines_a_piece - 1) / lines_a_piece;
    write_pieces(out, pieces_a_column * a.cols, threads, [&](std::int64_t piece, std::string& text) {
      const std::int64_t j = piece / pieces_a_column;
      const std::int64_t i0 = piece % pieces_a_column * lines_a_piece;
      for (std::int64_t i = i0; i < std::min(i0 + lines_a_piece, a.rows); ++i) {
        append_number(text, a(i, j));
        text += '\n';
      }
    });
    return;
  }
  // Eight rows are gathered at a time, because they share cache lines of each column.
  constexpr std::int64_t rows_a_piece = 8;
  const char between = format == TextFormat::csv ? ',' : ' ';
  const std::int64_t pieces = (a.rows + rows_a_piece - 1) / rows_a_piece;
  write_pieces(out, pieces, threads, [&](std::int64_t piece, std::string& text) {
    const std::int64_t i0 = piece * rows_a_piece;
    const std::int64_t rows = std::min(rows_a_piece, a.rows - i0);
    std::vector<T> gathered(static_cast<std::size_t>(rows * a.cols));
    for (std::int64_t j = 0; j < a.cols; ++j)
      for (std::int64_t r = 0; r < rows; ++r) gathered[r * a.cols + j] = a(i0 + r, j);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t j = 0; j < a.cols; ++j) {
        if (j > 0) text += between;
        append_entry(text, gathered[r * a.cols + j], between);
      }
      text += '\n';
    }
  });
}

EIGEN_G_INSTANTIATE(all_types, write_text);

}  // namespace eigen_g::io
