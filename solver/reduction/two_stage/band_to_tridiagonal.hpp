// A = Q2 T Q2^H for a symmetric or Hermitian band matrix A, T real, by the chase of bulges; Q2 as reflectors (chase_tiles.hpp).
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

// CPU, the same reflectors but for rounding.
//   band   (b + 1) x n, host, in: as below     d, e  n and n - 1, host, out     out  host, packed; or null
//   scratch   band_to_tridiagonal_bytes_on_cpu<T>(n, b)
// Cost: 6 n^2 b flops, one thread.
template <class T>
void band_to_tridiagonal(std::int64_t b, MatrixView<const T> band, real_t<T>* d, real_t<T>* e,
                         const ChaseReflectors<T>& out, Arena scratch);
template <class T>
std::uint64_t band_to_tridiagonal_bytes_on_cpu(std::int64_t n, std::int64_t b);

// GPU, CUDA builds only. Bytes that band_to_tridiagonal() takes of its workspace: at most 2 n (b + 32) elements.
template <class T>
std::uint64_t band_to_tridiagonal_bytes(std::int64_t n, std::int64_t b, int multiprocessors);

//   band_dev    (b + 1) x n, lda >= b + 1: element (i - j, j) is A(i, j) for 0 <= i - j <= b, i < n; others are not read
//   b           one of chase_bandwidths; for complex T 32
//   d_dev, e_dev  n and n - 1 elements, out: the diagonals of T
//   out         the reflectors, or null: the same T without them
//   multiprocessors  that take part; 0: the queue's
// All in device memory, ordered on `queue`, which is not waited for. Its blocks wait for each other: the launch is cooperative.
// Entries within 2^-100 ... 2^100 (float: 2^-8 ... 2^8), as the driver scales them: squares are formed.
// Throws DeviceError. T and Q2 repeat bit for bit, on any number of multiprocessors, with and without reflectors.
// Cost: 6 n^2 b flops in n (1 + 1 / b) dependent steps. H200, ms at n = 4000, 10000, 20000: b = 32 7.3, 21, 59; b = 64 11, 34,
// 94. Source: Murata and Horikoshi 1975; Haidar, Ltaief and Dongarra 2011; LAPACK dsbtrd is its truth.
template <class T>
void band_to_tridiagonal(const Queue& queue, std::int64_t b, MatrixView<const T> band_dev, real_t<T>* d_dev,
                         real_t<T>* e_dev, const ChaseReflectors<T>& out, Arena workspace,
                         int multiprocessors = 0);

}  // namespace eigen_g
