// T = Z diag(d) Z^T of one leaf by the implicit QL method with Wilkinson's shift, and Z made orthogonal again.
#pragma once

#include <cmath>

#include "solver/dc_arrays.hpp"

namespace eigen_g::dc {

inline constexpr int ql_sweeps_a_value = 60;

// Entries of T below this count as zero: far below the rounding of a T that is scaled to 1, and far above the range
// where squares vanish.
inline constexpr double leaf_floor = 0x1p-390;

// 1 / sqrt x, to about a unit of roundoff. A device's own is several times as fast as its root and its quotient.
EIGEN_G_HOST_DEVICE inline double inverse_root(double x) {
#ifdef __CUDA_ARCH__
  return rsqrt(x);
#else
  return 1 / sqrt(x);
#endif
}

// The first i >= l after which the matrix comes apart: |e_i| <= negligible, or i = size - 1. A NaN is not negligible.
EIGEN_G_HOST_DEVICE inline bool block_ends(const double* e, Index i, Index size, double negligible) {
  return i + 1 >= size || fabs(e[i]) <= negligible;
}
EIGEN_G_HOST_DEVICE inline Index block_end(const double* e, Index l, Index size, double negligible) {
  while (!block_ends(e, l, size, negligible)) ++l;
  return l;
}

// d (size entries) and e (size - 1, room for size) become the values, in no order, and rubbish. Each rotation is handed
// on, for columns i and i + 1 of Z, i descending within a sweep:
//
//   begin_sweep(i)          columns i and below follow
//   rotate(i, c, s)         z_i+1 := s z_i + c z_i+1,   z_i := c z_i - s z_i+1
//   end_sweep(i)            i was the last one
//   keep(array, i, x)       array[i] := x; a device lets one lane write
//   end_of_block(e, l, size, negligible)   block_end() of them, which lanes may look for together
//   sync()                  after which every lane sees what was kept
//
// Returns false where a value has not converged after ql_sweeps_a_value sweeps. An off-diagonal entry is negligible at
// eps times the leaf's largest entry: backward stable. Cost: about 3 size^2 rotations. Source: EISPACK imtql2, Dubrulle,
// Martin and Wilkinson 1968; LAPACK dsteqr.
template <class Vectors>
EIGEN_G_HOST_DEVICE bool implicit_ql(Index size, double* d, double* e, Vectors&& vectors) {
  double largest = leaf_floor;
  for (Index i = 0; i < size; ++i) {
    largest = fmax(largest, fabs(d[i]));
    if (i + 1 < size) largest = fmax(largest, fabs(e[i]));
  }
  const double negligible = unit_roundoff * largest;
  const double negligible_square = 0x1p-900;

  for (Index l = 0; l < size; ++l) {
    for (int sweeps = 0;; ++sweeps) {
      const Index end = vectors.end_of_block(e, l, size, negligible);
      if (end == l) break;
      if (sweeps == ql_sweeps_a_value) return false;

      const double theta = (d[l + 1] - d[l]) / (2 * e[l]);
      const double r_theta = fabs(theta) > 0x1p100 ? fabs(theta) : sqrt(theta * theta + 1);
      double g = d[end] - d[l] + e[l] / (theta + copysign(r_theta, theta));
      double s = 1, c = 1, p = 0;
      double d_above = d[end];  // d[i + 1], before and after it has changed
      Index i = end - 1;
      double e_ahead = e[i], d_ahead = d[i];  // loaded a rotation before they are needed
      vectors.sync();
      vectors.begin_sweep(end);
      for (; i >= l; --i) {
        const double e_i = e_ahead, d_i = d_ahead;
        if (i > l) {
          e_ahead = e[i - 1];
          d_ahead = d[i - 1];
        }
        const double f = s * e_i, b = c * e_i;
        const double square = f * f + g * g;
        if (square < negligible_square) {  // the matrix has come apart here
          vectors.keep(e, i + 1, 0);
          vectors.keep(d, i + 1, d_above - p);
          break;
        }
        const double inverse = inverse_root(square), r = square * inverse;
        s = f * inverse;
        c = g * inverse;
        const double h = d_above - p;
        const double q = (d_i - h) * s + 2 * c * b;
        p = s * q;
        if (i + 1 < end) vectors.keep(e, i + 1, r);
        vectors.keep(d, i + 1, h + p);
        g = c * q - b;
        d_above = d_i;
        vectors.rotate(i, c, s);
      }
      vectors.end_sweep(i + 1);
      if (i < l) {
        vectors.keep(d, l, d_above - p);
        vectors.keep(e, l, g);
      }
      vectors.sync();
    }
  }
  return true;
}

// Z := Z + Z (I - Z^T Z) / 2, Newton's step to the nearest orthogonal matrix, which takes away what the errors of all the
// rotations left: many units of roundoff become about one. Columns of Z and of Y (scratch) are `stride` apart. Sources:
// Bjorck and Bowie 1971; Higham 1986.
template <class Team>
EIGEN_G_HOST_DEVICE void orthogonalize(const Team& team, Index size, Index stride, double* z, double* y) {
  for (Index j = team.rank(); j < size; j += team.size())
    for (Index i = 0; i < size; ++i) {
      double defect = i == j;
      for (Index k = 0; k < size; ++k) defect -= z[k + i * stride] * z[k + j * stride];
      y[i + j * stride] = 0.5 * defect;
    }
  team.sync();
  for (Index row = team.rank(); row < size; row += team.size())
    for (Index j = 0; j < size; ++j) {
      double change = 0;  // entries of the row that have changed already make a difference of second order
      for (Index k = 0; k < size; ++k) change += z[row + k * stride] * y[k + j * stride];
      z[row + j * stride] += change;
    }
  team.sync();
}

}  // namespace eigen_g::dc
