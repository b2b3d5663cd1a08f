// factor_front(): the elimination of a front, a dense symmetric matrix whose first columns are complete, with pivots of order 1 and 2.
//
//   A = L D L^T + the rest     A of order m, of which columns may be eliminated that are complete
//
// A pivot is taken if it is not small compared with the other entries of its columns: entries of L are at most 1 / threshold. Complete columns
// without such a pivot are delayed: they stay in the rest and become complete columns of the parent.
// Source: Duff, Reid (ACM TOMS 9, 1983); the test of pivots of order 2 as in Hogg, Scott (ACM TOMS 40, 2013).
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

struct FrontPivots {
  std::int64_t eliminated = 0, negative = 0, null = 0;
  std::int64_t null_column = -1;  // index[...] of the first null pivot
};

class FrontFactor {
 public:
  // a: m x m, lower triangle, column-major with leading dimension m. Afterwards the first `eliminated` columns are L without its diagonal of 1,
  // and the columns behind them are the rest. index: m numbers, which are permuted with the rows. d: 2 m values: D's diagonal entry, and the entry
  // below it, of each eliminated column. A column whose entries are at most `least` is null: its pivot is taken as 1, and its column of L as 0.
  // root: every column must be eliminated, and complete = m.
  FrontPivots factor(std::int64_t m, std::int64_t complete, double* a, std::int32_t* index, double* d,
                     double least);

 private:
  static constexpr double threshold = 0.01;
  static constexpr std::int64_t panel_columns =
      32;  // columns that are eliminated before the others are updated

  struct Size {
    double others = 0,
           in_panel = 0;        // largest entries off the diagonal: of the column, and of these columns alone
    std::int64_t partner = -1;  // the row of the second one
  };
  double& at(std::int64_t row, std::int64_t column) { return a_[row + column * m_]; }
  double entry(std::int64_t i, std::int64_t j) const { return i > j ? a_[i + j * m_] : a_[j + i * m_]; }
  void swap(std::int64_t p, std::int64_t q);
  void bring_up(std::int64_t column, std::int64_t k);
  Size size_of(std::int64_t column, std::int64_t k, std::int64_t end, std::int64_t except) const;
  bool choose(std::int64_t k, std::int64_t end, bool any, int& order);
  std::int64_t eliminate(std::int64_t begin, std::int64_t end, bool any, double* d);
  void update(std::int64_t begin, std::int64_t end, std::int64_t first);

  std::int64_t m_ = 0, begin_ = 0, width_ = 0;  // the panel begins at column begin_ and has width_ columns
  double* a_ = nullptr;
  std::int32_t* index_ = nullptr;
  double least_ = 0;
  std::vector<double> before_;         // the columns of the panel before they were divided: m x panel
  std::vector<std::int64_t> applied_;  // for each column of the panel: pivots applied to it
  FrontPivots pivots_;
};

}  // namespace eigen_g
