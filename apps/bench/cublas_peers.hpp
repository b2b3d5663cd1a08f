// cuBLAS's symmetric and general matrix-vector products by one name for all types, y := A x, with the 64-bit
// interface where this cuBLAS has it. CUDA builds only.
#pragma once

#include <complex>
#include <cstdint>

#include "hybrid/stream/queue.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::apps::bench {

// T is float, double (symv), std::complex<float>, std::complex<double> (hemv). Queued; device pointers.
template <class T>
void cublas_symv(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const T* x,
                 T* y);

// The whole square, not transposed.
template <class T>
void cublas_gemv(const Queue& queue, std::int64_t n, const T* a, std::int64_t lda, const T* x, T* y);

void allow_atomics(const Queue& queue, bool allowed);  // for the calls that are queued from now on

}  // namespace eigen_g::apps::bench
