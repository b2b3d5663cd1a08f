// The products of large merges (dc_merge.hpp has the equation): on one GPU, or cut by columns over a team of devices.
// CUDA builds only.
#pragma once

#include <vector>

#include "gemm_df/products.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/tridiagonal/dc_device.hpp"

namespace eigen_g::dc {

// The part of devices beside the first in the product of merge m with this shape: columns `roots` of Q, in which U's
// columns stand, from the columns of C.
template <class R>
ColumnWork<R> cut_merge(const Merge& m, const Shape<R>& shape, Roots roots, MatrixView<const same_t<R>> c,
                        MatrixView<same_t<R>> q);

// What a team has to expect of the last merge of a matrix of order q.rows: nothing deflates. Q is neither read nor written.
template <class R>
CutWork<R> last_merge_cut(MatrixView<R> q);

// Columns `roots` of Q, as far as they exist, for every merge of a level: C's nonzero blocks times their rows of U. U is
// formed in `panel`, as many columns at a time as that has.
//   merges, shapes   the level's, on the host
//   team             null: all by `products`; else the columns of a merge are cut as it says. U's columns for devices
//                    beside the first are formed in Q's own, to which the results come back; C goes to every device once
// Ordered on the products' queue; with a cut product it blocks until the CPU has done its share. Two runs with the same
// team and shares give the same bits. Throws OutOfMemory, DeviceError.
template <class R>
void multiply_large(const Products<R>& products, const std::vector<Merge>& merges,
                    const std::vector<Shape<R>>& shapes, const Batch<R>& batch, Roots roots,
                    MatrixView<const same_t<R>> c, MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q,
                    SolveTeam<R>* team);

}  // namespace eigen_g::dc
