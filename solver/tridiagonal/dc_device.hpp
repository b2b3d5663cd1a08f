// The phases of the divide and conquer on a GPU: one launch handles all leaves, or all merges of a level. The header with the phase's
// name has its mathematics.
//
// Every pointer is in device memory, and every launch is ordered on `queue`; none blocks. Throw DeviceError. Two runs give the same bits.
// R is float or double. CUDA builds only.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_levels.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::dc {

// The phases write their findings into one object in device memory.
struct Findings {
  unsigned failed = ~0u;      // lowest index, from 1, that did not converge; all bits set: none
  unsigned not_finite = ~0u;  // row of the first NaN or infinity of T; all bits set: none
  int exponent = 0;           // Division::exponent
};

// The result, if the pairs `found` were stored.
inline DivideAndConquerResult result_of(const Findings& findings, const Selected& found) {
  constexpr unsigned none = ~0u;
  if (findings.not_finite != none) return {Status::not_converged, findings.not_finite + std::int64_t{1}, {}};
  if (findings.failed != none) return {Status::not_converged, findings.failed, {}};
  return {Status::converged, 0, found};
}

// The leaves, the merges level by level and the subtrees of a tree, as words of host memory that kernels read, and their place on the GPU.
struct TreeOnDevice {
  const Index* on_host;
  Index words;
  Leaf* leaves;  // on the GPU
  Index count;   // number of leaves
  Index merge_count, subtree_count;
  Merge* merges() const { return reinterpret_cast<Merge*>(leaves + count); }
  Subtree* subtrees() const { return reinterpret_cast<Subtree*>(merges() + merge_count); }
};

// Prepares T as divide() of dc_tree.hpp does, bit for bit, with the cuts between the leaves. Copies the tree to the GPU. One block.
//   d, e      n and n - 1 values of T, in
//   x         out: d and e of the torn, scaled T. Zeros if T is not finite
//   findings  out: as constructed, with not_finite and exponent
template <class R>
void tear(const Queue& queue, Index n, const TreeOnDevice& tree, const same_t<R>* d, const same_t<R>* e,
          const Arrays<R>& x, Findings* findings);

// dc_leaf. In: d and e of the torn T. Out: d, column and the diagonal blocks of Q.
//   rows   the rows of T in q; none if rows.ends_only()
//   q      receives these rows of the blocks
//   ends   receives the first and the last row of each block; data null: not needed
template <class R>
void solve_leaves(const Queue& queue, const Leaf* leaves, Index count, const Arrays<R>& arrays, Rows rows,
                  MatrixView<same_t<R>> q, MatrixView<same_t<R>> ends, unsigned* failed);

// Carries out all phases of all subtrees, one block each: dc_leaf and the phases below for subtree_levels levels. It forms all vectors, or only
// their first and last rows. solve_subtrees_in_range() is as merge_small_in_range(). The results have the same bits as by a launch for each level.
//   batch   all merges; count and largest are not read
template <class R>
void solve_subtrees(const Queue& queue, const TreeOnDevice& tree, const Batch<R>& batch,
                    MatrixView<same_t<R>> q, MatrixView<same_t<R>> compressed);
template <class R>
void solve_subtrees_in_range(const Queue& queue, const TreeOnDevice& tree, const Batch<R>& batch,
                             MatrixView<same_t<R>> ends, MatrixView<same_t<R>> compressed_ends, Rows kept,
                             MatrixView<same_t<R>> q, MatrixView<same_t<R>> compressed);

// Carries out all phases below for a whole level of merges, each with at most largest_small_merge(batch.count) rows. It forms all vectors, or
// only their first and last rows. One launch; for more than 128 rows multiply() follows.
//   panel   as in form_vectors(); only for more than 128 rows, and only if vectors are formed
inline constexpr Index small_merge_rows = 64,
                       cluster_merge_rows = 256;  // limits for one block and for a cluster
// The largest order for a level of `count` merges. More than small_merge_rows only on a GPU with clusters of blocks.
Index largest_small_merge(Index count);
template <class R>
void merge_small(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> q,
                 MatrixView<same_t<R>> compressed, MatrixView<same_t<R>> panel);
// merge_small() for the end rows, batch.rows, and for the rows `kept` of the vectors. A row has the bits that it has if Q has all rows of T.
//   ends, compressed_ends   Q and the compressed Q with the end rows
//   q, compressed           Q and the compressed Q with the rows `kept`
template <class R>
void merge_small_in_range(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> ends,
                          MatrixView<same_t<R>> compressed_ends, Rows kept, MatrixView<same_t<R>> q,
                          MatrixView<same_t<R>> compressed, MatrixView<same_t<R>> panel);

// dc_z_vector and dc_deflate. In: d, column and the rows of Q next to the cuts. Out: shapes, pole, weight, group, deflated and the
// rotations. One block a merge.
template <class R>
void deflate(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> q);

// dc_secular: base, tau and root. One warp a root. Cost: largest^2 divisions an evaluation, about three evaluations.
template <class R>
void solve_secular(const Queue& queue, const Batch<R>& batch);

// dc_merge and dc_rank_one: d and column, and with_weights also group_pole and group_weight. One warp handles a value and a pole.
template <class R>
void order_values(const Queue& queue, const Batch<R>& batch, bool with_weights);

// dc_rank_one: columns first ... first + columns - 1 of every merge's U. They are stored in `panel` from column 0 on, in the merge's rows
// m.first .... If batch.forms_ends(), first_of_q and last_of_q of these columns are formed too. A merge without rows in batch.rows has no U.
template <class R>
void form_vectors(const Queue& queue, const Batch<R>& batch, Index first, Index columns,
                  MatrixView<same_t<R>> panel);
// Forms first_of_q and last_of_q of all columns without U.
template <class R>
void form_end_rows(const Queue& queue, const Batch<R>& batch);

// dc_merge. compress() forms the compressed Q, and first_of_c and last_of_c if batch.forms_ends(). keep() copies columns k ... of every merge
// to Q. If a level follows, it also copies first_of_q and last_of_q to the first and last rows of Q.
template <class R>
void compress(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> q,
              MatrixView<same_t<R>> compressed);
template <class R>
void keep(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> compressed,
          MatrixView<same_t<R>> q);

// dc_product: columns first ... first + columns - 1 of Q := compressed Q times U. `panel` has these columns of U from its column 0 on. The
// deflated columns among them are copied from the compressed Q, and the end rows are set as in keep(). For merges that are too small for
// a cuBLAS product each to use the whole GPU.
template <class R>
void multiply(const Queue& queue, const Batch<R>& batch, Index first, Index columns,
              MatrixView<const same_t<R>> compressed, MatrixView<const same_t<R>> panel,
              MatrixView<same_t<R>> q);

// Stores eigenpair first + j, ascending: w_j := 2^exponent d and column j of Z, 0 <= j < z.cols. z.data null: values only. Z has the rows of Q.
// Copies the findings to `on_host`, which is an address in kernels.
template <class R>
void store_ordered(const Queue& queue, Index first, const Findings* findings, Findings* on_host,
                   const Arrays<R>& arrays, MatrixView<const same_t<R>> q, same_t<R>* w,
                   MatrixView<same_t<R>> z);

}  // namespace eigen_g::dc
