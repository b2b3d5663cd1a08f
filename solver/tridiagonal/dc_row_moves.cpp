#include "solver/tridiagonal/dc_row_moves.hpp"

#include <algorithm>
#include <numeric>

#include "hybrid/instantiate.hpp"

namespace eigen_g::dc {

namespace {

// Terms of the sums in all these rows of a merge.
template <class R>
double terms(const Merge& merge, const Shape<R>& shape, Rows rows) {
  return static_cast<double>(rows.upper_count(merge)) * (shape.upper_end()) +
         static_cast<double>(rows.lower_count(merge)) * (shape.k - shape.lower_begin());
}

}  // namespace

template <class R>
void add_work(const Merge& merge, const Shape<R>& shape, const std::vector<Rows>& rows, Index columns,
              std::vector<double>& work) {
  for (std::size_t p = 0; p < rows.size(); ++p) work[p] += terms(merge, shape, rows[p]) * columns;
}

template <class R>
std::vector<RowMove> row_moves(const Merge& last, const Shape<R>& shape, const std::vector<Rows>& rows,
                               Index columns, const std::vector<double>& before, Index least, Index most) {
  std::vector<double> work = before;
  add_work(last, shape, rows, columns, work);
  const double mean = std::accumulate(work.begin(), work.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, work.size()));
  std::vector<Index> room(rows.size(), most);
  std::vector<RowMove> moves;
  for (std::size_t from = 0; from < rows.size(); ++from) {
    Rows left = rows[from];
    const Index fewest = left.count / 2 + 1;
    for (std::size_t to = 0; to < rows.size(); ++to) {
      const double more = std::min(work[from] - mean, mean - work[to]);
      const double of_row = terms(last, shape, Rows{left.first + left.count - 1, 1}) * columns;
      if (more <= 0 || of_row <= 0) continue;
      const double wanted =
          std::min(more / of_row, static_cast<double>(std::min(room[to], left.count - fewest)));
      const Index kept = (left.count - static_cast<Index>(wanted) + 7) / 8 * 8, count = left.count - kept;
      if (count < least) continue;
      left.count -= count;
      room[to] -= count;
      const Rows moved{left.first + left.count, count};
      moves.push_back({static_cast<int>(from), static_cast<int>(to), moved});
      const double change = terms(last, shape, moved) * columns;
      work[from] -= change;
      work[to] += change;
    }
  }
  return moves;
}

Rows kept_rows(const std::vector<RowMove>& moves, const std::vector<Rows>& rows, int member) {
  Rows kept = rows[static_cast<std::size_t>(member)];
  for (const RowMove& move : moves)
    if (move.from == member) kept.count -= move.rows.count;
  return kept;
}

EIGEN_G_INSTANTIATE(real_types, add_work, row_moves);

}  // namespace eigen_g::dc
