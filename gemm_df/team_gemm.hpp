// A matrix product cut by columns over a team of devices. CUDA builds only.
#pragma once

#include <vector>

#include "gemm_df/gemm.hpp"
#include "hybrid/team/column_team.hpp"

namespace eigen_g {

// C := alpha op_a(A) op_b(B) + beta C, where each device of the team does a range of C's and op_b(B)'s columns, in
// proportion to its share in `parts`.
//   a_dev, b_dev, c_dev   in the memory of the team's first GPU; C overlaps neither A nor B. The inner dimension is at least 1
//                         (InvalidArgument(Argument::a)), unless C is empty
// A device beside the first adds up over slices of the inner dimension, so that A and B arrive while it computes: its
// entries are those of another order of summation, but repeat bit for bit for the same team and shares. beta = 0 does not
// read C. Ordered, blocking and throwing as ColumnTeam::run.
// Cost: 2 m n k flops; A once to every other device, its columns of B there, its columns of C back (and there, with beta).
// BLAS: dgemm.
template <class T>
void gemm(ColumnTeam<T>& team, const std::vector<double>& parts, Op op_a, Op op_b, same_t<T> alpha,
          MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
          MatrixView<same_t<T>> c_dev);

}  // namespace eigen_g
