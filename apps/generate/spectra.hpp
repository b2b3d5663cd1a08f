// The spectra of the kinds at scale 1. Callers pass valid arguments; matrices.cpp checks them.
#pragma once

#include <vector>

#include "apps/generate/matrices.hpp"

namespace eigen_g::generate {

// The values d of a prescribed spectrum, in the order of the diagonal before the rotation (LAPACK dlatm1):
//   arithmetic  1 - (i / (n - 1)) (1 - 1 / cond)
//   geometric   cond^(-i / (n - 1))
//   clustered   1, 1/cond, 1/cond, ...
//   values      spec.values
// With spec.random_signs each value has a random sign (not for `values`).
std::vector<double> prescribed_spectrum(const Spec& spec);

// Closed forms, in no order.
std::vector<double> minij_spectrum(std::int64_t n);        // 1 / (4 sin^2((2k - 1) pi / (4n + 2)))
std::vector<double> one_two_one_spectrum(std::int64_t n);  // 4 sin^2(k pi / (2(n + 1)))
std::vector<double> clement_spectrum(std::int64_t n);      // -(n - 1), -(n - 3), ..., n - 1
std::vector<double> poisson2d_spectrum(std::int64_t n);    // sums of two values of 1-2-1 of order sqrt(n)
std::vector<double> stencil19_spectrum(std::int64_t m);    // blas2/spmv/stencil.hpp with m points a side
std::vector<double> ring_spectrum(std::int64_t n, double alpha,
                                  double beta);               // alpha + 2 beta cos(2 pi k / n)
std::vector<double> c60_spectrum(double alpha, double beta);  // alpha + beta lambda(adjacency)

// (1 - rho^2) / (1 - 2 rho cos t_k + rho^2), t_k the root in ((k - 1) pi / (n + 1), k pi / (n + 1)) of
//   (n + 1) t + 2 arg(1 - rho exp(-i t)) = k pi.
// This is sin((n + 1) t) - 2 rho sin(n t) + rho^2 sin((n - 1) t) = 0 in terms of its phase. The phase increases with t, so bisection
// finds the root.
std::vector<double> kms_spectrum(std::int64_t n, double rho);

}  // namespace eigen_g::generate
