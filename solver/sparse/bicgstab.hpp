// A x = b by Bi-CGSTAB without a preconditioner, as paper 3 has it.
//
//   x  n elements of the space's memory, in: the first guess, out
//   b  n elements, in
// Two products, four dots an iteration; seven vectors of the space's memory. breakdown: a denominator vanished (x is the best
// there is). Repeats bit for bit where the product does. Source: van der Vorst 1992.
#pragma once

#include "solver/sparse/krylov_space.hpp"

namespace eigen_g {

KrylovResult bicgstab(KrylovSpace& space, const double* b, double* x, const KrylovRule& rule = {});

}  // namespace eigen_g
