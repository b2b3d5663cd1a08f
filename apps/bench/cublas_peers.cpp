#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/cublas_peers.hpp"

#include "hybrid/cuda_check.hpp"

#if CUBLAS_VER_MAJOR >= 12
#define EIGEN_G_CUBLAS_64(name) name##_64
#else
#define EIGEN_G_CUBLAS_64(name) name
#endif

namespace eigen_g::apps::bench {

namespace {

#if CUBLAS_VER_MAJOR >= 12
using Size = std::int64_t;
#else
using Size = int;
#endif

// T as cuBLAS calls it, and its routines.
template <class T>
struct Routines;
template <>
struct Routines<float> {
  using Cuda = float;
  static constexpr auto symv = EIGEN_G_CUBLAS_64(cublasSsymv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasSgemv);
};
template <>
struct Routines<double> {
  using Cuda = double;
  static constexpr auto symv = EIGEN_G_CUBLAS_64(cublasDsymv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasDgemv);
};
template <>
struct Routines<std::complex<float>> {
  using Cuda = cuComplex;
  static constexpr auto symv = EIGEN_G_CUBLAS_64(cublasChemv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasCgemv);
};
template <>
struct Routines<std::complex<double>> {
  using Cuda = cuDoubleComplex;
  static constexpr auto symv = EIGEN_G_CUBLAS_64(cublasZhemv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasZgemv);
};

template <class T>
auto* cuda(T* p) {
  return reinterpret_cast<typename Routines<T>::Cuda*>(p);
}
template <class T>
const auto* cuda(const T* p) {
  return reinterpret_cast<const typename Routines<T>::Cuda*>(p);
}

}  // namespace

template <class T>
void cublas_symv(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const T* x,
                 T* y) {
  const T one{1}, zero{0};
  const auto fill = uplo == Uplo::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  EIGEN_G_CUBLAS(Routines<T>::symv(queue.blas(), fill, static_cast<Size>(n), cuda(&one), cuda(a),
                                   static_cast<Size>(lda), cuda(x), 1, cuda(&zero), cuda(y), 1));
}

template <class T>
void cublas_gemv(const Queue& queue, std::int64_t n, const T* a, std::int64_t lda, const T* x, T* y) {
  const T one{1}, zero{0};
  EIGEN_G_CUBLAS(Routines<T>::gemv(queue.blas(), CUBLAS_OP_N, static_cast<Size>(n), static_cast<Size>(n),
                                   cuda(&one), cuda(a), static_cast<Size>(lda), cuda(x), 1, cuda(&zero),
                                   cuda(y), 1));
}

void allow_atomics(const Queue& queue, bool allowed) {
  EIGEN_G_CUBLAS(
      cublasSetAtomicsMode(queue.blas(), allowed ? CUBLAS_ATOMICS_ALLOWED : CUBLAS_ATOMICS_NOT_ALLOWED));
}

#define EIGEN_G_INSTANTIATE(T)                                                                          \
  template void cublas_symv<T>(const Queue&, Uplo, std::int64_t, const T*, std::int64_t, const T*, T*); \
  template void cublas_gemv<T>(const Queue&, std::int64_t, const T*, std::int64_t, const T*, T*)
EIGEN_G_INSTANTIATE(float);
EIGEN_G_INSTANTIATE(double);
EIGEN_G_INSTANTIATE(std::complex<float>);
EIGEN_G_INSTANTIATE(std::complex<double>);
#undef EIGEN_G_INSTANTIATE

}  // namespace eigen_g::apps::bench

#endif
