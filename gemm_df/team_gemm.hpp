// A matrix product whose columns are divided among a team of devices. CUDA builds only.
#pragma once

#include <vector>

#include "gemm_df/gemm.hpp"
#include "hybrid/team/column_team.hpp"

namespace eigen_g {

// C := alpha op_a(A) op_b(B) + beta C. Each device of the team computes a range of the columns of C, in proportion to its share
// in `parts`.
//   a_dev, b_dev, c_dev   in the memory of the team's first GPU; C overlaps neither A nor B. The inner size must be at least 1, unless
//                         C is empty
// C is not read if beta = 0. A helper adds products over slices of the inner dimension, so that A and B arrive while it
// computes. Its order of summation therefore differs from the first GPU's, but the same team and shares give the same bits in
// every run.
// Ordering, blocking and exceptions as for ColumnTeam::run(); in addition InvalidArgument (a) for an inner size of 0.
// Cost: 2 m n k flops. Each helper receives all of A, its columns of B, and unless beta = 0 its columns of C. It sends its
// columns of C back. BLAS: dgemm.
template <class T>
void team_gemm(ColumnTeam<T>& team, const std::vector<double>& parts, Op op_a, Op op_b, same_t<T> alpha,
               MatrixView<const same_t<T>> a_dev, MatrixView<const same_t<T>> b_dev, same_t<T> beta,
               MatrixView<same_t<T>> c_dev);

}  // namespace eigen_g
