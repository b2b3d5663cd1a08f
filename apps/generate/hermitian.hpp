// Hermitian test matrices by name: A = scale K(n; parameters).
//
//   flux-ring      a ring of n sites that encloses a flux: alpha on the diagonal, beta exp(i flux / n) from each to the next
//   hermitian-kms  rho^|i - j| exp(i flux (i - j)): a Toeplitz matrix with the spectrum of kms
//   hofstadter     an m x m torus, n = m^2, a third of a flux quantum through each cell: alpha on the diagonal, beta times the phase
//                  exp(2 pi i x / 3) along y, beta along x
//
// and the kinds of matrices.hpp as complex matrices: random and uniform with both parts random, prescribed spectra as Q diag(d) Q^H
// with a random unitary Q (a product of n - 1 reflectors of complex normal vectors), the others as they are.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/generate/matrices.hpp"

namespace eigen_g::generate {

std::span<const Kind> hermitian_kinds();  // the three; find_kind() and exact() of matrices.hpp know them too

// Both triangles, the diagonal real.
//   a  n x n, leading dimension lda >= max(1, n), host memory, out
// Throws and costs as fill() of real matrices, four times the flops; of a real kind n^2 doubles of workspace more.
void fill(const Spec& spec, std::complex<double>* a, std::int64_t lda);

// Unordered, at scale 1, of one of hermitian_kinds():
//   flux-ring      alpha + 2 beta cos((2 pi k + flux) / n)
//   hofstadter     alpha + beta e, e the roots of e^3 - 6 e = 2 cos(6 pi r / m) + 2 cos(6 pi l / m), 0 <= r < m / 3, 0 <= l < m
// Source: D. R. Hofstadter, Phys. Rev. B 14, 2239 (1976), Harper's equation at flux 1/3.
std::vector<double> hermitian_spectrum(const Spec& spec);

// Whether n is an order of that kind.
bool allowed_order(const Kind& hermitian, std::int64_t n);

}  // namespace eigen_g::generate
