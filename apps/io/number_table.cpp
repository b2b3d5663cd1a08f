#include "apps/io/number_table.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "apps/io/stored_matrix.hpp"
#include "apps/io/text_chunks.hpp"
#include "apps/io/text_number.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

struct NumberChunk : ParsedChunk {
  std::vector<double> values;
  std::int64_t rows = 0;            // lines that hold numbers
  std::int64_t cols = 0;            // numbers a line, if all lines of the chunk have the same number of them
  std::int64_t first_row_line = 0;  // from 1 within the chunk
};

const char* skip_comment(const char* p, const char* end) {
  if (!at_line_end(p, end) && (*p == '%' || *p == '#'))
    while (!at_line_end(p, end)) ++p;
  return p;
}

// Passes the blanks after a number, and at most one comma or semicolon. separated: there was one, so that a number must follow.
const char* skip_separator(const char* p, const char* end, bool& separated) {
  p = skip_blanks(p, end);
  separated = !at_line_end(p, end) && (*p == ',' || *p == ';');
  return separated ? skip_blanks(p + 1, end) : p;
}

// The number at p. Its text ends before the next separator.
Parse parse_entry(const char*& p, const char* end, double& value) {
  const char* stop = p;
  while (!at_line_end(stop, end) && *stop != ',' && *stop != ';') ++stop;
  return parse_real(p, stop, value);
}

// The message for a word. It has the cure if the word looks like a complex number, or if it is the first one of a table (leading).
std::string not_a_number(const char* word, const char* end, bool leading) {
  const char* last = word;
  while (!at_token_end(last, end) && *last != ',' && *last != ';') ++last;
  const char tail = last == word ? ' ' : last[-1];
  std::string message = std::string("'").append(token_for_message(word, end)).append("' is not a number");
  if (last - word > 1 && (tail == 'i' || tail == 'j' || tail == ')'))
    message += "; a complex number is two numbers here, its real part and its imaginary part";
  else if (leading)
    message += "; a line of names must begin with # or %";
  return message;
}

// Parses numbers on lines. With `even` all lines must hold the same number of them.
void parse_numbers(NumberChunk& chunk, bool even) {
  chunk.values.clear();
  chunk.rows = chunk.cols = chunk.first_row_line = 0;
  const char* const end = chunk.end;
  for (const char* p = chunk.begin; p != end;) {
    ++chunk.lines;
    p = skip_comment(skip_blanks(p, end), end);
    const std::size_t before = chunk.values.size();
    for (bool more = false; more || !at_line_end(p, end); p = skip_separator(p, end, more)) {
      double value = 0;
      const char* const word = p;
      if (parse_entry(p, end, value) != Parse::done)
        return chunk.refuse(not_a_number(word, end, chunk.rows == 0 && chunk.values.empty()));
      chunk.values.push_back(value);
    }
    const auto found = static_cast<std::int64_t>(chunk.values.size() - before);
    if (found > 0) {
      if (chunk.rows++ == 0) {
        chunk.cols = found;
        chunk.first_row_line = chunk.lines;
      } else if (even && found != chunk.cols) {
        return chunk.refuse("holds " + std::to_string(found) + " numbers; the lines before hold " +
                            std::to_string(chunk.cols));
      }
    }
    if (p != end) ++p;
  }
}

}  // namespace

NumberTable read_number_table(const MappedFile& file, bool even, int threads,
                              const std::function<void(double)>& progress) {
  const std::string_view text = without_mark(file.text());
  const TextBody body{file.path(),           text.data(), text.data() + text.size(), 1, threads,
                      std::int64_t{1} << 20, progress};
  NumberTable table;
  const auto parse = [even](NumberChunk& chunk) { parse_numbers(chunk, even); };
  for_each_chunk<NumberChunk>(body, parse, [&](std::span<NumberChunk> wave) {
    for (const NumberChunk& chunk : wave) {
      if (chunk.rows > 0 && table.rows == 0) table.cols = chunk.cols;
      if (even && chunk.rows > 0 && chunk.cols != table.cols)
        throw FileError(file.path(), chunk.first_line + chunk.first_row_line - 1,
                        "holds " + std::to_string(chunk.cols) + " numbers; the lines before hold " +
                            std::to_string(table.cols));
      if (!chunk.fault.empty()) throw_fault(file.path(), chunk);
      table.rows += chunk.rows;
      table.values.insert(table.values.end(), chunk.values.begin(), chunk.values.end());
    }
  });
  if (table.values.empty()) throw FileError(file.path(), 0, "holds no numbers");
  return table;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.substr(0, mark.size()) == mark ? text.substr(mark.size()) : text;
}

std::int64_t numbers_on_first_line(std::string_view all) {
  const std::string_view text = without_mark(all);
  const char* p = text.data();
  const char* const end = p + text.size();
  std::int64_t found = 0;
  for (; p != end && found == 0; ++p) {
    p = skip_comment(skip_blanks(p, end), end);
    for (bool more = false; more || !at_line_end(p, end); p = skip_separator(p, end, more)) {
      double value = 0;
      if (parse_entry(p, end, value) != Parse::done) return 0;
      ++found;
    }
    if (p == end) break;
  }
  return found;
}

template <class T>
Dense<T> dense_of(const std::filesystem::path& path, const NumberTable& table) {
  constexpr std::int64_t parts = is_complex<T> ? 2 : 1;
  if (table.cols % parts != 0)
    throw FileError(path, 0,
                    "has lines of " + std::to_string(table.cols) + " numbers; a complex number needs two");
  const std::int64_t rows = table.rows, cols = table.cols / parts;
  std::shared_ptr<T> memory = allocate_matrix<T>(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const double* const number = &table.values[static_cast<std::size_t>(parts * (i * cols + j))];
      const double re = number[0], im = parts == 2 ? number[1] : 0;  // no product: number[0] may be a NaN
      if (const char* const fault = misfit<T>(re, im); *fault != 0)
        throw FileError(path, 0,
                        "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ") " + fault);
      memory.get()[i + j * rows] = scalar_of<T>(re, im);
    }
  const T* const data = memory.get();
  return {rows, cols, std::max<std::int64_t>(1, rows), data, std::move(memory)};
}

EIGEN_G_INSTANTIATE(all_types, dense_of);

}  // namespace eigen_g::io
