// band_to_tridiagonal(), A = Q2 T Q2^H: bulge chase of a symmetric or Hermitian band matrix A to tridiagonal form. T is real, and Q2 is
// a product of reflectors (chase_tiles.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

class Queue;

// CPU, by threads. Arguments as below, except:
//   b        one of chase_bandwidths, for every T
//   band     (b + 1) x n, host, in
//   d, e     n and n - 1 values, host, out
//   out      host memory, packed or with a stride of any kind; or null
//   scratch  band_to_tridiagonal_bytes_on_cpu<T>(n, b) bytes of host memory
//   progress called by the calling thread with the fraction of the work that is done. Its exceptions pass through; d, e and the reflectors are
//            then unspecified
// Takes up to team_threads(n) threads. The results do not depend on their number. They have other bits for each vector width
// (hybrid/vector/width.hpp). They agree with the GPU's up to rounding.
// Cost: 6 n^2 b flops (complex: 24 n^2 b). The copy of the band, about 2 n (b + 12) elements, is read and written once for each group of up to four sweeps.
template <class T>
void band_to_tridiagonal_on_cpu(std::int64_t b, MatrixView<const T> band, real_t<T>* d, real_t<T>* e,
                                const ChaseReflectors<T>& out, Arena scratch,
                                const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t band_to_tridiagonal_bytes_on_cpu(std::int64_t n, std::int64_t b);

// GPU, CUDA builds only. Bytes of workspace that band_to_tridiagonal() needs: at most 2 n (b + 32) elements.
template <class T>
std::uint64_t band_to_tridiagonal_bytes(std::int64_t n, std::int64_t b, int multiprocessors);

// GPU. Everything is in device memory.
//   b            one of chase_bandwidths; for complex T it is 32
//   band_dev     (b + 1) x n, lda >= b + 1, in: element (i - j, j) is A(i, j) for 0 <= i - j <= b, i < n; other elements are not read.
//                The nonzero entries are within 2^-100 ... 2^100 (float: 2^-8 ... 2^8), as the driver scales them, because squares of
//                them are formed
//   d_dev, e_dev n and n - 1 values, out: the diagonals of T
//   out          the reflectors, out; null: they are not stored, and T is the same
//   workspace    band_to_tridiagonal_bytes<T>(n, b, multiprocessors) bytes
//   multiprocessors  number that takes part; 0: the queue's
//   reached      if it is not empty: called with a number of sweeps when all work on the first sweeps is queued, up to the number of all
// Ordered on `queue`; does not block the host. Thread blocks wait for each other, so the launch is cooperative.
// Throws DeviceError; InvalidArgument for another b.
// T and Q2 have the same bits in every run, on any number of multiprocessors, with and without reflectors.
// Cost: 6 n^2 b flops in n (1 + 1 / b) dependent steps. Times: data/perf/DECISIONS.md, "Chase".
// Source: Murata and Horikoshi 1975; Haidar, Ltaief and Dongarra 2011. The tests compare with LAPACK dsbtrd.
template <class T>
void band_to_tridiagonal(const Queue& queue, std::int64_t b, MatrixView<const T> band_dev, real_t<T>* d_dev,
                         real_t<T>* e_dev, const ChaseReflectors<T>& out, Arena workspace,
                         int multiprocessors = 0,
                         const std::function<void(std::int64_t sweeps)>& reached = {});

}  // namespace eigen_g
