// Blocks of reflectors applied by a team of devices: the back-transformation cut by columns of Z. CUDA builds only.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm_df/products.hpp"
#include "hybrid/team/column_team.hpp"

namespace eigen_g {

// H = I - V T V^T (compact WY) on rows first ... first + v.rows - 1.
template <class T>
struct ReflectorBlock {
  std::int64_t first = 0;
  MatrixView<const T> v_dev, t_dev;  // rows x k, k x k
};

// What devices beside the first do of apply_reflectors().
template <class T>
ColumnWork<T> cut_reflectors(const std::vector<ReflectorBlock<T>>& blocks, MatrixView<same_t<T>> z_dev);

// Z := ... H_2 H_1 H_0 Z, the blocks in the order of the list. Each device of the team takes a range of Z's columns, in
// proportion to its share in `parts`; they travel once, the blocks go to every device while it works on the one before.
//   blocks' v_dev, t_dev, z_dev   in the memory of the team's first GPU
//   first                         products on the first GPU, whose queue is the team's; null: native. Elsewhere they are native
// Ordered, blocking and throwing as ColumnTeam::run. Repeats bit for bit for the same team and shares.
// Cost: 4 rows k m flops a block of k reflectors, m columns; V and T once to every other device, its columns of Z there and
// back. Source: Schreiber and Van Loan 1989; LAPACK dlarfb.
template <class T>
void apply_reflectors(ColumnTeam<T>& team, const std::vector<double>& parts,
                      const std::vector<ReflectorBlock<same_t<T>>>& blocks, MatrixView<same_t<T>> z_dev,
                      const Products<T>* first = nullptr);

}  // namespace eigen_g
