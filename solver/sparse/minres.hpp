// A x = b of a symmetric A, definite or not, by MINRES.
//
// Arguments as of bicgstab(). One product, two dots an iteration; eight vectors. |r| falls from step to step. breakdown: the Krylov
// space ended before the tolerance (A is singular and b outside of its range). Source: Paige, Saunders 1975.
#pragma once

#include "solver/sparse/krylov_space.hpp"

namespace eigen_g {

KrylovResult minres(KrylovSpace& space, const double* b, double* x, const KrylovRule& rule = {});

}  // namespace eigen_g
