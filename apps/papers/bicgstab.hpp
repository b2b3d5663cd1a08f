// Bi-CGSTAB without a preconditioner, as in paper 3: solves A x = b.
//
//   x   n elements of the space's memory; in: the first guess, out: the solution
//   b   n elements, in
//
// KrylovEnd::breakdown: a denominator vanished; x is the last iterate. Results repeat bit for bit if the product does.
// Cost of an iteration: two products, four dots. Memory: five vectors of the space, in addition to x and b.
// Source: van der Vorst 1992.
#pragma once

#include "apps/papers/krylov_space.hpp"

namespace eigen_g::papers {

KrylovResult bicgstab(KrylovSpace& space, const double* b, double* x, const KrylovRule& rule = {});

}  // namespace eigen_g::papers
