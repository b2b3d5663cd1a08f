#include "apps/io/npy_header.hpp"

#include <algorithm>
#include <limits>

#include "hybrid/round_up.hpp"

namespace eigen_g::io {

namespace {

// Parses the subset of Python's literals that the header uses. Throws the reason of a refusal as std::string.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view text) : rest_(text) {}

  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw std::string("'") + c + "' expected in the header's dict";
  }
  bool at(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  std::string string() {
    skip_space();
    if (!at('\'') && !at('"')) throw std::string("a quoted string expected in the header's dict");
    const char quote = rest_.front();
    const std::size_t length = rest_.find(quote, 1);
    if (length == std::string_view::npos) throw std::string("a string in the header's dict does not end");
    std::string text(rest_.substr(1, length - 1));
    rest_.remove_prefix(length + 1);
    return text;
  }
  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"})
      if (rest_.substr(0, word.size()) == word) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    throw std::string("True or False expected for fortran_order");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    if (!accept('(')) throw std::string("a tuple expected for shape");
    while (!accept(')')) {
      numbers.push_back(natural());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return numbers;
  }

 private:
  void skip_space() {
    const std::size_t length = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(length == std::string_view::npos ? rest_.size() : length);
  }
  std::int64_t natural() {
    skip_space();
    if (at('-')) throw std::string("a negative number in shape");
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      if (digits == 18) throw std::string("a number in shape is too large");
      value = 10 * value + (rest_[digits] - '0');
    }
    if (digits == 0) throw std::string("a number expected in shape");
    rest_.remove_prefix(digits);
    if (!rest_.empty() && rest_.front() == 'L')
      rest_.remove_prefix(1);  // Python 2 wrote long integers with an L
    return value;
  }

  std::string_view rest_;
};

NpyHeader parse_dict(LiteralReader reader) {
  NpyHeader header;
  bool have_descr = false, have_order = false, have_shape = false;
  reader.expect('{');
  while (!reader.accept('}')) {
    const std::string key = reader.string();
    reader.expect(':');
    bool* have = nullptr;
    if (key == "descr") {
      have = &have_descr;
      if (reader.at('[')) throw std::string("holds a structured type; plain numbers are required");
      header.descr = reader.string();
    } else if (key == "fortran_order") {
      have = &have_order;
      header.fortran_order = reader.boolean();
    } else if (key == "shape") {
      have = &have_shape;
      header.shape = reader.tuple();
    } else {
      throw "unknown key '" + key.substr(0, 32) + "' in the header's dict";
    }
    if (*have) throw "key '" + key + "' occurs twice in the header's dict";
    *have = true;
    if (reader.accept(',')) continue;
    reader.expect('}');
    break;
  }
  if (!reader.at_end()) throw std::string("text after the header's dict");
  for (const auto& [have, key] :
       {std::pair{have_descr, "descr"}, {have_order, "fortran_order"}, {have_shape, "shape"}})
    if (!have) throw std::string("key '") + key + "' is missing in the header's dict";
  return header;
}

}  // namespace

std::string parse_npy_header(std::string_view literal, NpyHeader& header) {
  try {
    header = parse_dict(LiteralReader(literal));
    return {};
  } catch (const std::string& reason) {
    return reason;
  }
}

std::string read_npy_header(std::string_view text, NpyHeader& header, std::size_t& begin) {
  if (text.substr(0, npy_magic.size()) != npy_magic) return "does not begin as a .npy file";
  if (text.size() < 10) return "ends within the .npy header";
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3 || text[7] != 0)
    return ".npy version " + std::to_string(version) + "." +
           std::to_string(static_cast<unsigned char>(text[7])) +
           " is unknown; versions 1.0, 2.0 and 3.0 are read";
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  begin = 8 + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes && 8 + i < text.size(); ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  if (text.size() < begin || text.size() - begin < length) return "ends within the .npy header";
  std::string fault = parse_npy_header(text.substr(begin, length), header);
  begin += length;
  return fault;
}

std::string format_npy_header(const std::vector<std::int64_t>& shape, std::string_view descr,
                              bool fortran_order) {
  std::string dict = "{'descr': '" + std::string(descr) +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) dict += ' ';
    dict += std::to_string(shape[i]);
    if (i + 1 < shape.size() || shape.size() == 1) dict += ',';
  }
  dict += "), }";
  constexpr std::size_t prefix = 10, alignment = 64;
  const std::size_t total = round_up(prefix + dict.size() + 1, alignment);
  dict.append(total - prefix - dict.size() - 1, ' ').append(1, '\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace eigen_g::io
