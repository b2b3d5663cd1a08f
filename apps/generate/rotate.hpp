// A symmetric or Hermitian matrix with a given spectrum:
//
//   A = Q diag(d) Q^H,   Q = H_1 H_2 ... H_{n-1},   H_k the reflector that maps a normal vector of n - k + 1
//   entries
//                                                   onto the first axis of its space.
//
// Q is then distributed by the Haar measure up to the signs of its columns, which cancel in A (Stewart 1980).
#pragma once

#include <cstdint>
#include <span>

#include "apps/generate/random.hpp"

namespace eigen_g::generate {

//   d  n values     a  n x n, lda >= max(1, n), host, out, exactly symmetric or Hermitian
// Throws OutOfMemory; DeviceError where LAPACK fails. Cost: 4 n^3 flops in BLAS 3 (LAPACK dormqr, zunmqr), n^2
// workspace. T is double or std::complex<double>, of which the vectors' parts are normal.
template <class T>
void rotate_diagonal(const CounterRandom& random, std::span<const double> d, T* a, std::int64_t lda);

// diag(d), both triangles.
template <class T>
void set_diagonal(std::span<const double> d, T* a, std::int64_t lda);

}  // namespace eigen_g::generate
