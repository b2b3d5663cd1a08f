// tridiagonal_values(): the eigenvalues of a symmetric tridiagonal T on the CPU, without vectors.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"

namespace eigen_g {

// The QL method without square roots on the squares of e, in the order of LAPACK's dsterf, so that ordinary matrices have
// dsterf's eigenvalues bit by bit. A sweep divides one square by another one. If a square or a cosine is too small to keep all of its digits, dsterf
// returns wrong eigenvalues. Here dsteqr, which forms no squares, then solves T instead. T is scaled by a power of two first, so that few
// matrices need dsteqr.
//   d     n values, in; out: the eigenvalues, ascending
//   e     n - 1 values, in, destroyed
//   copy  2 n values of memory
// Returns dsteqr's info: positive if it did not converge. Cost: O(n^2) flops.
// Sources: Pal, Walker and Kahan (Parlett, The Symmetric Eigenvalue Problem, 8.15); LAPACK dsterf, dsteqr.
template <class R>
std::int64_t tridiagonal_values(std::int64_t n, R* d, same_t<R>* e, same_t<R>* copy);

}  // namespace eigen_g
