#include "apps/support/lists.hpp"

#include <algorithm>
#include <charconv>

#include "apps/support/exit_codes.hpp"

namespace eigen_g::apps {

namespace {

constexpr std::int64_t largest_order = 10'000'000;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::int64_t size_of(const std::string& text, const std::string& option) {
  std::int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < 1 || value > largest_order)
    throw UsageError(option + ": '" + text + "' must be a number from 1 to " + std::to_string(largest_order));
  return value;
}

template <class T>
void add_once(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& option) {
  std::vector<std::int64_t> sizes;
  for (const std::string& item : split(text, ',')) {
    const auto parts = split(item, ':');
    if (parts.size() == 1) {
      add_once(sizes, size_of(item, option));
    } else if (parts.size() == 3) {
      const std::int64_t from = size_of(parts[0], option), to = size_of(parts[1], option);
      const std::int64_t step = size_of(parts[2], option);
      if (to < from || (to - from) / step > 10'000)
        throw UsageError(option + ": the range '" + item + "' must ascend, in at most 10000 steps");
      for (std::int64_t n = from; n <= to; n += step) add_once(sizes, n);
    } else {
      throw UsageError(option + ": '" + item + "' must be a number or a range from:to:step");
    }
  }
  return sizes;
}

std::vector<blas2::SymvType> parse_types(const std::string& text) {
  std::vector<blas2::SymvType> types;
  for (const char letter : text) {
    const auto type = std::find_if(std::begin(blas2::all_symv_types), std::end(blas2::all_symv_types),
                                   [letter](blas2::SymvType t) { return static_cast<char>(t) == letter; });
    if (type == std::end(blas2::all_symv_types))
      throw UsageError(std::string("--types: '") + letter + "' must be one of s d c z w");
    add_once(types, *type);
  }
  if (types.empty()) throw UsageError("--types: is empty; must have at least one of s d c z w");
  return types;
}

std::vector<Uplo> parse_triangles(const std::string& text) {
  if (text == "both") return {Uplo::lower, Uplo::upper};
  if (text == "L" || text == "l") return {Uplo::lower};
  if (text == "U" || text == "u") return {Uplo::upper};
  throw UsageError("--uplo: '" + text + "' must be L, U or both");
}

}  // namespace eigen_g::apps
