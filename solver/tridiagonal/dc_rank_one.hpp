// Eigenvectors of D + rho z z^T from its roots: u_j ~ (w_i / (p_i - root_j))_i.
//
// They are orthogonal to working accuracy if w is not the given one but the one whose secular equation the computed
// roots solve exactly:
//
//   w_i^2 ~ (root_i - p_i) prod over j /= i of (root_j - p_i) / (p_j - p_i),   sign as before
//
// (Loewner's formula; the factor 1/rho goes in the normalisation). All factors are positive by interlacing. Products
// over any part of them stay in range: those with j < i are below 1 and multiply to more than the smallest relative
// gap that deflation leaves, those with j > i are the other way round.
//
// The rounding errors of k factors would cost the vectors more orthogonality than the rest of a merge. They are summed
// beside the product and corrected: w_i is right to a few units of roundoff for any k.
//
// Source: Gu and Eisenstat 1994; LAPACK dlaed3.
#pragma once

#include <math.h>

#include "blas2/symv/double_double.hpp"
#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/dc_quotient.hpp"

namespace eigen_g::dc {

// hi + lo, exactly what an operation gives.
struct FloatFloat {
  float hi, lo;
};
template <class R>
struct UnevaluatedOf {
  using Sum = blas2::DoubleDouble;
};
template <>
struct UnevaluatedOf<float> {
  using Sum = FloatFloat;
};
template <class R>
using Unevaluated = typename UnevaluatedOf<R>::Sum;

using blas2::two_prod, blas2::two_sum;
EIGEN_G_HOST_DEVICE inline FloatFloat two_sum(float a, float b) {
#ifdef __CUDA_ARCH__
  const float s = __fadd_rn(a, b), t = __fsub_rn(s, a);  // which nobody contracts or reorders
  return {s, __fadd_rn(__fsub_rn(a, __fsub_rn(s, t)), __fsub_rn(b, t))};
#else
  const float s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
#endif
}
EIGEN_G_HOST_DEVICE inline FloatFloat two_prod(float a, float b) {
#ifdef __CUDA_ARCH__
  const float p = __fmul_rn(a, b);
#else
  const float p = a * b;
#endif
  return {p, fmaf(a, b, -p)};
}

// A product that is value (1 + error) to first order in the errors of its factors and multiplications.
template <class R>
struct CorrectedProduct {
  R value = 1, error = 0;
  EIGEN_G_HOST_DEVICE void multiply(R factor, R relative_error) {
    const Unevaluated<R> product = two_prod(value, factor);
    value = product.hi;
    error += relative_error + product.lo * rough_reciprocal(product.hi);
  }
  // By x / y, both unevaluated sums.
  EIGEN_G_HOST_DEVICE void multiply(Unevaluated<R> x, Unevaluated<R> y) {
    const R factor = quotient(x.hi, y.hi);
    const R rest = fma(-factor, y.hi, x.hi) + (x.lo - factor * y.lo);
    multiply(factor, rest * rough_reciprocal(x.hi));
  }
};

// Weight of pole i, by one team; to group order together with the pole.
template <class Team, class R>
EIGEN_G_HOST_DEVICE void correct_weight(const Team& team, const Shape<R>& shape, const Arrays<R>& x,
                                        Index i) {
  const R pole = x.pole[i];
  CorrectedProduct<R> own;
  for (Index j = team.rank(); j < shape.k; j += team.size()) {
    const Unevaluated<R> to_base = two_sum(pole, -x.base[j]);
    Unevaluated<R> to_root = two_sum(to_base.hi, -x.tau[j]);
    to_root.lo += to_base.lo;
    const Unevaluated<R> gap = two_sum(pole, -x.pole[j]);
    own.multiply(to_root, j == i ? Unevaluated<R>{1, 0} : gap);
  }
  const R value = team.product(own.value), error = team.sum(own.error);
  // Where a factor vanishes there is nothing to correct.
  const R product = fabs(error) < 1 ? value * (1 + error) : value;
  if (team.rank() == 0) {
    x.group_pole[x.group[i]] = pole;
    x.group_weight[x.group[i]] = copysign(sqrt(fabs(product)), x.weight[i]);
  }
}

// Entry j of the first and of the last row of the merged vectors without U, (row of the compressed Q) U, to first_of_q and
// last_of_q: z of the level above. Formed beside U by the same sums, so values do not depend on whether vectors are wanted.
// Returns 1 over the norm of U's column j before it is normalised.
template <class Team, class R>
EIGEN_G_HOST_DEVICE R form_end_rows(const Team& team, const Shape<R>& shape, const Arrays<R>& x, Index j) {
  const R base = x.base[j], tau = x.tau[j];
  R squares = 0, first = 0, last = 0;
  for (Index g = team.rank(); g < shape.k; g += team.size()) {
    const R t = quotient(x.group_weight[g], (x.group_pole[g] - base) - tau);
    squares += t * t;
    if (g < shape.upper_end()) first += t * x.first_of_c[g];
    if (g >= shape.upper) last += t * x.last_of_c[g];
  }
  const R inverse_norm = 1 / sqrt(team.sum(squares));
  first = team.sum(first);
  last = team.sum(last);
  if (team.rank() == 0) {
    x.first_of_q[j] = first * inverse_norm;
    x.last_of_q[j] = last * inverse_norm;
  }
  return inverse_norm;
}

// Column j of U in group order: write(g, value) for every g; end_rows: form_end_rows() beside it. The quotients are formed
// twice: cheaper than storing.
template <class Team, class R, class Write>
EIGEN_G_HOST_DEVICE void form_vector(const Team& team, const Shape<R>& shape, const Arrays<R>& x, Index j,
                                     bool end_rows, Write&& write) {
  const R base = x.base[j], tau = x.tau[j];
  const auto entry = [&](Index g) { return quotient(x.group_weight[g], (x.group_pole[g] - base) - tau); };
  R inverse_norm = 0;
  if (end_rows) {
    inverse_norm = form_end_rows(team, shape, x, j);
  } else {
    R squares = 0;
    for (Index g = team.rank(); g < shape.k; g += team.size()) {
      const R t = entry(g);
      squares += t * t;
    }
    inverse_norm = 1 / sqrt(team.sum(squares));
  }
  for (Index g = team.rank(); g < shape.k; g += team.size()) write(g, entry(g) * inverse_norm);
}

}  // namespace eigen_g::dc
