// What the acts of one merge hand to each other. The symbols, for a merge of rows first ... first + size - 1:
//
//   d, Q          eigenvalues and vectors of the two children; Q = diag(Q1, Q2), its columns in any order
//   merged        the children's values in one ascending order, s = 0 ... size - 1; z in the same order
//   pole, weight  the k of them that do not deflate, ascending: D + rho z z^T restricted to what is left
//   group         their other order: upper (vector nonzero in child 1's rows only), dense, lower; this is the order of
//                 the compressed Q's columns and of U's rows
//   base, tau     root j is base_j + tau_j, base_j the nearest pole; pole_i - root_j is (pole_i - base_j) - tau_j,
//                 and never anything else
//
//            upper dense lower   deflated
//          [  Q1    Q1     .   |    x   ]  child 1's rows
//   Q  ->  [   .    Q2    Q2   |    x   ]  child 2's rows        (a point: neither written nor read)
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "hybrid/host_device.hpp"
#include "solver/tridiagonal/dc_tree.hpp"

namespace eigen_g::dc {

// R is float or double throughout.
template <class R>
inline constexpr R unit_roundoff = std::numeric_limits<R>::epsilon() / 2;

// Arrays of n elements; a merge uses those of its own rows. The declarations are the only list of them: the workspace holds
// them in this order.
template <class R>
struct RealArrays {
  R* d;  // values of leaves and merges, ascending in each
  R* e;  // n - 1 off-diagonal entries
  R *merged_d, *merged_z;
  R *cosine, *sine;              // of the rotation with the next link of a chain
  R *pole, *weight;              // in ascending order
  R *group_pole, *group_weight;  // in group order; the weight is Gu and Eisenstat's
  R *base, *tau, *root;
  R* deflated;
  R *first_of_c, *last_of_c;  // first and last row of the compressed Q, in group order
  R *first_of_q,
      *last_of_q;  // and of Q after the merge, one entry a root: with Q and without it by the same sums
};
struct IndexArrays {
  Index* column;    // column of the vector to d, counted from column 0 of Q
  Index* source;    // the same in merged order
  Index* kind;      // Kind of a merged entry
  Index* link;      // the merged entry that this one is rotated with, after it; -1: none
  Index* linked;    // 1: some entry is rotated with this one
  Index* target;    // column in the compressed Q, counted from the merge's first
  Index* group;     // of a pole: its place in group order
  Index* survivor;  // merged entries with a component that is not negligible
  Index* close;     // survivors that are close to their successor
};
template <class R>
struct Arrays : RealArrays<R>, IndexArrays {
  static constexpr int reals = sizeof(RealArrays<R>) / sizeof(R*);
  static constexpr int indices = sizeof(IndexArrays) / sizeof(Index*);

  // The same arrays from row `first` on.
  EIGEN_G_HOST_DEVICE Arrays at(Index first) const;
};

// The k-th array of a group becomes place(k, what it was).
template <class T, class Group, class Place, std::size_t... k>
EIGEN_G_HOST_DEVICE Group placed(const Group& group, const Place& place, std::index_sequence<k...>) {
  struct Pointers {
    T* of[sizeof...(k)];
  };
  const auto was = std::bit_cast<Pointers>(group);
  return {place(Index{k}, was.of[k])...};
}
template <class T, class Group, class Place>
EIGEN_G_HOST_DEVICE Group placed(const Group& group, const Place& place) {
  return placed<T>(group, place, std::make_index_sequence<sizeof(Group) / sizeof(T*)>());
}
template <class R>
EIGEN_G_HOST_DEVICE Arrays<R> Arrays<R>::at(Index first) const {
  return {placed<R>(static_cast<const RealArrays<R>&>(*this), [=](int, R* p) { return p + first; }),
          placed<Index>(static_cast<const IndexArrays&>(*this), [=](int, Index* p) { return p + first; })};
}

// Places the arrays in `workspace`, arrays_size(n) values.
template <class R>
EIGEN_G_HOST_DEVICE constexpr std::int64_t arrays_size(std::int64_t n) {
  constexpr std::int64_t in_a_value = sizeof(R) / sizeof(Index);
  return Arrays<R>::reals * n + (Arrays<R>::indices * n + in_a_value - 1) / in_a_value;
}
template <class R>
EIGEN_G_HOST_DEVICE Arrays<R> place_arrays(std::int64_t n, R* workspace) {
  auto* const indices = reinterpret_cast<Index*>(workspace + Arrays<R>::reals * n);
  return {placed<R>(RealArrays<R>{}, [=](int k, R*) { return workspace + k * n; }),
          placed<Index>(IndexArrays{}, [=](int k, Index*) { return indices + k * n; })};
}

enum Kind : Index { upper_kind = 0, dense_kind = 1, lower_kind = 2, deflated_kind = 3 };

// How the poles of a merge divide. Written by the deflation.
template <class R>
struct Shape {
  Index k, upper, dense, lower;  // k = upper + dense + lower
  R rho;

  // The product for child 2's rows starts at an even column, so that its operands are aligned: where `upper` is odd the
  // last upper column counts with zeros in child 2's rows.
  EIGEN_G_HOST_DEVICE Index upper_end() const { return upper + dense; }
  EIGEN_G_HOST_DEVICE Index lower_begin() const { return upper - upper % 2; }
};

// The rows of a merge's columns that are kept, counted as rows of the matrix Q: all of them, or for values only the
// first and the last, which is what z needs; there Q has two rows, and row 0 of child 1 and row 1 of child 2 become
// row 0 and row 1 of the merge.
struct Rows {
  bool all;
  EIGEN_G_HOST_DEVICE Index upper_first(const Merge& m) const { return all ? m.first : 0; }
  EIGEN_G_HOST_DEVICE Index upper_count(const Merge& m) const { return all ? m.upper : 1; }
  EIGEN_G_HOST_DEVICE Index lower_first(const Merge& m) const { return all ? m.first + m.upper : 1; }
  EIGEN_G_HOST_DEVICE Index lower_count(const Merge& m) const { return all ? m.size - m.upper : 1; }
  EIGEN_G_HOST_DEVICE Index last_of_upper(const Merge& m) const { return all ? m.first + m.upper - 1 : 1; }
  EIGEN_G_HOST_DEVICE Index first_of_lower(const Merge& m) const { return all ? m.first + m.upper : 0; }
  EIGEN_G_HOST_DEVICE Index last_of_lower(const Merge& m) const { return all ? m.first + m.size - 1 : 1; }
  // `first` where `row` is the merge's first, `last` where it is the last, null where it is neither.
  template <class R>
  EIGEN_G_HOST_DEVICE R* of_end_row(const Merge& m, Index row, R* first, R* last) const {
    return row == upper_first(m) ? first : row == last_of_lower(m) ? last : nullptr;
  }
};

}  // namespace eigen_g::dc
