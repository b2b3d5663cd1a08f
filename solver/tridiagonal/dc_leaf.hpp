// T = Z diag(d) Z^T of one leaf by the implicit QL method with Wilkinson's shift, and Z made orthogonal again.
#pragma once

#include <cmath>

#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g::dc {

inline constexpr int ql_sweeps_a_value = 60;

// Entries of T below this count as zero: far below the rounding of a T that is scaled to 1, and far above the range
// where squares vanish.
inline constexpr double leaf_floor = 0x1p-390;

// 1 / sqrt x for x far from the ends of the range, to about a unit of roundoff.
EIGEN_G_HOST_DEVICE inline double inverse_root(double x) {
#ifdef __CUDA_ARCH__
  double y;  // to 20 bits or more
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y * y, 1.0);
  return fma(y * e, fma(e, 0.375, 0.5), y);
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
//   keep(array, i, x, yes)  array[i] := x where `yes`; a device lets one lane write
//   end_of_block(e, l, size, negligible)   block_end() of them, which lanes may look for together
//   sync()                  after which every lane sees what was kept
//
// Returns false where a value has not converged after ql_sweeps_a_value sweeps. An off-diagonal entry is negligible at
// eps times the leaf's largest entry: backward stable. Cost: about 1.3 size^2 rotations. Source: EISPACK imtql2, Dubrulle,
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

      // Wilkinson's shift: the value of the block (d_l, e_l; e_l, d_l+1) that is nearer to d_l.
      const double half = 0.5 * (d[l + 1] - d[l]), squares = half * half + e[l] * e[l];
      const double shift =
          e[l] * e[l] / (half + copysign(squares * inverse_root(squares), half));  // d_l less it
      double g = d[end] - d[l] + shift;
      double s = 1, c = 1, p = 0;
      double d_above = d[end];  // d[i + 1], before and after it has changed
      Index i = end - 1;
      double e_ahead = e[i], d_ahead = d[i];  // loaded a rotation before they are needed
      vectors.sync();
      vectors.begin_sweep(end);
      for (; i >= l; --i) {
        const double e_i = e_ahead, d_i = d_ahead;
        const Index next = i > l ? i - 1 : l;
        e_ahead = e[next];
        d_ahead = d[next];
        const double f = s * e_i, b = c * e_i;
        const double square = f * f + g * g;
        const bool apart = square < negligible_square;  // the matrix has come apart here: c = 1, s = 0
        const double inverse = inverse_root(square);
        const double h = d_above - p;
        const double q_root = (d_i - h) * f + 2 * b * g;  // beside the root, which all else waits for
        s = apart ? 0 : f * inverse;
        c = apart ? 1 : g * inverse;
        const double q = apart ? 2 * b : q_root * inverse;
        p = s * q;
        g = c * q - b;
        vectors.keep(e, i + 1, apart ? 0 : square * inverse, i + 1 < end);
        vectors.keep(d, i + 1, h + p, true);
        d_above = d_i;
        vectors.rotate(i, c, s);
      }
      vectors.end_sweep(l);
      vectors.keep(d, l, d_above - p, true);
      vectors.keep(e, l, g, true);
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
  for (Index pair = team.rank(); pair < size * size; pair += team.size()) {
    const Index i = pair % size, j = pair / size;
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
