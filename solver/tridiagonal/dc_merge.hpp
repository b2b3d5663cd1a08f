// The vectors of a merge: the children's columns rotated and put in group order, times U, beside the deflated ones.
//
//   compressed Q = Q P G  (P: order, G: the rotations of the deflation),   new Q = (compressed Q's first k columns) U
//
// U's rows and the compressed columns are in group order, so the product is two smaller ones that skip the zeros:
//   child 1's rows:  [upper dense] U(upper, dense),     child 2's rows:  [dense lower] U(dense, lower)
#pragma once

#include "hybrid/matrix_view.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/dc_z_vector.hpp"

namespace eigen_g::dc {

// Merged entry t in one row of Q.
template <class R>
EIGEN_G_HOST_DEVICE R entry_of_row(const Merge& merge, const Arrays<R>& x, MatrixView<const same_t<R>> q,
                                   Index row, bool upper_row, Index t) {
  const Index column = x.source[t];
  return (column - merge.first < merge.upper) == upper_row ? q(row, column) : R(0);
}

// The chain of rotations that starts at merged entry s (none of them: a chain of one), in one row of Q.
//   carried        entry_of_row() of s
//   q, compressed  whole matrices; row counts in both, columns of `compressed` from the merge's first
//   end_row        first_of_c or last_of_c where this row is the merge's first or last, else null
// A chain's entries that deflate are written in every row, the last one only where its kind is not zero.
template <class R>
EIGEN_G_HOST_DEVICE void compress_row(const Merge& merge, const Shape<R>& shape, const Arrays<R>& x,
                                      MatrixView<const same_t<R>> q, MatrixView<same_t<R>> compressed,
                                      Index row, bool upper_row, same_t<R>* end_row, Index s,
                                      same_t<R> carried) {
  const auto write = [&](Index target, R value) {
    compressed(row, merge.first + target) = value;
    if (end_row) end_row[target] = value;
  };
  for (Index t = x.link[s]; t >= 0; t = x.link[s]) {
    const R other = entry_of_row(merge, x, q, row, upper_row, t);
    write(x.target[s], x.cosine[s] * carried + x.sine[s] * other);
    carried = x.cosine[s] * other - x.sine[s] * carried;
    s = t;
  }
  const Index target = x.target[s];
  if (upper_row ? x.kind[s] != lower_kind : target >= shape.lower_begin()) write(target, carried);
}

// True where compress_row has nothing to do for a chain of one, so that a block of rows passes on.
template <class R>
EIGEN_G_HOST_DEVICE bool compress_skips(const Shape<R>& shape, const Arrays<R>& x, bool upper_row, Index s) {
  if (x.link[s] >= 0) return false;
  return upper_row ? x.kind[s] == lower_kind : x.target[s] < shape.lower_begin();
}

// Value t of the merge (the roots, then the deflated ones) to its place in ascending order, by one team. Roots ascend as
// they are; deflated values nearly do. Of equal values roots come first.
template <class Team, class R>
EIGEN_G_HOST_DEVICE void order_value(const Team& team, const Merge& merge, const Shape<R>& shape,
                                     const Arrays<R>& x, Index t) {
  const Index deflated = merge.size - shape.k;
  const bool is_root = t < shape.k;
  const R value = is_root ? x.root[t] : x.deflated[t - shape.k];
  Index before = 0;
  for (Index i = team.rank(); i < deflated; i += team.size()) {
    const R other = x.deflated[i];
    before += other < value || (other == value && !is_root && i < t - shape.k);
  }
  const auto deflated_before = static_cast<Index>(team.sum(before));
  if (team.rank() != 0) return;
  const Index place = deflated_before + (is_root ? t : count_below(x.root, shape.k, value, true));
  x.d[place] = value;
  x.column[place] = merge.first + t;
}

}  // namespace eigen_g::dc
