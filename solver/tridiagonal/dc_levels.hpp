// solve_levels(): computes eigenpairs from the torn T, level by level. It is written once for every phase runner: the loops of dc_host.hpp
// and the launches of divide_and_conquer.cu. A phase runner carries out one phase for all leaves, or for all merges of a level. It
// does so in the order of the calls:
//
//   first_batch()                      returns the batch of the lowest level; the merges of later levels follow it in memory
//   solve_leaves(leaves)               dc_leaf: d, column and the diagonal blocks of Q, with the end rows if a range of rows needs them
//   solve_subtrees(tree, batch)        optional: all phases of the leaves and of the lowest levels. Returns the number of these levels; 0: nothing is
//                                      done, and solve_leaves() follows
//   takes_whole(batch)                 true: merge_whole(batch) carries out all phases of this level, for the range of rows too
//   deflate(batch)                     dc_z_vector, dc_deflate
//   solve_secular(batch)               dc_secular
//   order_values(batch, with_vectors)  dc_merge: d and column; with vectors also the weights of dc_rank_one
//   compress(batch)                    dc_merge: C := the columns of Q, rotated and grouped
//   form_end_rows(batch)               dc_rank_one: first and last row of the columns 0 ... k - 1 of Q, without U
//   keep(batch)                        columns k ... of Q := columns k ... of C; first and last row of Q := first_of_q, last_of_q
//   in_one_launch(batch)               true: multiply_together() takes this level
//   multiply_together(batch, roots)    columns `roots` of Q := C U. It also does keep()'s work for these columns
//   multiply_apart(merges, batch, roots)   columns `roots` of Q := C U, merge by merge; forms first_of_q and last_of_q; keep() follows
//   values()                           returns d in host memory
//   last_merge(batch, found)           returns k of the last merge and the columns of the values `found`, in host memory
//   exponent()                         Division::exponent
//   store(found)                       stores 2^exponent d and the columns of Q, ascending, in the caller's memory
//   result(found)                      returns the result, if the pairs `found` were stored
//
// If the vectors are wanted in a range of rows only, all phases run for the end rows, as for values only. Then compress() to keep() run once more
// in each level, for the range; merges without rows in it have nothing to do there. Q and C of the range and of the end rows are four matrices,
// and batch.rows says which of them a phase is for. A row has the same bits in every range, because no sum runs over rows.
//
// divide_and_conquer.cu has a picture of Q, C and U.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g::dc {

// The rows of the vectors that a solve forms in z.
template <class R>
Rows rows_of(const MatrixView<R>& z, const Selection& selection) {
  return z.data ? Rows{static_cast<Index>(selection.first_row), static_cast<Index>(z.rows)} : Rows{};
}

// The merges of one level. They have no rows in common, so each phase handles all of them at once.
template <class R>
struct Batch {
  const Merge* merges;
  Shape<R>* shapes;
  Index count, largest;  // largest: order of the largest merge
  Arrays<R> arrays;      // counted from row 0 of T
  Rows rows;             // rows of the matrices Q and C that this call reads and writes
  unsigned* failed;      // lowest index, from 1, that did not converge; all bits set: none
  bool end_rows;         // a further level needs the first and the last row of Q
  bool ends_are_formed;  // first_of_c, last_of_c, first_of_q and last_of_q of this level are known already

  // A call forms first_of_c and last_of_c, or first_of_q and last_of_q.
  bool forms_ends() const { return end_rows && !ends_are_formed; }
};

// Roots begin ... end - 1 of a merge, that is, columns of U and of the merge's part of Q.
struct Roots {
  Index begin, end;
  Index count() const { return end > begin ? end - begin : 0; }
};

// Forms the columns of Q that a level needs: the deflated ones and the columns of `roots`.
template <class Executor, class R>
void form_level(Executor& on, const std::vector<Merge>& merges, const Batch<R>& batch, Roots roots) {
  on.compress(batch);
  const bool all_roots = roots.begin == 0 && roots.end >= batch.largest;
  const bool together = !batch.rows.ends_only() && on.in_one_launch(batch);
  if (together)
    on.multiply_together(batch, {roots.begin, std::min(roots.end, batch.largest)});
  else if (!batch.rows.ends_only())
    on.multiply_apart(merges, batch, roots);
  else
    on.form_end_rows(batch);
  if (!together || !all_roots) on.keep(batch);
}

struct LastMerge {
  Index k;
  std::vector<Index> columns;
};

// The smallest range that contains every root among the columns of the wanted values. Roots ascend with their columns, so the range
// contains no root outside the subset.
inline Roots roots_among(const LastMerge& last) {
  Roots roots{last.k, 0};
  for (const Index root : last.columns) {
    if (root >= last.k) continue;
    roots.begin = std::min(roots.begin, root);
    roots.end = std::max(roots.end, root + 1);
  }
  return roots;
}

// The fraction of the work that is done after the first `count` levels. A merge costs as the cube of its order.
inline double done_after(const Tree& tree, std::size_t count) {
  double done = 0, all = 0;
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    for (const Merge& merge : tree.levels[level]) all += std::pow(static_cast<double>(merge.size), 3);
    if (level < count) done = all;
  }
  return all > 0 ? done / all : 1;
}

// Computes the eigenpairs of the divided T, and the rows `rows` of the vectors. For a subset, the last level forms only the wanted vectors. For
// values only, it forms none.
template <class Executor>
DivideAndConquerResult solve_levels(Executor& on, const Tree& tree, Index n, Rows rows,
                                    const Selection& selection) {
  const bool subset = selection.subset.by != Subset::By::all;
  const auto select_values = [&] {  // needs the values only if the subset is by value
    const bool by_value = selection.subset.by == Subset::By::value;
    const auto d = by_value ? on.values() : decltype(on.values())();
    return select(selection.subset, n, d.data(), by_value ? on.exponent() : 0, selection.scale);
  };
  Selected found{0, n};

  auto batch = on.first_batch();
  batch.rows = rows.for_values(n);
  const bool range = batch.rows.count != rows.count;
  std::size_t merged = 0;
  if constexpr (requires { on.solve_subtrees(tree, batch); }) merged = on.solve_subtrees(tree, batch);
  if (merged == 0) on.solve_leaves(tree.leaves);
  for (std::size_t level = 0; level < merged; ++level)
    batch.merges += static_cast<Index>(tree.levels[level].size());
  if (subset && tree.levels.empty()) found = select_values();
  for (std::size_t level = merged; level < tree.levels.size(); ++level) {
    const bool last = level + 1 == tree.levels.size(), with_vectors = !rows.ends_only() || !last;
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
    if (!whole && with_vectors) {
      const Roots roots = last && subset ? roots_among(on.last_merge(batch, found)) : Roots{0, n};
      if (!range || !last) form_level(on, tree.levels[level], batch, roots);
      if (range) {
        auto part = batch;
        part.rows = rows;
        part.ends_are_formed = true;
        form_level(on, tree.levels[level], part, roots);
      }
    }
    batch.merges += batch.count;
    if (selection.progress) selection.progress(done_after(tree, level + 1));
  }
  on.store(found);
  return on.result(found);
}

// The result of a phase runner on the CPU.
//   failed   lowest index, from 1, that did not converge; all bits set: none
inline DivideAndConquerResult result_on_cpu(unsigned failed, const Selected& found) {
  return failed == ~0u ? DivideAndConquerResult{Status::converged, 0, found}
                       : DivideAndConquerResult{Status::not_converged, failed, {}};
}

}  // namespace eigen_g::dc
