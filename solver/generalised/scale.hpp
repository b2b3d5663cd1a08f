// scale_of(): the powers of two by which a generalised solve scales A and B.
#pragma once

#include <cmath>

#include "solver/api/generalised.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

template <class R>
struct PencilFacts {
  R largest_a = 0, largest_b = 0;  // max |a_ij| and max |b_ij|; with CholeskyFactor::reuse max |l_ij|
  R smallest_diagonal_of_b = 0;    // min |b_ii|
};

// Exponents of a generalised solve. The solve computes 2^a W instead of W. It scales B to 2^b B, whose entries are near 1; b is even.
// A stage that uses the scaled B or its factor removes the scaling from L before it ends. Between stages L is therefore the factor of
// the unscaled B, and the vectors need no scaling.
struct PencilScale {
  int a = 0, b = 0;
};

// Returns the exponents of a solve. The largest entry of 2^b B is near 1. For itype 1 the largest entry of 2^a A is near the largest entry
// l of L, and for itype 2 and 3 it is near 1 / l. The entries of L^-1 (2^a A) for itype 1, and of (2^a A) L for itype 2 and 3, are then
// near 1. b is 0 if B needs no scaling, and both exponents are 0 if neither matrix needs any.
template <class R>
PencilScale scale_of(const GeneralisedProblem& problem, const PencilFacts<R>& facts) {
  const R largest_a = facts.largest_a, largest_b = facts.largest_b;
  const bool reuse = problem.factor == CholeskyFactor::reuse;
  const PencilScale alone{scale_exponent(largest_a), scale_exponent(largest_b)};
  if ((alone.a == 0 && alone.b == 0) || largest_b == 0) return {};
  const int of_b = reuse ? 2 * std::ilogb(largest_b) : std::ilogb(largest_b) / 2 * 2;
  const int of_l = problem.itype == 1 ? of_b / 2 : -of_b / 2;
  return {largest_a == 0 ? 0 : of_l - std::ilogb(largest_a), alone.b == 0 ? 0 : -of_b};
}

}  // namespace eigen_g
