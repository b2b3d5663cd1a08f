// row_moves(): members that each have a range of rows of the eigenvectors get the same work, because rows of the last merge move between them.
// Needs no GPU.
//
// A row of a merge costs a product with k terms in the rows of child 1 or of child 2 for each of k columns. The children deflate
// differently. So members with equal numbers of rows have different work: for the T of a random matrix child 1 has fewer terms.
#pragma once

#include <vector>

#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g::dc {

// Member `to` computes the rows `rows` of T in the last merge's product, for member `from`, who has them.
struct RowMove {
  int from, to;
  Rows rows;
};

// Adds the work of a merge, in multiplications and additions, to the work of each member.
//   rows     the rows of each member
//   columns  columns of the product
template <class R>
void add_work(const Merge& merge, const Shape<R>& shape, const std::vector<Rows>& rows, Index columns,
              std::vector<double>& work);

// The moves that give all members the same work, as far as they can. They are in ascending order of `from`. A member gives away only its last rows,
// less than half of its rows. It then keeps a multiple of 8 rows. It receives at most `most` rows. A move has at least `least` rows.
//   before   work of each member in the merges before
template <class R>
std::vector<RowMove> row_moves(const Merge& last, const Shape<R>& shape, const std::vector<Rows>& rows,
                               Index columns, const std::vector<double>& before, Index least, Index most);

// The rows that member `member` computes for itself.
Rows kept_rows(const std::vector<RowMove>& moves, const std::vector<Rows>& rows, int member);

}  // namespace eigen_g::dc
