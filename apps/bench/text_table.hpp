// A table for people: columns as wide as their widest cell, right-aligned, two blanks between them.
#pragma once

#include <string>
#include <vector>

namespace eigen_g::apps::bench {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }  // as many cells as the header
  std::string text() const;                                                    // each line with its newline

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace eigen_g::apps::bench
