#include "apps/bench/text_table.hpp"

#include <algorithm>

namespace eigen_g::apps::bench {

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row.at(c).size());
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      text.append(widths[c] - row[c].size() + (c > 0 ? 2 : 0), ' ').append(row[c]);
    text += '\n';
  }
  return text;
}

}  // namespace eigen_g::apps::bench
