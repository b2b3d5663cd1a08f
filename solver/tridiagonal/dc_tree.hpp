// How a tridiagonal T is torn: into leaves, which are solved as they are, and merges, which join two neighbours.
//
//   T = [T1 - |e| u u^T        0        ]  + |e| v v^T,     v = (u, sign(e) u'),   u, u' the unit vectors at the cut,
//       [      0         T2 - |e| u' u'^T]
//
// so |e| leaves the two diagonal entries beside a cut. Pure host code.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g::dc {

using Index = std::int32_t;

inline constexpr Index leaf_rows = 8;  // a leaf has at most so many

struct Leaf {
  Index first, size;
};

// Rows first ... first + size - 1; the first `upper` of them are the upper child's.
struct Merge {
  Index first, size, upper;
  Index cut() const { return first + upper - 1; }  // the off-diagonal entry between the children
};

struct Tree {
  std::vector<Leaf> leaves;  // ascending
  std::vector<std::vector<Merge>>
      levels;                  // children of a merge are leaves or merges of levels before; ascending
  std::vector<Index> largest;  // size of each level's largest merge
};

// Halves until at most leaf_rows are left; a range with a zero in e is cut at the zero nearest to its middle instead.
//   e  n - 1 off-diagonal entries. Cost: O(n log n).
template <class R>
Tree make_tree(Index n, const std::vector<R>& e);

// T made ready for the device: 2^-exponent T with largest entry in [1/2, 1), negligible off-diagonals
// |e_i| <= eps sqrt|d_i| sqrt|d_i+1| set to zero (as dstedc), torn at the cuts of the tree.
struct Division {
  Tree tree;
  int exponent = 0;
  Index not_finite = -1;  // row of the first NaN or infinity; nothing else is done then
};

//   d, e  n and n - 1 entries, in and out
template <class R>
Division divide(std::vector<R>& d, std::vector<R>& e);

}  // namespace eigen_g::dc
