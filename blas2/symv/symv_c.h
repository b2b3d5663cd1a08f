/* C interface of the symmetric and Hermitian matrix-vector product on a GPU:
 *
 *   y := alpha A x + beta y,   A stored in one triangle; each stored element is read once
 *
 * Sizes are 64-bit; arrays are column-major and in device memory. Only in a library that was built with CUDA.
 *
 * info:     0  done, or queued
 *          -i  argument i, counted from 1, violates its contract
 *       -1001  too little host memory
 *       -1002  too little device memory
 *       -1003  CUDA failed
 *       -1004  internal error
 */
#ifndef EIGEN_G_SYMV_C_H
#define EIGEN_G_SYMV_C_H

#include <eigen_g/c_complex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is struct CUstream_st* */

typedef struct {
  double hi, lo; /* the number is hi + lo; |lo| <= ulp(hi) / 2 */
} eigen_g_double_double;

/* Device memory for partial sums, on the GPU that is current at the first product. It grows when a product needs more, but it
 * cannot grow while a stream is being captured: call a product of that size once before. Products that share a handle must
 * be in stream order. */
typedef struct eigen_g_symv_handle eigen_g_symv_handle;
int64_t eigen_g_symv_create(eigen_g_symv_handle** handle);
void eigen_g_symv_destroy(eigen_g_symv_handle* handle); /* waits for the GPU; null: no effect */

/* y := alpha A x + beta y.
 *   handle  from eigen_g_symv_create()
 *   stream  the product is queued there, and the call returns at once; null: the default stream
 *   uplo    'L' or 'U': the triangle of A that is read. The imaginary part of a Hermitian diagonal is not used
 *   n       order, >= 0
 *   alpha   0: a and x are not read
 *   a       n x n, leading dimension lda >= max(1, n), in
 *   x       n elements with step incx != 0, in; a negative step begins at the far end
 *   beta    0: y is not read
 *   y       n elements with step incy != 0, in and out
 * The same GPU and input give the same bits. BLAS: ssymv, dsymv, chemv, zhemv; CUDA-xSYMV: wsymv. */
int64_t eigen_g_ssymv(eigen_g_symv_handle* handle, struct CUstream_st* stream, char uplo, int64_t n,
                      float alpha, const float* a, int64_t lda, const float* x, int64_t incx, float beta,
                      float* y, int64_t incy);
int64_t eigen_g_dsymv(eigen_g_symv_handle* handle, struct CUstream_st* stream, char uplo, int64_t n,
                      double alpha, const double* a, int64_t lda, const double* x, int64_t incx, double beta,
                      double* y, int64_t incy);
int64_t eigen_g_chemv(eigen_g_symv_handle* handle, struct CUstream_st* stream, char uplo, int64_t n,
                      eigen_g_complex alpha, const eigen_g_complex* a, int64_t lda, const eigen_g_complex* x,
                      int64_t incx, eigen_g_complex beta, eigen_g_complex* y, int64_t incy);
int64_t eigen_g_zhemv(eigen_g_symv_handle* handle, struct CUstream_st* stream, char uplo, int64_t n,
                      eigen_g_double_complex alpha, const eigen_g_double_complex* a, int64_t lda,
                      const eigen_g_double_complex* x, int64_t incx, eigen_g_double_complex beta,
                      eigen_g_double_complex* y, int64_t incy);
int64_t eigen_g_wsymv(eigen_g_symv_handle* handle, struct CUstream_st* stream, char uplo, int64_t n,
                      eigen_g_double_double alpha, const eigen_g_double_double* a, int64_t lda,
                      const eigen_g_double_double* x, int64_t incx, eigen_g_double_double beta,
                      eigen_g_double_double* y, int64_t incy);

#ifdef __cplusplus
}
#endif

#endif
