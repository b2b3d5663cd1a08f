// Elimination: the symbolic part of a factorisation P S P^T = L D L^T by fronts. A front is a dense matrix. It eliminates some columns of S that
// follow each other and have nearly the same rows in L, and passes the rest of its matrix to its parent.
//
//   tree     etree of P S P^T (Liu), columns in a postorder
//   counts   entries of each column of L without forming L (Gilbert, Ng, Peyton)
//   fronts   columns with the same rows, and small fronts merged with their parents while few zeros are added
//
// Sources: Liu (SIAM J. Matrix Anal. 11, 1990); Gilbert, Ng, Peyton (SIAM J. Matrix Anal. 15, 1994); Ashcraft, Grimes (ACM TOMS 15, 1989).
#pragma once

#include <cstdint>
#include <vector>

#include "solver/sparse/factorisation.hpp"

namespace eigen_g {

// All column and row numbers are positions in the order of elimination.
struct Elimination {
  std::int64_t n = 0;
  std::vector<std::int32_t> original;  // the row of S at each position
  std::vector<std::int32_t> first,
      parent;  // front f has the columns first[f] ... first[f + 1] - 1; parent -1: a root
  std::vector<std::int64_t>
      row_offsets;  // front f has the rows row[row_offsets[f] ...] below its columns, ascending
  std::vector<std::int32_t> row;
  std::vector<std::int64_t>
      entry_offsets;  // column j of P S P^T has the entries entry_offsets[j] ... of its lower triangle:
  std::vector<std::int32_t> entry_row;  //   their rows,
  std::vector<std::int64_t> entry;      //   and their numbers in the pattern
  std::int64_t entries = 0;             // entries of L with the diagonal, without delayed pivots
  std::int64_t largest_front = 0;       // its order
  std::int64_t max_pending = 0;         // most entries of matrices that wait for their parents
  std::int64_t fronts() const { return static_cast<std::int64_t>(parent.size()); }
};

// order: the position of each row of the pattern. The tree's postorder refines it.
Elimination eliminate(const LowerPattern& pattern, const std::vector<std::int32_t>& order);

}  // namespace eigen_g
