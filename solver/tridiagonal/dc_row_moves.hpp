// row_moves(): gives members with different work the same work. Each member has a range of rows of the eigenvectors. In the last merge a member can
// compute rows of another member. Needs no GPU.
//
// Each entry of a merge's product is a sum. In the rows of child 1 it has upper + dense terms, and in the rows of child 2 dense + lower terms (Shape).
// These numbers differ, because the children deflate differently. So members with equal numbers of rows have different work. For the T of a random
// matrix the rows of child 1 have fewer terms.
#pragma once

#include <vector>

#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g::dc {

// In the last merge's product member `to` computes the rows `rows` of the eigenvectors. These rows belong to member `from`.
struct RowMove {
  int from, to;
  Rows rows;
};

// Adds the work of a merge to the work of each member. The unit is one multiplication with one addition.
//   rows     the rows of each member
//   columns  columns of the product
template <class R>
void add_work(const Merge& merge, const Shape<R>& shape, const std::vector<Rows>& rows, Index columns,
              std::vector<double>& work);

// Returns moves that make the work of all members as equal as the limits allow, in ascending order of `from`. A member gives away less than half of
// its rows, and always its last ones. A member that gives rows away keeps a multiple of 8 rows. A member receives at most `most` rows in all. A move has
// at least `least` rows.
//   before   work of each member in the merges before
template <class R>
std::vector<RowMove> row_moves(const Merge& last, const Shape<R>& shape, const std::vector<Rows>& rows,
                               Index columns, const std::vector<double>& before, Index least, Index most);

// The rows that member `member` keeps and computes itself.
Rows kept_rows(const std::vector<RowMove>& moves, const std::vector<Rows>& rows, int member);

}  // namespace eigen_g::dc
