// Solves a leaf: T = Z diag(d) Z^T by the implicit QL method with Wilkinson's shift. Then Z is orthogonalised again.
#pragma once

#include <math.h>

#include "solver/tridiagonal/dc_arrays.hpp"

namespace eigen_g::dc {

inline constexpr int ql_sweeps_a_value = 60;

// Lower bound for a leaf's largest entry in the test for negligible entries: entries up to unit_roundoff times it count as zero. It is
// far below the rounding errors of a T that is scaled to 1. Squares of entries that are not negligible are in range and above
// leaf_negligible_square.
template <class R>
inline constexpr R leaf_floor = R(0x1p-390);
template <>
inline constexpr float leaf_floor<float> = 0x1p-30f;
template <class R>
inline constexpr R leaf_negligible_square = R(0x1p-900);
template <>
inline constexpr float leaf_negligible_square<float> = 0x1p-110f;

// 1 / sqrt(x) to about one unit roundoff, for x far from overflow and underflow.
EIGEN_G_HOST_DEVICE inline double inverse_root(double x) {
#ifdef __CUDA_ARCH__
  double y;  // relative error below 2^-20
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x, y * y, 1.0);
  return fma(y * e, fma(e, 0.375, 0.5), y);
#else
  return 1 / sqrt(x);
#endif
}
EIGEN_G_HOST_DEVICE inline float inverse_root(float x) {
#ifdef __CUDA_ARCH__
  float y;  // relative error below 2^-22
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fmaf(0.5f * y, fmaf(-x, y * y, 1.0f), y);
#else
  return 1 / sqrt(x);
#endif
}

// True if the matrix splits after row i: |e_i| <= negligible, or i = size - 1. A NaN is not negligible. block_end() returns the first
// such row from l on.
template <class R>
EIGEN_G_HOST_DEVICE bool block_ends(const R* e, Index i, Index size, R negligible) {
  return i + 1 >= size || fabs(e[i]) <= negligible;
}
template <class R>
EIGEN_G_HOST_DEVICE Index block_end(const R* e, Index l, Index size, R negligible) {
  while (!block_ends(e, l, size, negligible)) ++l;
  return l;
}

// Replaces d (size entries) by the eigenvalues, unsorted, and destroys e (size - 1 entries, with room for size). It passes each rotation of
// columns i and i + 1 of Z to `vectors`, with i descending within a sweep:
//
//   begin_sweep(i)          columns i and below follow
//   rotate(i, c, s)         z_i+1 := s z_i + c z_i+1,   z_i := c z_i - s z_i+1
//   end_sweep(i)            i was the last column
//   keep(array, i, x, yes)  array[i] := x if `yes`; on a GPU only one lane writes
//   end_of_block(e, l, size, negligible)   returns block_end() of these arguments; lanes may search together
//   sync()                  makes the kept values visible to every lane
//
// Returns false if an eigenvalue has not converged after ql_sweeps_a_value sweeps. An off-diagonal entry is negligible if it is at most the
// unit roundoff times the leaf's largest entry, which is backward stable. Cost: about 1.3 size^2 rotations. Source: EISPACK imtql2,
// Dubrulle, Martin and Wilkinson 1968; LAPACK dsteqr.
template <class R, class Vectors>
EIGEN_G_HOST_DEVICE bool implicit_ql(Index size, R* d, R* e, Vectors&& vectors) {
  R largest = leaf_floor<R>;
  for (Index i = 0; i < size; ++i) {
    largest = fmax(largest, fabs(d[i]));
    if (i + 1 < size) largest = fmax(largest, fabs(e[i]));
  }
  const R negligible = unit_roundoff<R> * largest;

  for (Index l = 0; l < size; ++l) {
    for (int sweeps = 0;; ++sweeps) {
      const Index end = vectors.end_of_block(e, l, size, negligible);
      if (end == l) break;
      if (sweeps == ql_sweeps_a_value) return false;

      // Wilkinson's shift: the eigenvalue s of (d_l, e_l; e_l, d_l+1) that is nearer to d_l.
      const R half = R(0.5) * (d[l + 1] - d[l]), squares = half * half + e[l] * e[l];
      const R shift = e[l] * e[l] / (half + copysign(squares * inverse_root(squares), half));  // d_l - s
      R g = d[end] - d[l] + shift;
      R s = 1, c = 1, p = 0;
      R d_above = d[end];  // d[i + 1] before the current rotation
      Index i = end - 1;
      R e_ahead = e[i], d_ahead = d[i];  // loaded one rotation early
      vectors.sync();
      vectors.begin_sweep(end);
      for (; i >= l; --i) {
        const R e_i = e_ahead, d_i = d_ahead;
        const Index next = i > l ? i - 1 : l;
        e_ahead = e[next];
        d_ahead = d[next];
        const R f = s * e_i, b = c * e_i;
        const R square = f * f + g * g;
        const bool apart = square < leaf_negligible_square<R>;  // the matrix splits here: c = 1, s = 0
        const R inverse = inverse_root(square);
        const R h = d_above - p;
        const R q_root = (d_i - h) * f + 2 * b * g;  // does not wait for `inverse`
        s = apart ? 0 : f * inverse;
        c = apart ? 1 : g * inverse;
        const R q = apart ? 2 * b : q_root * inverse;
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

// Z := Z + Z (I - Z^T Z) / 2: one Newton step to the nearest orthogonal matrix. It reduces the accumulated errors of the rotations from
// many unit roundoffs to about one. Columns of Z and of Y (scratch) are `stride` apart. Sources: Bjorck and Bowie 1971;
// Higham 1986.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE void orthogonalize(const Crew& crew, Index size, Index stride, R* z, R* y) {
  for (Index pair = crew.rank(); pair < size * size; pair += crew.size()) {
    const Index i = pair % size, j = pair / size;
    R defect = i == j;
    for (Index k = 0; k < size; ++k) defect -= z[k + i * stride] * z[k + j * stride];
    y[i + j * stride] = R(0.5) * defect;
  }
  crew.sync();
  for (Index row = crew.rank(); row < size; row += crew.size())
    for (Index j = 0; j < size; ++j) {
      R change = 0;  // row entries that were updated already change it only to second order
      for (Index k = 0; k < size; ++k) change += z[row + k * stride] * y[k + j * stride];
      z[row + j * stride] += change;
    }
  crew.sync();
}

}  // namespace eigen_g::dc
