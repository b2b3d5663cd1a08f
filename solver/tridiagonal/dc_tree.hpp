// Tears a tridiagonal T into leaves, which are solved directly, and merges, each of which joins two neighbours. With off-diagonal entry e
// at a cut, u the last unit vector of the upper part and u' the first unit vector of the lower one,
//
//   T = [T1 - |e| u u^T        0        ]  + |e| v v^T,     v = (u, sign(e) u').
//       [      0         T2 - |e| u' u'^T]
//
// A cut therefore subtracts |e| from the two diagonal entries next to it. This file needs no GPU.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g::dc {

using Index = std::int32_t;

inline constexpr Index leaf_rows = 8;  // largest order of a leaf

struct Leaf {
  Index first, size;
};

// Rows first ... first + size - 1. The first `upper` rows belong to the upper child, child 1.
struct Merge {
  Index first, size, upper;
  Index cut() const { return first + upper - 1; }  // index of the off-diagonal entry between the children
};

struct Tree {
  std::vector<Leaf> leaves;  // in ascending order of rows
  std::vector<std::vector<Merge>>
      levels;                  // merges by level, ascending; a child is a leaf or a merge of an earlier level
  std::vector<Index> largest;  // order of each level's largest merge
};

// Halves a range of rows until at most leaf_rows are left. If e has zeros in a range, the range is cut at the zero that is nearest to its
// middle.
//   e  n - 1 off-diagonal entries
// Cost: O(n log n).
template <class R>
Tree make_tree(Index n, const std::vector<R>& e);
// The tree of an e without zeros. A zero at another place than a cut costs nothing: the merges deflate.
Tree make_tree(Index n);

// A part of the tree of make_tree(n) with at most subtree_rows rows: its root is a merge, and the merge above has more rows. The numbers count
// in the lists of leaves and of all merges, level by level.
inline constexpr int subtree_levels = 3;
inline constexpr Index subtree_rows = leaf_rows << subtree_levels;
struct Subtree {
  // The number of its first leaf, and how many it has; of each level the number of its first merge, and how many it has.
  Index leaf, leaves, merge[subtree_levels], merges[subtree_levels];
};
// The subtrees, which have all leaves and all merges of the lowest subtree_levels levels. Empty if the tree has no further level.
std::vector<Subtree> subtrees_of(const Tree& tree);

// T prepared for the leaves: 2^-exponent T has its largest entry in [1/2, 1). Off-diagonal entries
// |e_i| <= eps sqrt|d_i| sqrt|d_i+1| are set to zero, as in dstedc. Then T is torn at the cuts of the tree.
// divide() prepares T in place on the CPU; dc_tear.cu does the same on a GPU for the tree of make_tree(n).
struct Division {
  Tree tree;
  int exponent = 0;
  Index not_finite = -1;  // row of the first NaN or infinity, and then nothing else is done; -1: none
};

// Prepares T in place.
//   d, e  n and n - 1 entries, in; out: the entries of the torn, scaled T
template <class R>
Division divide(std::vector<R>& d, std::vector<R>& e);

}  // namespace eigen_g::dc
