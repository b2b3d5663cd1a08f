// The products of large merges (dc_merge.hpp has the equation): on one GPU, or cut by columns over a team of devices.
// CUDA builds only.
#pragma once

#include <vector>

#include "gemm_df/products.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/tridiagonal/dc_device.hpp"

namespace eigen_g::dc {

// What devices beside the first do of the product of merge m with this shape: its columns `roots` of Q, where U's stand, by
// the columns of C.
ColumnWork cut_merge(const Merge& m, const Shape& shape, Roots roots, MatrixView<const double> c,
                     MatrixView<double> q);

// Q's columns `roots` of every merge of a level, as far as it has so many: C's nonzero blocks times the rows of U that
// belong to them. U is formed in `panel`, as many columns at a time as that has.
//   merges, shapes   the level's, on the host
//   team             null: all by `products`; else the columns of a merge are cut as it says. U's columns for devices
//                    beside the first are formed in Q's own, to which the results come back; C goes to every device once
// Ordered on the products' queue; with a cut product it blocks until the CPU has done its share. Two runs with the same
// team and shares give the same bits. Throws OutOfMemory, DeviceError.
void multiply_large(const Products<double>& products, const std::vector<Merge>& merges,
                    const std::vector<Shape>& shapes, const Batch& batch, Roots roots,
                    MatrixView<const double> c, MatrixView<double> panel, MatrixView<double> q,
                    SolveTeam* team);

}  // namespace eigen_g::dc
