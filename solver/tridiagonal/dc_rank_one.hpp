// Computes the eigenvectors of D + rho z z^T from its roots: u_j ~ (w_i / (p_i - root_j))_i, with poles p_i and weights w_i.
//
// The vectors are orthogonal to working accuracy if the roots solve the secular equation of w exactly. The given weights do not have the
// computed roots exactly, so they are replaced by the weights that do:
//
//   w_i^2 ~ (root_i - p_i) prod over j /= i of (root_j - p_i) / (p_j - p_i),   sign as before
//
// (Loewner's formula; the normalisation of u_j removes the factor 1/rho). All factors are positive, because poles and roots interlace.
// A product over any subset of the factors is in range. The factors with j < i are below 1, and their product is larger than the smallest
// relative gap that the deflation leaves. The factors with j > i are above 1, and their product is smaller than the
// reciprocal of such a gap.
//
// The rounding errors of k factors would reduce the orthogonality more than the rest of a merge does. They are therefore summed along
// with the product and corrected at the end: w_i has an error of a few unit roundoffs for any k.
//
// Source: Gu and Eisenstat 1994; LAPACK dlaed3.
#pragma once

#include <math.h>

#include "blas2/symv/double_double.hpp"
#include "hybrid/scalar.hpp"
#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/dc_quotient.hpp"

namespace eigen_g::dc {

// An unevaluated sum hi + lo, which is exactly the result of an operation.
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
  const float s = __fadd_rn(a, b), t = __fsub_rn(s, a);  // never contracted or reordered
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

// A product equal to value (1 + error), to first order in the errors of its factors and multiplications.
template <class R>
struct CorrectedProduct {
  R value = 1, error = 0;
  EIGEN_G_HOST_DEVICE void multiply(R factor, R relative_error) {
    const Unevaluated<R> product = two_prod(value, factor);
    value = product.hi;
    error += relative_error + product.lo * rough_reciprocal(product.hi);
  }
  // Multiplies by x / y; both are unevaluated sums.
  EIGEN_G_HOST_DEVICE void multiply(Unevaluated<R> x, Unevaluated<R> y) {
    const R factor = quotient(x.hi, y.hi);
    const R rest = fma(-factor, y.hi, x.hi) + (x.lo - factor * y.lo);
    multiply(factor, rest * rough_reciprocal(x.hi));
  }
};

// Corrects the weight of pole i, by one crew, and stores it and the pole in group order.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE void correct_weight(const Crew& crew, const Shape<R>& shape, const Arrays<R>& x,
                                        Index i) {
  const R pole = x.pole[i];
  CorrectedProduct<R> own;
  for (Index j = crew.rank(); j < shape.k; j += crew.size()) {
    const Unevaluated<R> to_base = two_sum(pole, -x.base[j]);
    Unevaluated<R> to_root = two_sum(to_base.hi, -x.tau[j]);
    to_root.lo += to_base.lo;
    const Unevaluated<R> gap = two_sum(pole, -x.pole[j]);
    own.multiply(to_root, j == i ? Unevaluated<R>{1, 0} : gap);
  }
  const R value = crew.product(own.value), error = crew.sum(own.error);
  // |error| >= 1 if a factor is zero; then there is nothing to correct.
  const R product = fabs(error) < 1 ? value * (1 + error) : value;
  if (crew.rank() == 0) {
    x.group_pole[x.group[i]] = pole;
    x.group_weight[x.group[i]] = copysign(sqrt(fabs(product)), x.weight[i]);
  }
}

// Computes entry j of the first and of the last row of the merged eigenvectors: (row of the compressed Q) times column j of U. U itself
// is not needed. The results are first_of_q and last_of_q, from which the next level forms its z. form_vector() uses the same sums, so
// eigenvalues do not depend on whether vectors are computed. Returns 1 / (norm of column j of U before its normalisation).
template <class Crew, class R>
EIGEN_G_HOST_DEVICE R form_end_rows(const Crew& crew, const Shape<R>& shape, const Arrays<R>& x, Index j) {
  const R base = x.base[j], tau = x.tau[j];
  R squares = 0, first = 0, last = 0;
  for (Index g = crew.rank(); g < shape.k; g += crew.size()) {
    const R t = quotient(x.group_weight[g], (x.group_pole[g] - base) - tau);
    squares += t * t;
    if (g < shape.upper_end()) first += t * x.first_of_c[g];
    if (g >= shape.upper) last += t * x.last_of_c[g];
  }
  const R inverse_norm = 1 / sqrt(crew.sum(squares));
  first = crew.sum(first);
  last = crew.sum(last);
  if (crew.rank() == 0) {
    x.first_of_q[j] = first * inverse_norm;
    x.last_of_q[j] = last * inverse_norm;
  }
  return inverse_norm;
}

// Computes column j of U in group order and calls write(g, value) for every g; with end_rows it also does form_end_rows(). It computes
// each quotient twice, which is cheaper than storing it.
template <class Crew, class R, class Write>
EIGEN_G_HOST_DEVICE void form_vector(const Crew& crew, const Shape<R>& shape, const Arrays<R>& x, Index j,
                                     bool end_rows, Write&& write) {
  const R base = x.base[j], tau = x.tau[j];
  const auto entry = [&](Index g) { return quotient(x.group_weight[g], (x.group_pole[g] - base) - tau); };
  R inverse_norm = 0;
  if (end_rows) {
    inverse_norm = form_end_rows(crew, shape, x, j);
  } else {
    R squares = 0;
    for (Index g = crew.rank(); g < shape.k; g += crew.size()) {
      const R t = entry(g);
      squares += t * t;
    }
    inverse_norm = 1 / sqrt(crew.sum(squares));
  }
  for (Index g = crew.rank(); g < shape.k; g += crew.size()) write(g, entry(g) * inverse_norm);
}

}  // namespace eigen_g::dc
