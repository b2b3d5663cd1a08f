/* The C entry to the symmetric and Hermitian matrix-vector product on a GPU: y := alpha A x + beta y, A with one
 * triangle stored, each element of it read once. Sizes are 64-bit, arrays column-major in device memory. In a library
 * built with CUDA only.
 *
 * info:     0  done, or queued
 *          -i  argument i (from 1) is wrong
 *       -1001  not enough host memory      -1002  not enough device memory
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
  double hi, lo; /* the number hi + lo, |lo| <= ulp(hi) / 2 */
} eigen_g_double_double;

/* Device memory for partial sums, of the GPU that is current at the first product; it grows as needed, but not while a
 * stream is being captured: call a product of that size once before. Products that share a handle must follow each
 * other in stream order. */
typedef struct eigen_g_symv_handle eigen_g_symv_handle;
int64_t eigen_g_symv_create(eigen_g_symv_handle** handle);
void eigen_g_symv_destroy(eigen_g_symv_handle* handle); /* null: nothing; waits for the GPU */

/*   handle  from eigen_g_symv_create
 *   stream  the product is queued there and the call returns at once; null: the default stream
 *   uplo    'L' or 'U': the triangle of A that is used; a Hermitian diagonal counts as real
 *   n       order, >= 0
 *   a       n x n, leading dimension lda >= max(1, n), in
 *   x, y    n elements with steps incx, incy != 0, negative ones from the far end; beta = 0: y is not read;
 *           alpha = 0: neither a nor x
 * The result repeats bit for bit on the same GPU. BLAS: ssymv, dsymv, chemv, zhemv; CUDA-xSYMV: wsymv. */
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
