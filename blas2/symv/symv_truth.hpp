// Tools that check symv() on a GPU: random operands, and A x in double-double. The kernel for A x has no code in common with
// the kernels that it checks. Used by tests, the tuner and the benchmark. CUDA builds only.
#pragma once

#include <cstdint>

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::blas2 {

// Fills data[0] ... data[count - 1] in device memory. Real and imaginary parts are uniform in (-1, 1); a DoubleDouble also has
// random low bits. Element k depends only on `seed` and k. Queued, not waited for. T: the types of symv().
template <class T>
void fill_random(const Queue& queue, T* data, std::int64_t count, std::uint64_t seed);

// Computes t = A x and the row sums s = |A| |x|. Reads one triangle of A, without the imaginary part of a Hermitian diagonal.
//   a   n x n, lda >= max(1, n), device, in
//   x   n elements, device, in
// a and x may be freed after the queue has been waited for. Memory: 3 n doubles, complex 5 n. Cost: about ten times a product's
// time.
template <class T>
class SymvTruth {
 public:
  SymvTruth(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const T* x);

  // The error of a result y (n elements, device, in) relative to its expected rounding error:
  //
  //   max_i |y_i - t_i| / (u sqrt(n + 2) s_i),   u = 2^-24 (S), 2^-53 (D), 2 sqrt(2) times these (C, Z), 2^-104 (W)
  //
  // A sum of n random terms in any reasonable order gives a value well below 1. One term too many or too few in row i gives
  // about 1 / (u n^1.5). Infinite if y holds a NaN. Blocks. Source: the norm bound of BLAS++'s check_gemm, applied to each row.
  double error(const Queue& queue, const T* y) const;

 private:
  std::int64_t n_;
  DeviceBuffer<double> t_;  // for each row: hi, lo of the real part, then of the imaginary part
  DeviceBuffer<double> s_;
};

}  // namespace eigen_g::blas2
