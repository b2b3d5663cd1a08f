#include "hybrid/c_info.hpp"
#include "solver/api/batched.h"
#include "solver/api/batched.hpp"
#include "solver/c/c_arguments.hpp"

namespace {

using namespace eigen_g;
using c_arguments::of_c;
using c_arguments::options_of;

template <class T>
std::int64_t syevd_batched(char jobz, char uplo, std::int64_t n, T* a, std::int64_t lda,
                           std::int64_t stride_a, real_t<T>* w, std::int64_t stride_w, std::int32_t* status,
                           std::int64_t count) {
  return c_info::of({"job", "uplo", "n", "a", "lda", "strides.a", "w", "strides.w", "status", "count"}, [&] {
    const Options options = options_of(jobz, uplo);
    const BatchStrides strides{stride_a, stride_w, stride_a};
    return eigen_g_batched(n, count, a, lda, w, options.vectors ? a : nullptr, lda, status, strides, options)
        .failed;
  });
}

template <class T>
std::int64_t syevd_batched_device(char jobz, char uplo, std::int64_t n, T* a, std::int64_t lda,
                                  std::int64_t stride_a, real_t<T>* w, std::int64_t stride_w, T* z,
                                  std::int64_t ldz, std::int64_t stride_z, std::int32_t* status,
                                  std::int64_t count, CUstream_st* stream) {
  return c_info::of({"job", "uplo", "n", "a", "lda", "strides.a", "w", "strides.w", "z", "ldz", "strides.z",
                     "status", "count", "stream"},
                    [&] {
                      return eigen_g_batched(n, count, device(a), lda, device(w), device(z), ldz,
                                             device(status), stream, {stride_a, stride_w, stride_z},
                                             options_of(jobz, uplo))
                          .failed;
                    });
}

template <class T>
std::int64_t sygvd_batched(char jobz, char uplo, std::int64_t n, T* a, std::int64_t lda,
                           std::int64_t stride_a, const T* b, std::int64_t ldb, std::int64_t stride_b,
                           real_t<T>* w, std::int64_t stride_w, std::int32_t* status, std::int64_t count) {
  return c_info::of({"job", "uplo", "n", "a", "lda", "strides.a", "b", "ldb", "strides.b", "w", "strides.w",
                     "status", "count"},
                    [&] {
                      const Options options = options_of(jobz, uplo);
                      return eigen_g::sygvd_batched(n, count, a, lda, b, ldb, w,
                                                    options.vectors ? a : nullptr, lda, status,
                                                    {stride_a, stride_w, stride_a, stride_b}, options)
                          .failed;
                    });
}

template <class T>
std::int64_t sygvd_batched_device(char jobz, char uplo, std::int64_t n, T* a, std::int64_t lda,
                                  std::int64_t stride_a, T* b, std::int64_t ldb, std::int64_t stride_b,
                                  real_t<T>* w, std::int64_t stride_w, T* z, std::int64_t ldz,
                                  std::int64_t stride_z, std::int32_t* status, std::int64_t count,
                                  CUstream_st* stream) {
  return c_info::of({"job", "uplo", "n", "a", "lda", "strides.a", "b", "ldb", "strides.b", "w", "strides.w",
                     "z", "ldz", "strides.z", "status", "count", "stream"},
                    [&] {
                      return eigen_g::sygvd_batched(n, count, device(a), lda, device(b), ldb, device(w),
                                                    device(z), ldz, device(status), stream,
                                                    {stride_a, stride_w, stride_z, stride_b},
                                                    options_of(jobz, uplo))
                          .failed;
                    });
}

}  // namespace

// The entries of one type: C is the entries' type in C, R the values'.
#define EIGEN_G_SYEVD_BATCHED(name, C, R)                                                                   \
  std::int64_t eigen_g_##name##evd_batched(char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda,    \
                                           std::int64_t stride_a, R* w, std::int64_t stride_w,              \
                                           std::int32_t* status, std::int64_t count) {                      \
    return syevd_batched(jobz, uplo, n, of_c(a), lda, stride_a, w, stride_w, status, count);                \
  }                                                                                                         \
  std::int64_t eigen_g_##name##evd_batched_device(                                                          \
      char jobz, char uplo, std::int64_t n, const C* a_dev, std::int64_t lda, std::int64_t stride_a,        \
      R* w_dev, std::int64_t stride_w, C* z_dev, std::int64_t ldz, std::int64_t stride_z,                   \
      std::int32_t* status_dev, std::int64_t count, CUstream_st* stream) {                                  \
    return syevd_batched_device(jobz, uplo, n, of_c(const_cast<C*>(a_dev)), lda, stride_a, w_dev, stride_w, \
                                of_c(z_dev), ldz, stride_z, status_dev, count, stream);                     \
  }
#define EIGEN_G_SYGVD_BATCHED(name, C, R)                                                                  \
  std::int64_t eigen_g_##name##gvd_batched(char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda,   \
                                           std::int64_t stride_a, const C* b, std::int64_t ldb,            \
                                           std::int64_t stride_b, R* w, std::int64_t stride_w,             \
                                           std::int32_t* status, std::int64_t count) {                     \
    return sygvd_batched(jobz, uplo, n, of_c(a), lda, stride_a, of_c(const_cast<C*>(b)), ldb, stride_b, w, \
                         stride_w, status, count);                                                         \
  }                                                                                                        \
  std::int64_t eigen_g_##name##gvd_batched_device(                                                         \
      char jobz, char uplo, std::int64_t n, const C* a_dev, std::int64_t lda, std::int64_t stride_a,       \
      const C* b_dev, std::int64_t ldb, std::int64_t stride_b, R* w_dev, std::int64_t stride_w, C* z_dev,  \
      std::int64_t ldz, std::int64_t stride_z, std::int32_t* status_dev, std::int64_t count,               \
      CUstream_st* stream) {                                                                               \
    return sygvd_batched_device(jobz, uplo, n, of_c(const_cast<C*>(a_dev)), lda, stride_a,                 \
                                of_c(const_cast<C*>(b_dev)), ldb, stride_b, w_dev, stride_w, of_c(z_dev),  \
                                ldz, stride_z, status_dev, count, stream);                                 \
  }

extern "C" {

EIGEN_G_SYEVD_BATCHED(dsy, double, double)
EIGEN_G_SYEVD_BATCHED(ssy, float, float)
EIGEN_G_SYEVD_BATCHED(zhe, eigen_g_double_complex, double)
EIGEN_G_SYEVD_BATCHED(che, eigen_g_complex, float)
EIGEN_G_SYGVD_BATCHED(dsy, double, double)
EIGEN_G_SYGVD_BATCHED(ssy, float, float)
EIGEN_G_SYGVD_BATCHED(zhe, eigen_g_double_complex, double)
EIGEN_G_SYGVD_BATCHED(che, eigen_g_complex, float)

std::int64_t eigen_g_dsolve_batched(std::int64_t n, std::int64_t count, const double* a, std::int64_t lda,
                                    std::int64_t stride_a, double* w, std::int64_t stride_w, double* z,
                                    std::int64_t ldz, std::int64_t stride_z, std::int32_t* status,
                                    int device_pointers, CUstream_st* stream, const eigen_g_options* options,
                                    eigen_g_batch_result* result) {
  return c_info::of(
      {"n", "count", "a", "lda", "strides.a", "w", "strides.w", "z", "ldz", "strides.z", "status", "device",
       "stream", "options"},
      [&] {
        const eigen_g_options o = c_arguments::whole_options(options);
        const Options of_batch = options_of(o);
        const Devices devices = c_arguments::devices_of(o);
        const BatchStrides strides{stride_a, stride_w, stride_z};
        const BatchReport report =
            device_pointers
                ? eigen_g_batched(n, count, device(const_cast<double*>(a)), lda, device(w), device(z), ldz,
                                  device(status), stream, strides, of_batch, devices)
                : eigen_g_batched(n, count, a, lda, w, z, ldz, status, strides, of_batch, devices);
        if (result) *result = {report.failed, report.first_failed, report.m, report.seconds};
        return report.failed;
      });
}

}  // extern "C"
