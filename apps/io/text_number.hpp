// Numbers out of text, without locale or exceptions; the inner loop of every text format.
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

// At the end of a line or of the text.
inline bool at_line_end(const char* p, const char* end) {
  return p == end || *p == '\n';
}
// A number may be followed only by these.
inline bool at_token_end(const char* p, const char* end) {
  return at_line_end(p, end) || is_blank(*p);
}

enum class Parse { done, missing, malformed, out_of_range };

// What from_chars refuses: a + sign, a D exponent, and numbers beyond the range of double, of which those too small are
// rounded and those too large are out of range.
Parse parse_real_slowly(const char*& p, const char* end, double& value);

// A real number at p, which is at no blank; p moves behind it when done. inf and nan in any case are numbers.
inline Parse parse_real(const char*& p, const char* end, double& value) {
  if (at_line_end(p, end)) return Parse::missing;
  const auto [last, error] = std::from_chars(p, end, value);
  if (error == std::errc() && at_token_end(last, end)) [[likely]] {
    p = last;
    return Parse::done;
  }
  return parse_real_slowly(p, end, value);
}

// A decimal integer at p, as parse_real. Values beyond int64 are out of range.
inline Parse parse_integer(const char*& p, const char* end, std::int64_t& value) {
  if (at_line_end(p, end)) return Parse::missing;
  const char* q = p;
  const bool negative = *q == '-';
  if (*q == '-' || *q == '+') ++q;
  const char* const digits = q;
  std::uint64_t sum = 0;
  for (; q != end && *q >= '0' && *q <= '9'; ++q) sum = 10 * sum + static_cast<std::uint64_t>(*q - '0');
  if (q == digits || !at_token_end(q, end)) return Parse::malformed;
  if (q - digits > 18) return Parse::out_of_range;  // 18 digits fit always; no index or size has more
  value = negative ? -static_cast<std::int64_t>(sum) : static_cast<std::int64_t>(sum);
  p = q;
  return Parse::done;
}

// The word at p, shortened for a message; unprintable characters become '?'.
std::string token_for_message(const char* p, const char* end);

// `text` without blanks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace eigen_g::io
