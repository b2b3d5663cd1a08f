// Hermitian test matrices by name: A = scale K(n; parameters).
//
//   flux-ring      a ring of n sites that encloses a flux: alpha on the diagonal, beta exp(i flux / n) from each site to the next
//   hermitian-kms  rho^|i - j| exp(i flux (i - j)): a Toeplitz matrix with the spectrum of kms
//   hofstadter     an m x m torus, n = m^2, a third of a flux quantum through each cell: alpha on the diagonal, beta along x,
//                  beta exp(2 pi i x / 3) along y
//
// The kinds of matrices.hpp exist as complex matrices too. random and uniform have random real and imaginary parts. Prescribed spectra
// are Q diag(d) Q^H with a random unitary Q, the product of n - 1 reflectors of complex normal vectors. All others keep their entries.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/generate/matrices.hpp"

namespace eigen_g::generate {

std::span<const Kind>
hermitian_kinds();  // these three; find_kind() and exact() of matrices.hpp accept them too

// Writes both triangles, with a real diagonal.
//   a  n x n, leading dimension lda >= max(1, n), host memory, out
// Throws what fill() of real matrices throws. Cost: four times the flops; n^2 doubles of workspace more for the kinds of matrices.hpp.
void fill(const Spec& spec, std::complex<double>* a, std::int64_t lda);

// The spectrum at scale 1, in no order, of one of hermitian_kinds(). hermitian-kms has the spectrum of kms; the others are
//   flux-ring      alpha + 2 beta cos((2 pi k + flux) / n)
//   hofstadter     alpha + beta e, e the roots of e^3 - 6 e = 2 cos(6 pi r / m) + 2 cos(6 pi l / m), 0 <= r < m / 3, 0 <= l < m
// Source: D. R. Hofstadter, Phys. Rev. B 14, 2239 (1976), Harper's equation at flux 1/3.
std::vector<double> hermitian_spectrum(const Spec& spec);

// True if the kind has a matrix of order n.
bool allowed_order(const Kind& hermitian, std::int64_t n);

}  // namespace eigen_g::generate
