// The instruments that SYMV is measured with on a GPU: random operands, and A x in double-double by a kernel
// that shares nothing with the ones it judges. For tests, the tuner and the benchmark. CUDA builds only.
#pragma once

#include <cstdint>

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::blas2 {

// data[0] ... data[count - 1], device memory: real and imaginary parts uniform in (-1, 1); a DoubleDouble
// gets random low bits. Element k depends on `seed` and k alone. Queued. T as symv's.
template <class T>
void fill_random(const Queue& queue, T* data, std::int64_t count, std::uint64_t seed);

// t = A x and s = |A| |x|, row by row, one triangle of A read (not the imaginary part of a Hermitian
// diagonal).
//   a   n x n, lda >= max(1, n), device, in
//   x   n elements, device, in; both may go once the queue has been waited for
// Cost: 3 n doubles kept (complex: 5 n); about ten times a product's time.
template <class T>
class SymvTruth {
 public:
  SymvTruth(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const T* x);

  //   max_i |y_i - t_i| / (u sqrt(n + 2) s_i),   u = 2^-24, 2^-53 (complex: 2 sqrt(2) of it) or 2^-104 for W
  //
  // A sum of n random terms in any sensible order stays well below 1; one term too many or too few in row i
  // is about 1 / (u n^1.5). Infinite where y holds a NaN. Blocks. y: n elements, device, in.
  // Source: the norm bound of BLAS++'s check_gemm, taken by rows.
  double error(const Queue& queue, const T* y) const;

 private:
  std::int64_t n_;
  DeviceBuffer<double> t_;  // per row: hi, lo of the real part, then of the imaginary one
  DeviceBuffer<double> s_;
};

}  // namespace eigen_g::blas2
