// Forms the vector z of a merge's rank-one term, and puts the eigenvalues of both children into one order. With v, e of dc_tree.hpp:
//
//   diag(T1, T2) + |e| v v^T = Q (D + rho z z^T) Q^T,   z = Q^T v / sqrt 2,   rho = 2 |e|,
//   z = (last row of Q1, sign(e) first row of Q2) / sqrt 2,   ||z|| = 1
//
// Source: LAPACK dlaed2.
#pragma once

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g::dc {

// Number of entries of the ascending x[0 ... size) that are below v, or with `equal` at most v.
template <class R>
EIGEN_G_HOST_DEVICE Index count_below(const R* x, Index size, same_t<R> v, bool equal) {
  Index low = 0, high = size;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (x[middle] < v || (equal && x[middle] == v))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Puts entry i of the children's eigenvalues, 0 <= i < size, into its position in merged order, with its z and its column. Among equal
// values child 1 comes first.
//   x  the arrays at the merge's first row     e  the off-diagonal entry at the cut
template <class R>
EIGEN_G_HOST_DEVICE void form_z(const Merge& merge, Rows rows, MatrixView<const same_t<R>> q,
                                const Arrays<R>& x, same_t<R> e, Index i) {
  constexpr R sqrt_half = R(0.70710678118654752440);
  const bool from_upper = i < merge.upper;
  const R value = x.d[i];
  const Index place = from_upper ? i + count_below(x.d + merge.upper, merge.size - merge.upper, value, false)
                                 : i - merge.upper + count_below(x.d, merge.upper, value, true);
  const Index row = from_upper ? rows.last_of_upper(merge) : rows.first_of_lower(merge);
  const R component = q(row, x.column[i]) * sqrt_half;
  x.merged_d[place] = value;
  x.merged_z[place] = !from_upper && e < 0 ? -component : component;
  x.source[place] = x.column[i];
}

}  // namespace eigen_g::dc
