#include "apps/cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace eigen_g::apps {

namespace {

// Edit distance with insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  if (word.size() > 64) return "";
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : known)
    if (const std::size_t distance = edits(word, candidate); distance < least) {
      least = distance;
      found = candidate;
    }
  return found;
}

}  // namespace eigen_g::apps
