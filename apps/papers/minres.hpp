// MINRES: solves A x = b for a symmetric A, definite or indefinite.
//
//   x   n elements of the space's memory; in: the first guess, out: the solution
//   b   n elements, in
//
// |r| does not grow from step to step. KrylovEnd::breakdown: the Krylov space ended before the tolerance was reached, because A is
// singular and b is outside its range.
// Cost of an iteration: one product, two dots. Memory: six vectors of the space, in addition to x and b.
// Source: Paige, Saunders 1975.
#pragma once

#include "apps/papers/krylov_space.hpp"

namespace eigen_g::papers {

KrylovResult minres(KrylovSpace& space, const double* b, double* x, const KrylovRule& rule = {});

}  // namespace eigen_g::papers
