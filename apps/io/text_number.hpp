// Parses numbers from text without locale or exceptions. This is the inner loop of every text format.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace eigen_g::io {

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

inline const char* skip_blanks(const char* p, const char* end) {
  while (p != end && is_blank(*p)) ++p;
  return p;
}

// True at the end of a line or of the text.
inline bool at_line_end(const char* p, const char* end) {
  return p == end || *p == '\n';
}
// True where a number may end: at a blank or at the end of the line.
inline bool at_token_end(const char* p, const char* end) {
  return at_line_end(p, end) || is_blank(*p);
}

enum class Parse { done, missing, malformed, out_of_range };

// Parses the numbers that from_chars refuses: with a + sign, with a D exponent, or beyond the range of double. Too small numbers are
// rounded; too large ones are out of range.
Parse parse_real_slowly(const char*& p, const char* end, double& value);

// Parses a real number at p, which must not be a blank. On success p moves behind the number. inf and nan are numbers in any case.
inline Parse parse_real(const char*& p, const char* end, double& value) {
  if (at_line_end(p, end)) return Parse::missing;
  const auto [last, error] = std::from_chars(p, end, value);
  if (error == std::errc() && at_token_end(last, end)) [[likely]] {
    p = last;
    return Parse::done;
  }
  return parse_real_slowly(p, end, value);
}

// Parses a decimal integer at p in the same way. Values beyond int64 are out of range.
inline Parse parse_integer(const char*& p, const char* end, std::int64_t& value) {
  if (at_line_end(p, end)) return Parse::missing;
  const char* q = p;
  const bool negative = *q == '-';
  if (*q == '-' || *q == '+') ++q;
  const char* const digits = q;
  std::uint64_t sum = 0;
  for (; q != end && *q >= '0' && *q <= '9'; ++q) sum = 10 * sum + static_cast<std::uint64_t>(*q - '0');
  if (q == digits || !at_token_end(q, end)) return Parse::malformed;
  if (q - digits > 18) return Parse::out_of_range;  // 18 digits always fit; no index or size has more
  value = negative ? -static_cast<std::int64_t>(sum) : static_cast<std::int64_t>(sum);
  p = q;
  return Parse::done;
}

// The word at p for a message: at most 32 characters, unprintable ones replaced by '?'.
std::string token_for_message(const char* p, const char* end);

// `text` without the blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace eigen_g::io
