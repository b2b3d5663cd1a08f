// apply_reflectors(): blocks of reflectors applied by a team of devices; each device has columns of Z. CUDA builds only.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm_df/engines/products.hpp"
#include "hybrid/team/column_team.hpp"

namespace eigen_g {

// H = I - V T V^T (compact WY) on rows first ... first + v.rows - 1.
template <class T>
struct ReflectorBlock {
  std::int64_t first = 0;
  MatrixView<const T> v_dev, t_dev;  // rows x k, k x k
};

// The part of apply_reflectors() that the helpers of a team do.
template <class T>
ColumnWork<T> cut_reflectors(const std::vector<ReflectorBlock<T>>& blocks, MatrixView<same_t<T>> z_dev);

// Z := ... H_2 H_1 H_0 Z, the blocks in the order of the list. Each device of the team has a range of Z's columns, in proportion to its
// share in `shares`. The columns are copied to a helper once and back once; a helper receives a block while it works on the one before.
//   blocks   v_dev and t_dev in the memory of the team's first GPU, in
//   z_dev    n x m, in the memory of the team's first GPU, in and out
//   first    products for the first GPU, on the team's queue; null: native engine. Helpers use native products
// Ordering, blocking and exceptions: as ColumnTeam::run. Repeated runs with the same team and shares give the same bits.
// Cost: 4 rows k m flops per block of k reflectors on m columns. Copies: V and T once to every helper, its columns of Z there and back.
// Source: Schreiber and Van Loan 1989; LAPACK dlarfb.
template <class T>
void apply_reflectors(ColumnTeam<T>& team, const std::vector<double>& shares,
                      const std::vector<ReflectorBlock<same_t<T>>>& blocks, MatrixView<same_t<T>> z_dev,
                      const Products<T>* first = nullptr);

}  // namespace eigen_g
