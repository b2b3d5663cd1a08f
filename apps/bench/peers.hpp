// The routines of cuBLAS and cuSOLVER beside which ours are timed. Queued, on device pointers. CUDA builds only.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::apps::bench {

// cuBLAS's routines for float, double and their complex types: symv or hemv, gemv.
inline constexpr std::tuple symv_routines{&cublasSsymv_64, &cublasDsymv_64, &cublasChemv_64, &cublasZhemv_64};
inline constexpr std::tuple gemv_routines{&cublasSgemv_64, &cublasDgemv_64, &cublasCgemv_64, &cublasZgemv_64};
using CublasTypes = std::tuple<float, double, cuComplex, cuDoubleComplex>;
template <class T>
inline constexpr std::size_t place_of = std::is_same_v<T, double>     ? 1
                                        : std::is_floating_point_v<T> ? 0
                                                                      : sizeof(T) / 8 + 1;
template <class T>
auto* cublas(const T* p) {
  using Type = std::tuple_element_t<place_of<T>, CublasTypes>;
  return reinterpret_cast<Type*>(const_cast<T*>(p));
}

// y := A x of a triangle, and of the whole square.
template <class T>
void cublas_symv(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const T* x,
                 T* y) {
  const T one{1}, zero{0};
  const auto fill = uplo == Uplo::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  EIGEN_G_CUBLAS(std::get<place_of<T>>(symv_routines)(queue.blas(), fill, n, cublas(&one), cublas(a), lda,
                                                      cublas(x), 1, cublas(&zero), cublas(y), 1));
}
template <class T>
void cublas_gemv(const Queue& queue, std::int64_t n, const T* a, std::int64_t lda, const T* x, T* y) {
  const T one{1}, zero{0};
  EIGEN_G_CUBLAS(std::get<place_of<T>>(gemv_routines)(queue.blas(), CUBLAS_OP_N, n, n, cublas(&one),
                                                      cublas(a), lda, cublas(x), 1, cublas(&zero), cublas(y),
                                                      1));
}

// cuSOLVER's tridiagonalization and eigensolver of lower triangles with their workspace, in either of its modes.
class Cusolver {
 public:
  static std::unique_ptr<Cusolver> open(const Queue& queue);  // null in a build without cuSOLVER
  static int version();                                       // 12004 is 12.0.4; 0 without it
  virtual ~Cusolver() = default;

  // Deterministic (cuSOLVER's default) or not, for the calls that follow. Throws DeviceError where it has no such choice.
  virtual void choose(bool deterministic) = 0;
  virtual void reserve(std::uint64_t device_bytes) = 0;  // for the calls below; throws OutOfMemory
  virtual void release() = 0;

  // cusolverDnDsytrd, and cusolverDnXsyevd (the one for 64-bit sizes), in place, and the device bytes that they need. They may
  // block.
  virtual std::uint64_t sytrd_bytes(std::int64_t n, double* a, std::int64_t lda) = 0;
  virtual void sytrd(std::int64_t n, double* a, std::int64_t lda, double* d, double* e, double* tau) = 0;
  virtual std::uint64_t syevd_bytes(bool vectors, std::int64_t n, double* a, std::int64_t lda, double* w) = 0;
  virtual void syevd(bool vectors, std::int64_t n, double* a, std::int64_t lda, double* w) = 0;
};

}  // namespace eigen_g::apps::bench
