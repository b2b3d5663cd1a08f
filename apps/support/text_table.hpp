// TextTable: a table for people. Each column is as wide as its widest cell; cells are right-aligned, two blanks apart.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace eigen_g::apps {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }  // one cell for each column
  bool empty() const { return rows_.size() == 1; }
  std::string text() const {  // each line ends with a newline
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

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace eigen_g::apps
