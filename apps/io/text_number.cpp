#include "apps/io/text_number.hpp"

#include <cmath>
#include <limits>

namespace eigen_g::io {

Parse parse_real_slowly(const char*& p, const char* end, double& value) {
  const char* q = p;
  if (*q == '+' && q + 1 != end && q[1] != '-') ++q;
  std::string token;
  bool negative_exponent = false;
  for (; !at_token_end(q, end); ++q) {
    const bool exponent = (*q == 'D' || *q == 'd') && !token.empty();
    if (*q == '-' && !token.empty()) negative_exponent = true;
    token += exponent ? 'e' : *q;
  }
  const char* const last = token.data() + token.size();
  auto result = std::from_chars(token.data(), last, value);
  if (result.ec == std::errc::result_out_of_range && result.ptr == last) {
    // Beyond double. The range of long double separates overflow from underflow, and rounds a number that underflows.
    long double wide = 0;
    result = std::from_chars(token.data(), last, wide);
    if (result.ec == std::errc::result_out_of_range) {
      if (!negative_exponent) return Parse::out_of_range;
      wide = token[0] == '-' ? -0.0L : 0.0L;
      result.ec = std::errc();
    }
    value = static_cast<double>(wide);
    if (std::isinf(value)) return Parse::out_of_range;
  }
  if (result.ec != std::errc() || result.ptr != last) return Parse::malformed;
  p = q;
  return Parse::done;
}

std::string token_for_message(const char* p, const char* end) {
  constexpr std::size_t longest = 32;
  std::string token;
  for (; !at_token_end(p, end) && token.size() < longest; ++p) token += *p >= ' ' && *p <= '~' ? *p : '?';
  if (!at_token_end(p, end)) token += "...";
  return token;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace eigen_g::io
