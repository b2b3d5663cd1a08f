// The products of large merges (dc_merge.hpp has the equation): on one GPU, divided by columns over a team of devices, or by several GPUs that
// each have a range of rows. CUDA builds only.
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

// multiply_large() for the last merge, by all members of a team at the same time. Some rows move between the members (row_moves()).
//   before   work of each member in the merges before
//   c, q     the member's rows. All earlier work on them must be done. The host waits for all members before and after moved rows
template <class R>
void multiply_with_members(const Products<R>& products, const Merge& last, const Shape<R>& shape,
                           const Batch<R>& batch, Roots roots, MatrixView<same_t<R>> c,
                           MatrixView<same_t<R>> panel, MatrixView<same_t<R>> q, const RowMember<R>& member,
                           const std::vector<double>& before);

}  // namespace eigen_g::dc
