// Forms the eigenvectors of a merge: the children's columns are rotated and put in group order, and then multiplied by U. The deflated
// columns are kept.
//
//   compressed Q = Q P G  (P: permutation, G: rotations of the deflation),   new Q = (first k columns of the compressed Q) U
//
// The rows of U and the columns of the compressed Q are in group order (dc_arrays.hpp). The product therefore splits into two smaller
// ones that skip the zeros:
//   child 1's rows:  [upper dense] U(upper, dense),     child 2's rows:  [dense lower] U(dense, lower)
#pragma once

#include "hybrid/matrix_view.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/dc_z_vector.hpp"

namespace eigen_g::dc {

// Returns the component of merged entry t's vector in one row of Q.
template <class R>
EIGEN_G_HOST_DEVICE R entry_of_row(const Merge& merge, const Arrays<R>& x, MatrixView<const same_t<R>> q,
                                   Index row, bool upper_row, Index t) {
  const Index column = x.source[t];
  return (column - merge.first < merge.upper) == upper_row ? q(row, column) : R(0);
}

// Applies the chain of rotations that starts at merged entry s, in one row of Q. Without a rotation the chain is s alone.
//   q, compressed  whole matrices; `row` counts in both, and targets count from the merge's first column of `compressed`
//   upper_row      whether `row` belongs to child 1
//   end_row        first_of_c or last_of_c if this row is the merge's first or last one, else null
//   carried        entry_of_row() of s
// The deflated entries of a chain are written in every row. The last entry is written unless it is zero in this child's rows.
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

// True if compress_row() has nothing to write for a chain of one entry, so that a block of rows can skip it.
template <class R>
EIGEN_G_HOST_DEVICE bool compress_skips(const Shape<R>& shape, const Arrays<R>& x, bool upper_row, Index s) {
  if (x.link[s] >= 0) return false;
  return upper_row ? x.kind[s] == lower_kind : x.target[s] < shape.lower_begin();
}

// A crew puts value t of the merge, a root or a deflated value, into its position in ascending order. The roots are sorted already; the
// deflated values are nearly sorted. Among equal values roots come first.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE void order_value(const Crew& crew, const Merge& merge, const Shape<R>& shape,
                                     const Arrays<R>& x, Index t) {
  const Index deflated = merge.size - shape.k;
  const bool is_root = t < shape.k;
  const R value = is_root ? x.root[t] : x.deflated[t - shape.k];
  Index before = 0;
  for (Index i = crew.rank(); i < deflated; i += crew.size()) {
    const R other = x.deflated[i];
    before += other < value || (other == value && !is_root && i < t - shape.k);
  }
  const auto deflated_before = static_cast<Index>(crew.sum(before));
  if (crew.rank() != 0) return;
  const Index place = deflated_before + (is_root ? t : count_below(x.root, shape.k, value, true));
  x.d[place] = value;
  x.column[place] = merge.first + t;
}

}  // namespace eigen_g::dc
