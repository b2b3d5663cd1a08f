// The acts of the divide and conquer as launches: all leaves, or all merges of a level, in one. The mathematics stands
// in the header of the act's name.
//
// Every pointer is in device memory, every launch ordered on `queue`; none blocks. Throw DeviceError. Two runs give the
// same bits. R is float or double. CUDA builds only.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_levels.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::dc {

// dc_leaf: d, e torn; out: d, column and Q's diagonal blocks (or the end rows of them).
template <class R>
void solve_leaves(const Queue& queue, const Leaf* leaves, Index count, const Arrays<R>& arrays, Rows rows,
                  MatrixView<same_t<R>> q, unsigned* failed);

// A whole level of merges of at most small_merge_rows rows: what the acts below do, all of it, with all vectors (or their
// end rows).
inline constexpr Index small_merge_rows = 64;
template <class R>
void merge_small(const Queue& queue, const Batch<R>& batch, MatrixView<same_t<R>> q,
                 MatrixView<same_t<R>> compressed);

// dc_z_vector and dc_deflate: from d, column and the rows of Q beside the cuts to shapes, pole, weight, group, deflated
// and the rotations. One block a merge.
template <class R>
void deflate(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> q);

// dc_secular: base, tau, root. A warp a root; largest^2 divisions a sweep, about three sweeps.
template <class R>
void solve_secular(const Queue& queue, const Batch<R>& batch);

// dc_merge and dc_rank_one: d and column; with weights also group_pole, group_weight. A warp a value and a pole.
template <class R>
void order_values(const Queue& queue, const Batch<R>& batch, bool with_weights);

// dc_rank_one: U's columns first ... first + columns - 1 of every merge; merge rows m.first ... of `panel`, columns from 0 on.
// Where a level follows, first_of_q and last_of_q of these columns too.
template <class R>
void form_vectors(const Queue& queue, const Batch<R>& batch, Index first, Index columns,
                  MatrixView<same_t<R>> panel);
// first_of_q and last_of_q of all columns without U.
template <class R>
void form_end_rows(const Queue& queue, const Batch<R>& batch);

// dc_merge: the compressed Q, with first_of_c and last_of_c where a level follows; then Q's columns k ... of every merge from
// it, and where a level follows first_of_q and last_of_q to Q's first and last rows.
template <class R>
void compress(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> q,
              MatrixView<same_t<R>> compressed);
template <class R>
void keep(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> compressed,
          MatrixView<same_t<R>> q);

// dc_product: Q's columns first ... first + columns - 1 := compressed Q times U's columns, which stand in `panel` from
// column 0 on; of the deflated ones among them the compressed Q's own, and the end rows as keep() sets them. For merges
// too small for cuBLAS to fill a GPU with one of them.
template <class R>
void multiply(const Queue& queue, const Batch<R>& batch, Index first, Index columns,
              MatrixView<const same_t<R>> compressed, MatrixView<const same_t<R>> panel,
              MatrixView<same_t<R>> q);

// Value and vector number first + j, in ascending order, to w_j := 2^exponent d and Z's column j, 0 <= j < z.cols;
// z.data null: values only.
template <class R>
void store_ordered(const Queue& queue, Index n, Index first, int exponent, const Arrays<R>& arrays,
                   MatrixView<const same_t<R>> q, same_t<R>* w, MatrixView<same_t<R>> z);

}  // namespace eigen_g::dc
