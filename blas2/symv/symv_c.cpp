#include "blas2/symv/symv_c.h"

#include <cstring>
#include <new>

#include "blas2/symv/symv.hpp"
#include "hybrid/c_info.hpp"

struct eigen_g_symv_handle {
  eigen_g::blas2::SymvWorkspace workspace;
};

namespace {

template <class T, class C>
T value_of(const C& c) {
  static_assert(sizeof(T) == sizeof(C));
  T value;
  std::memcpy(static_cast<void*>(&value), &c, sizeof value);
  return value;
}

// T has the memory layout of the C type C.
template <class T, class C>
std::int64_t product(eigen_g_symv_handle* handle, CUstream_st* stream, char uplo, std::int64_t n,
                     const C& alpha, const C* a, std::int64_t lda, const C* x, std::int64_t incx,
                     const C& beta, C* y, std::int64_t incy) {
  return eigen_g::c_info::of(
      {"workspace", "stream", "uplo", "n", "alpha", "a", "lda", "x", "incx", "beta", "y", "incy"}, [&] {
        // "workspace" stands for the handle.
        if (!handle) throw eigen_g::InvalidArgument("workspace", "is null");
        eigen_g::blas2::symv<T>(stream, eigen_g::c_info::uplo_of(uplo), n, value_of<T>(alpha),
                                reinterpret_cast<const T*>(a), lda, reinterpret_cast<const T*>(x), incx,
                                value_of<T>(beta), reinterpret_cast<T*>(y), incy, handle->workspace);
        return std::int64_t{0};
      });
}

}  // namespace

extern "C" {

std::int64_t eigen_g_symv_create(eigen_g_symv_handle** handle) {
  if (!handle) return -1;
  *handle = new (std::nothrow) eigen_g_symv_handle;
  if (*handle) return 0;
  return eigen_g::c_info::host_memory;
}

void eigen_g_symv_destroy(eigen_g_symv_handle* handle) {
  delete handle;
}

std::int64_t eigen_g_ssymv(eigen_g_symv_handle* handle, CUstream_st* stream, char uplo, std::int64_t n,
                           float alpha, const float* a, std::int64_t lda, const float* x, std::int64_t incx,
                           float beta, float* y, std::int64_t incy) {
  return product<float>(handle, stream, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
}

std::int64_t eigen_g_dsymv(eigen_g_symv_handle* handle, CUstream_st* stream, char uplo, std::int64_t n,
                           double alpha, const double* a, std::int64_t lda, const double* x,
                           std::int64_t incx, double beta, double* y, std::int64_t incy) {
  return product<double>(handle, stream, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
}

std::int64_t eigen_g_chemv(eigen_g_symv_handle* handle, CUstream_st* stream, char uplo, std::int64_t n,
                           eigen_g_complex alpha, const eigen_g_complex* a, std::int64_t lda,
                           const eigen_g_complex* x, std::int64_t incx, eigen_g_complex beta,
                           eigen_g_complex* y, std::int64_t incy) {
  return product<std::complex<float>>(handle, stream, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
}

std::int64_t eigen_g_zhemv(eigen_g_symv_handle* handle, CUstream_st* stream, char uplo, std::int64_t n,
                           eigen_g_double_complex alpha, const eigen_g_double_complex* a, std::int64_t lda,
                           const eigen_g_double_complex* x, std::int64_t incx, eigen_g_double_complex beta,
                           eigen_g_double_complex* y, std::int64_t incy) {
  return product<std::complex<double>>(handle, stream, uplo, n, alpha, a, lda, x, incx, beta, y, incy);
}

std::int64_t eigen_g_wsymv(eigen_g_symv_handle* handle, CUstream_st* stream, char uplo, std::int64_t n,
                           eigen_g_double_double alpha, const eigen_g_double_double* a, std::int64_t lda,
                           const eigen_g_double_double* x, std::int64_t incx, eigen_g_double_double beta,
                           eigen_g_double_double* y, std::int64_t incy) {
  return product<eigen_g::blas2::DoubleDouble>(handle, stream, uplo, n, alpha, a, lda, x, incx, beta, y,
                                               incy);
}

}  // extern "C"
