// Constructs a symmetric or Hermitian matrix with a given spectrum:
//
//   A = Q diag(d) Q^H,   Q = H_1 H_2 ... H_{n-1},
//
// where the reflector H_k maps a normal vector of n - k + 1 entries onto the first axis of its space. Q then has the Haar distribution
// up to the signs of its columns, which cancel in A (Stewart 1980).
#pragma once

#include <cstdint>
#include <span>

#include "apps/generate/random.hpp"

namespace eigen_g::generate {

//   d  n values
//   a  n x n, lda >= max(1, n), host memory, out; exactly symmetric or Hermitian
// T is double or std::complex<double>. For complex T both parts of the vectors are normal.
// Throws OutOfMemory, and DeviceError if LAPACK fails. Cost: 4 n^3 flops in BLAS 3 (LAPACK dormqr, zunmqr), n^2 workspace.
template <class T>
void rotate_diagonal(const CounterRandom& random, std::span<const double> d, T* a, std::int64_t lda);

// a := diag(d), both triangles.
template <class T>
void set_diagonal(std::span<const double> d, T* a, std::int64_t lda);

}  // namespace eigen_g::generate
