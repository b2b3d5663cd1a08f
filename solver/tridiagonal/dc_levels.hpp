// The divide and conquer from T torn to its eigenpairs, written once for every executor: dc_host.hpp's loops, or the
// launches of divide_and_conquer.cu. An executor carries out one act for all leaves, or for all merges of a level, in the
// order in which it is asked:
//
//   first_batch()                      where the lowest level's merges stand; the next level's follow them
//   solve_leaves(leaves)               dc_leaf: d, column and Q's diagonal blocks
//   takes_whole(batch)                 whether merge_whole(batch) does all acts of this level
//   deflate(batch)                     dc_z_vector, dc_deflate
//   solve_secular(batch)               dc_secular
//   order_values(batch, with_vectors)  dc_merge: d and column; with vectors also dc_rank_one's weights
//   compress(batch)                    dc_merge: Q's columns rotated and grouped, in C
//   form_end_rows(batch)               dc_rank_one: the first and the last row of Q's other columns, without U
//   keep(batch)                        Q's columns k ... from C, and those rows from where they were formed
//   in_one_launch(batch)               whether multiply_together() takes this level
//   multiply_together(batch, roots)    Q's columns `roots` := C U, and the deflated ones and the end rows among them
//   multiply_apart(merges, batch, roots)   the same merge by merge, without these; the end rows are formed
//   values()                           d, in host memory
//   last_merge(batch, found)           k of the last merge and the columns of these values, in host memory
//   store(found, exponent)             2^exponent d and Q's columns, in ascending order, to where the caller wants them
//   failed()                           the least index, from 1, that did not converge; all bits set: none
//
// Q, C, U: divide_and_conquer.cu draws them.
#pragma once

#include <algorithm>
#include <vector>

#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g::dc {

// The merges of one level. They are disjoint, so each act takes all of them at once.
template <class R>
struct Batch {
  const Merge* merges;
  Shape<R>* shapes;
  Index count, largest;  // largest: rows of the largest merge
  Arrays<R> arrays;      // at row 0
  Rows rows;
  unsigned* failed;  // the least index, from 1, that did not converge; all bits set: none
  bool
      end_rows;  // a level follows, which wants the first and the last row by sums that do not need the others
};

// Roots begin ... end - 1 of a merge: columns of U, and of the merge's part of Q.
struct Roots {
  Index begin, end;
  Index count() const { return end > begin ? end - begin : 0; }
};

// Q's columns of a level: the deflated ones and those of these roots.
template <class Executor, class R>
void form_level(Executor& on, const std::vector<Merge>& merges, const Batch<R>& batch, Roots roots) {
  on.compress(batch);
  const bool all_roots = roots.begin == 0 && roots.end >= batch.largest;
  const bool together = batch.rows.all && on.in_one_launch(batch);
  if (together)
    on.multiply_together(batch, {roots.begin, std::min(roots.end, batch.largest)});
  else if (batch.rows.all)
    on.multiply_apart(merges, batch, roots);
  else
    on.form_end_rows(batch);
  if (!together || !all_roots) on.keep(batch);
}

struct LastMerge {
  Index k;
  std::vector<Index> columns;
};

// The roots among these columns: all that lie between two of them ascend as they do.
inline Roots roots_among(const LastMerge& last) {
  Roots roots{last.k, 0};
  for (const Index root : last.columns) {
    if (root >= last.k) continue;
    roots.begin = std::min(roots.begin, root);
    roots.end = std::max(roots.end, root + 1);
  }
  return roots;
}

// Of a subset the last level forms only the vectors that are wanted; values alone need no vectors there.
template <class Executor>
Outcome solve_levels(Executor& on, const Division& division, Index n, Rows rows, const Wanted& wanted) {
  const Tree& tree = division.tree;
  const bool subset = wanted.subset.by != Subset::By::all;
  const auto select_values = [&] {  // by the values themselves where need be
    const auto d = wanted.subset.by == Subset::By::value ? on.values() : decltype(on.values())();
    return select(wanted.subset, n, d.data(), division.exponent, wanted.scale);
  };
  Selected found{0, n};

  on.solve_leaves(tree.leaves);
  if (subset && tree.levels.empty()) found = select_values();
  auto batch = on.first_batch();
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    const bool last = level + 1 == tree.levels.size(), with_vectors = rows.all || !last;
    batch.count = static_cast<Index>(tree.levels[level].size());
    batch.largest = tree.largest[level];
    batch.end_rows = !last;
    const bool whole = on.takes_whole(batch);
    if (whole) {
      on.merge_whole(batch);
    } else {
      on.deflate(batch);
      on.solve_secular(batch);
      on.order_values(batch, with_vectors);
    }
    if (last && subset) found = select_values();
    if (!whole && with_vectors)
      form_level(on, tree.levels[level], batch,
                 last && subset ? roots_among(on.last_merge(batch, found)) : Roots{0, n});
    batch.merges += batch.count;
  }
  on.store(found, division.exponent);
  const unsigned failed = on.failed();
  return failed == ~0u ? Outcome{Status::converged, 0, found} : Outcome{Status::not_converged, failed, {}};
}

}  // namespace eigen_g::dc
