// The products of large merges (dc_merge.hpp has the equation). They run on one GPU, or a team divides their columns, or several GPUs each have a
// range of rows. CUDA builds only.
#pragma once

#include <vector>

#include "gemm_df/engines/products.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/tridiagonal/dc_device.hpp"
#include "solver/tridiagonal/dc_row_moves.hpp"
#include "solver/tridiagonal/row_members.hpp"

namespace eigen_g::dc {

// Describes the work of the helpers in the product of merge m: columns `roots` of Q := C times U. The columns of U are stored in the same
// columns of Q before the product.
template <class R>
ColumnWork<R> cut_merge(const Merge& m, const Shape<R>& shape, Roots roots, MatrixView<const same_t<R>> c,
                        MatrixView<same_t<R>> q);

// The work that a team must expect of the last merge of a matrix of order q.rows, if nothing deflates. Q is neither read nor written.
template <class R>
CutWork<R> last_merge_cut(MatrixView<R> q);

// Columns `roots` of Q, as far as they exist, for every merge of a level: the nonzero blocks of C times their rows of U.
//   merges, shapes   of the level, on the host
//   batch            batch.rows are the rows of C and of Q
//   panel            a slice of U is formed in it, with at most its number of columns at a time
//   team             null: all products run on `products`. A range of rows has no team. With a team its shares divide the columns of a merge. The columns of U for
//                    helpers are formed in Q, and the results replace them there. C is copied to each helper once
// Ordered on the products' queue. With a divided product it blocks until the CPU has done its share. Two runs with the same team and shares
// give the same bits. Throws OutOfMemory, DeviceError.
template <class R>
void multiply_large(const Products<R>& products, const std::vector<Merge>& merges,
                    const std::vector<Shape<R>>& shapes, const Batch<R>& batch, Roots roots,
                    MatrixView<const same_t<R>> c, MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q,
                    SolveTeam<R>* team);

// multiply_large() for the last merge. All members of a team call it at the same time with equal `last`, `shape`, `roots` and `before`. Rows can move
// between the members (row_moves()). If rows move, the host waits for all members three times: before the copies, after them, and after the products.
// Throws as GpuTeam::meet() too.
//   before   work of each member in the merges before
//   c, q     the member's rows. The GPU must have ended all earlier work on them
template <class R>
void multiply_with_members(const Products<R>& products, const Merge& last, const Shape<R>& shape,
                           const Batch<R>& batch, Roots roots, MatrixView<same_t<R>> c,
                           MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q, const RowMember<R>& member,
                           const std::vector<double>& before);

}  // namespace eigen_g::dc
