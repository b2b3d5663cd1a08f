// The arrays that the phases of one merge pass to each other. A merge has the rows first ... first + size - 1. It joins child 1, the upper
// part of these rows, and child 2, the lower part. Symbols:
//
//   d, Q          eigenvalues and eigenvectors of the two children; Q = diag(Q1, Q2), and d_i has its vector in column[i]
//   z             the rank-one vector of the merge (dc_z_vector.hpp)
//   merged        the eigenvalues of both children in one ascending order, s = 0 ... size - 1, and z in the same order
//   pole, weight  the k entries of d and z that do not deflate, poles ascending; they define the k x k problem D + rho z z^T
//   group order   the k entries by kind: upper (the vector is nonzero in child 1's rows only), dense, lower (in child 2's
//                 rows only). The compressed Q has its columns in this order, and U has its rows in it
//   base, tau     eigenvalue j of this problem, root_j of the secular equation, is base_j + tau_j; base_j is the nearest pole. The
//                 difference pole_i - root_j is always computed as (pole_i - base_j) - tau_j, which is accurate to all digits
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

// R is float or double in all files of the divide and conquer.
template <class R>
inline constexpr R unit_roundoff = std::numeric_limits<R>::epsilon() / 2;

// Arrays of n elements each, R and then Index. A merge uses the elements of its own rows. These declarations are the only list of
// the arrays: the workspace holds them in this order.
template <class R>
struct RealArrays {
  R* d;  // eigenvalues of the leaves, then of the merges; ascending within each
  R* e;  // n - 1 off-diagonal entries
  R *merged_d, *merged_z;
  R *cosine, *sine;              // rotation of an entry with the next one of its chain (link)
  R *pole, *weight;              // ascending poles
  R *group_pole, *group_weight;  // in group order; group_weight is the corrected weight of Gu and Eisenstat
  R *base, *tau, *root;          // root = base + tau
  R* deflated;                   // deflated values in merged order
  R *first_of_c, *last_of_c;     // first and last row of the compressed Q, in group order
  R *first_of_q,
      *last_of_q;  // first and last row of Q after the merge, one entry a root; the same bits without vectors
};
struct IndexArrays {
  Index* column;    // column of Q with the vector of d_i, counted from Q's column 0
  Index* source;    // column of Q with the vector of merged entry s
  Index* kind;      // Kind of a merged entry
  Index* link;      // merged entry that this one is rotated with, a later one; -1: none
  Index* linked;    // 1: an earlier entry is rotated with this one; else 0
  Index* target;    // column of the merged entry in the compressed Q, counted from the merge's first
  Index* group;     // position of a pole in group order
  Index* survivor;  // merged entries s with rho |z_s| > tol (dc_deflate.hpp), ascending
  Index* close;     // positions in `survivor` whose entry is close to the next one
};
template <class R>
struct Arrays : RealArrays<R>, IndexArrays {
  static constexpr int reals = sizeof(RealArrays<R>) / sizeof(R*);
  static constexpr int indices = sizeof(IndexArrays) / sizeof(Index*);

  // Returns the arrays from row `first` on.
  EIGEN_G_HOST_DEVICE Arrays at(Index first) const;
};

// Replaces the k-th pointer of a group of arrays by place(k, pointer).
template <class T, class Group, class Placement, std::size_t... k>
EIGEN_G_HOST_DEVICE Group placed(const Group& group, const Placement& place, std::index_sequence<k...>) {
  struct Pointers {
    T* of[sizeof...(k)];
  };
  const auto was = std::bit_cast<Pointers>(group);
  return {place(Index{k}, was.of[k])...};
}
template <class T, class Group, class Placement>
EIGEN_G_HOST_DEVICE Group placed(const Group& group, const Placement& place) {
  return placed<T>(group, place, std::make_index_sequence<sizeof(Group) / sizeof(T*)>());
}
template <class R>
EIGEN_G_HOST_DEVICE Arrays<R> Arrays<R>::at(Index first) const {
  return {placed<R>(static_cast<const RealArrays<R>&>(*this), [=](int, R* p) { return p + first; }),
          placed<Index>(static_cast<const IndexArrays&>(*this), [=](int, Index* p) { return p + first; })};
}

// place_arrays() divides `workspace`, which has arrays_size(n) values, among the arrays.
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

// How many poles of a merge are of each kind. Written by the deflation.
template <class R>
struct Shape {
  Index k, upper, dense, lower;  // k = upper + dense + lower
  R rho;

  // Child 2's product reads the columns lower_begin() ... k - 1. They begin at an even column, so that the operands are aligned. If
  // `upper` is odd, the last upper column is included, with zeros in child 2's rows.
  EIGEN_G_HOST_DEVICE Index upper_end() const { return upper + dense; }
  EIGEN_G_HOST_DEVICE Index lower_begin() const { return upper - upper % 2; }
};

// The rows of T whose entries of Q a matrix holds: rows first ... first + count - 1. They may begin and end inside leaves and merges. Row
// `first` of T is row 0 of the matrix, and all functions return rows of the matrix.
//
// count = 0: the end rows, for values only, because z needs no others. The matrix then has two rows: row 0 holds the first and row 1 the
// last row of every child or merge.
struct Rows {
  Index first = 0, count = 0;
  EIGEN_G_HOST_DEVICE bool ends_only() const { return count == 0; }
  // The rows from which the values follow. Q has them if it has all n rows of T. Otherwise end rows are held in addition.
  Rows for_values(Index n) const { return count == n ? *this : Rows{}; }

  // The number of rows above row `row` of T. Not for end rows.
  EIGEN_G_HOST_DEVICE Index above(Index row) const {
    return row < first ? 0 : row - first < count ? row - first : count;
  }
  EIGEN_G_HOST_DEVICE Index upper_first(const Merge& m) const { return ends_only() ? 0 : above(m.first); }
  EIGEN_G_HOST_DEVICE Index lower_first(const Merge& m) const {
    return ends_only() ? 1 : above(m.first + m.upper);
  }
  EIGEN_G_HOST_DEVICE Index end(const Merge& m) const { return ends_only() ? 2 : above(m.first + m.size); }
  EIGEN_G_HOST_DEVICE Index upper_count(const Merge& m) const { return lower_first(m) - upper_first(m); }
  EIGEN_G_HOST_DEVICE Index lower_count(const Merge& m) const { return end(m) - lower_first(m); }
  EIGEN_G_HOST_DEVICE Index count_of(const Merge& m) const { return end(m) - upper_first(m); }

  // The rows next to the cut, if the matrix has them.
  EIGEN_G_HOST_DEVICE Index last_of_upper(const Merge& m) const {
    return ends_only() ? 1 : m.first + m.upper - 1 - first;
  }
  EIGEN_G_HOST_DEVICE Index first_of_lower(const Merge& m) const {
    return ends_only() ? 0 : m.first + m.upper - first;
  }
  EIGEN_G_HOST_DEVICE bool is_first(const Merge& m, Index row) const {
    return row == (ends_only() ? 0 : m.first - first);
  }
  EIGEN_G_HOST_DEVICE bool is_last(const Merge& m, Index row) const {
    return row == (ends_only() ? 1 : m.first + m.size - 1 - first);
  }
  // Returns `first_row` if `row` is the merge's first row, `last_row` if it is the last one, else null.
  template <class R>
  EIGEN_G_HOST_DEVICE R* of_end_row(const Merge& m, Index row, R* first_row, R* last_row) const {
    return is_first(m, row) ? first_row : is_last(m, row) ? last_row : nullptr;
  }
};

}  // namespace eigen_g::dc
