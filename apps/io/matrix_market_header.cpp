#include "apps/io/matrix_market_header.hpp"

#include <cstring>
#include <vector>

#include "apps/io/text_number.hpp"

namespace eigen_g::io {

namespace {

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string quoted(std::string_view word) {
  return std::string("'").append(token_for_message(word.data(), word.data() + word.size())) + "'";
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  const char* const end = line.data() + line.size();
  for (const char* p = skip_blanks(line.data(), end); p != end; p = skip_blanks(p, end)) {
    const char* const begin = p;
    while (p != end && !is_blank(*p)) ++p;
    words.emplace_back(begin, static_cast<std::size_t>(p - begin));
  }
  return words;
}

// Returns lines one after the other, numbered from 1.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t length = rest_.find('\n');
    line = rest_.substr(0, length);
    rest_.remove_prefix(length == std::string_view::npos ? rest_.size() : length + 1);
    ++number_;
    return true;
  }
  std::int64_t number() const { return number_; }
  const char* position() const { return rest_.data(); }
  std::size_t bytes_left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

constexpr std::string_view banner = "%%matrixmarket";

void read_banner(const std::filesystem::path& path, std::string_view line, MarketHeader& header) {
  const auto refuse = [&](const std::string& reason) { throw FileError(path, 1, reason); };
  const std::vector<std::string_view> words = words_of(line);
  if (!has_market_banner(line)) refuse("does not begin with %%MatrixMarket");
  if (words.size() != 5)
    refuse("the banner needs five words: %%MatrixMarket matrix FORMAT FIELD SYMMETRY; it has " +
           std::to_string(words.size()));
  const std::string object = lower_case(words[1]);
  const std::string format = lower_case(words[2]);
  const std::string field = lower_case(words[3]);
  const std::string symmetry = lower_case(words[4]);

  if (object == "vector") refuse("holds a vector, not a matrix");
  if (object != "matrix") refuse("unknown object " + quoted(words[1]) + "; 'matrix' is required");

  if (format != "coordinate" && format != "array")
    refuse("unknown format " + quoted(words[2]) + "; 'coordinate' or 'array' is required");
  header.coordinate = format == "coordinate";

  if (field == "real" || field == "double")
    header.field = MarketField::real;
  else if (field == "integer" ||
           field == "unsigned-integer")  // SciPy writes the second one for unsigned types
    header.field = MarketField::integer;
  else if (field == "pattern")
    header.field = MarketField::pattern;
  else if (field == "complex")
    header.field = MarketField::complex;
  else
    refuse("unknown field " + quoted(words[3]) + "; 'real', 'complex', 'integer' or 'pattern' is required");
  if (header.field == MarketField::pattern && !header.coordinate)
    refuse("an array cannot be a pattern: it lists values");

  if (symmetry == "symmetric")
    header.symmetric = true;
  else if (symmetry == "skew-symmetric")
    refuse("holds a skew-symmetric matrix; a symmetric one is required");
  else if (symmetry == "hermitian")
    header.symmetric = header.hermitian = true;
  else if (symmetry != "general")
    refuse("unknown symmetry " + quoted(words[4]) + "; 'symmetric', 'hermitian' or 'general' is required");
  if (header.hermitian && header.field != MarketField::complex)
    refuse("is hermitian and not complex; a real matrix is 'symmetric'");
  header.description =
      "Matrix Market " + format + " " + (field == "double" ? "real" : field) + " " + symmetry;
}

void read_sizes(const std::filesystem::path& path, std::string_view line, MarketHeader& header) {
  const auto refuse = [&](const std::string& reason) { throw FileError(path, header.size_line, reason); };
  const std::vector<std::string_view> words = words_of(line);
  const std::size_t required = header.coordinate ? 3 : 2;
  if (words.size() != required)
    refuse(std::string("the size line needs ") +
           (header.coordinate ? "three numbers: rows, columns, entries" : "two numbers: rows, columns") +
           "; it has " + std::to_string(words.size()) + (words.size() == 1 ? " word" : " words"));
  std::int64_t sizes[3] = {0, 0, 0};
  constexpr const char* names[3] = {"rows", "columns", "entries"};
  for (std::size_t i = 0; i < required; ++i) {
    const char* p = words[i].data();
    const Parse outcome = parse_integer(p, p + words[i].size(), sizes[i]);
    if (outcome == Parse::out_of_range)
      refuse(std::string("the number of ") + names[i] + ", " + quoted(words[i]) + ", is too large");
    if (outcome != Parse::done)
      refuse(std::string("the number of ") + names[i] + ", " + quoted(words[i]) + ", is not an integer");
    if (sizes[i] < 0)
      refuse(std::string("the number of ") + names[i] + ", " + quoted(words[i]) + ", is negative");
  }
  header.rows = sizes[0];
  header.cols = sizes[1];
  if (header.rows > INT32_MAX || header.cols > INT32_MAX)
    refuse("a dense matrix of " + std::to_string(header.rows) + " x " + std::to_string(header.cols) +
           " is too large for any memory");
  if (header.symmetric && header.rows != header.cols)
    refuse("a symmetric matrix must be square; this one is " + std::to_string(header.rows) + " x " +
           std::to_string(header.cols));
  header.entries = header.coordinate  ? sizes[2]
                   : header.symmetric ? header.rows * (header.rows + 1) / 2
                                      : header.rows * header.cols;
}

}  // namespace

bool has_market_banner(std::string_view text) {
  text.remove_prefix(
      static_cast<std::size_t>(skip_blanks(text.data(), text.data() + text.size()) - text.data()));
  for (const std::string_view accepted : {banner, banner.substr(1)}) {
    if (lower_case(text.substr(0, accepted.size())) != accepted) continue;
    if (text.size() == accepted.size() || is_blank(text[accepted.size()]) || text[accepted.size()] == '\n')
      return true;
  }
  return false;
}

MarketHeader read_market_header(const MappedFile& file, bool both_triangles) {
  MarketHeader header;
  LineReader lines(file.text());
  std::string_view line;
  lines.next(line);
  read_banner(file.path(), line, header);
  if (both_triangles && header.symmetric) {
    header.symmetric = header.hermitian = false;
    header.description += ", both triangles";
  }
  do {
    if (!lines.next(line)) throw FileError(file.path(), lines.number(), "ends before the size line");
    line = trimmed(line);
  } while (line.empty() || line.front() == '%');
  header.size_line = lines.number();
  read_sizes(file.path(), line, header);
  header.body = lines.position();

  // Checked before memory for the matrix is allocated: the rest of the file is too short for this number of entries. The shortest
  // lines are "1 1 1 1", "1 1 1", "1 1" and "1"; the last line may lack its line end.
  const std::int64_t shortest =
      2 * ((header.coordinate ? 2 : 0) + (header.field == MarketField::pattern   ? 0
                                          : header.field == MarketField::complex ? 2
                                                                                 : 1));
  if (header.entries > static_cast<std::int64_t>(lines.bytes_left() + 1) / shortest)
    throw FileError(file.path(), header.size_line,
                    "announces " + std::to_string(header.entries) + " entries, more than the " +
                        std::to_string(lines.bytes_left()) + " bytes that follow can hold");
  return header;
}

}  // namespace eigen_g::io
