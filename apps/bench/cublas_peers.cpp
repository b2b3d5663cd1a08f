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

// T as cuBLAS calls it, and its routines.
template <class T>
struct Routines;
template <>
struct Routines<float> {
  using Cuda = float;
  static constexpr auto symv = cublasSsymv;
  static constexpr auto symv_64 = EIGEN_G_CUBLAS_64(cublasSsymv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasSgemv);
};
template <>
struct Routines<double> {
  using Cuda = double;
  static constexpr auto symv = cublasDsymv;
  static constexpr auto symv_64 = EIGEN_G_CUBLAS_64(cublasDsymv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasDgemv);
};
template <>
struct Routines<std::complex<float>> {
  using Cuda = cuComplex;
  static constexpr auto symv = cublasChemv;
  static constexpr auto symv_64 = EIGEN_G_CUBLAS_64(cublasChemv);
  static constexpr auto gemv = EIGEN_G_CUBLAS_64(cublasCgemv);
};
template <>
struct Routines<std::complex<double>> {
  using Cuda = cuDoubleComplex;
  static constexpr auto symv = cublasZhemv;
  static constexpr auto symv_64 = EIGEN_G_CUBLAS_64(cublasZhemv);
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
void cublas_symv(const Queue& queue, Interface interface, Uplo uplo, std::int64_t n, const T* a,
                 std::int64_t lda, const T* x, T* y) {
  const T one{1}, zero{0};
  const auto fill = uplo == Uplo::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  const auto call = [&](auto routine, auto size, auto stride) {
    EIGEN_G_CUBLAS(
        routine(queue.blas(), fill, size, cuda(&one), cuda(a), stride, cuda(x), 1, cuda(&zero), cuda(y), 1));
  };
  if (interface == Interface::bits_64)
    call(Routines<T>::symv_64, n, lda);
  else
    call(Routines<T>::symv, static_cast<int>(n), static_cast<int>(lda));
}

template <class T>
void cublas_gemv(const Queue& queue, std::int64_t n, const T* a, std::int64_t lda, const T* x, T* y) {
  const T one{1}, zero{0};
  EIGEN_G_CUBLAS(Routines<T>::gemv(queue.blas(), CUBLAS_OP_N, n, n, cuda(&one), cuda(a), lda, cuda(x), 1,
                                   cuda(&zero), cuda(y), 1));
}

void allow_atomics(const Queue& queue, bool allowed) {
  EIGEN_G_CUBLAS(
      cublasSetAtomicsMode(queue.blas(), allowed ? CUBLAS_ATOMICS_ALLOWED : CUBLAS_ATOMICS_NOT_ALLOWED));
}

#define EIGEN_G_INSTANTIATE(T)                                                                      \
  template void cublas_symv<T>(const Queue&, Interface, Uplo, std::int64_t, const T*, std::int64_t, \
                               const T*, T*);                                                       \
  template void cublas_gemv<T>(const Queue&, std::int64_t, const T*, std::int64_t, const T*, T*)
EIGEN_G_INSTANTIATE(float);
EIGEN_G_INSTANTIATE(double);
EIGEN_G_INSTANTIATE(std::complex<float>);
EIGEN_G_INSTANTIATE(std::complex<double>);
#undef EIGEN_G_INSTANTIATE

}  // namespace eigen_g::apps::bench

#endif
