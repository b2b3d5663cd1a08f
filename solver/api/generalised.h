/* The C entries to the generalised symmetric-definite problem: LAPACK's arguments, 64-bit sizes. info as in eigen_g.h, and
 *
 * info:   n+i  the leading minor of order i of B is not positive definite; nothing is computed
 */
#ifndef EIGEN_G_GENERALISED_H
#define EIGEN_G_GENERALISED_H

#include <eigen_g/c_complex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* A x = w B x (itype 1), A B x = w x (2), B A x = w x (3) on host pointers.
 *   itype 1, 2 or 3
 *   jobz  'N': values only, 'V': values and vectors
 *   uplo  'L' or 'U': the triangle of A and of B that is read
 *   a     n x n column-major, leading dimension lda >= max(1, n), host memory, in. With jobz 'V' it holds the vectors X on
 *         return, X^T B X = I (itype 3: X^T B^-1 X = I); with 'N' it is not changed
 *   b     n x n column-major, ldb >= max(1, n), host memory, in. On return its triangle holds the Cholesky factor: B = L L^T or
 *         U^T U
 *   w     n values, host memory, out, ascending
 * Runs on a GPU if there is one and n is large enough, else on the CPU. Blocks until done. Source: LAPACK dsygvd, ssygvd. */
int64_t eigen_g_dsygvd(int itype, char jobz, char uplo, int64_t n, double* a, int64_t lda, double* b,
                       int64_t ldb, double* w);
int64_t eigen_g_ssygvd(int itype, char jobz, char uplo, int64_t n, float* a, int64_t lda, float* b,
                       int64_t ldb, float* w);

/* The same problems on device pointers of the current GPU.
 *   a_dev   in, destroyed
 *   b_dev   in. On return its triangle holds the factor; the other triangle is destroyed
 *   w_dev   n values, out
 *   z_dev   n x n, ldz >= max(1, n), out: the vectors. May be a_dev itself if ldz = lda. With jobz 'N' it may be null
 *   stream  the solve starts after all work that is in the stream, and is complete on return; null: the default stream */
int64_t eigen_g_dsygvd_device(int itype, char jobz, char uplo, int64_t n, double* a_dev, int64_t lda,
                              double* b_dev, int64_t ldb, double* w_dev, double* z_dev, int64_t ldz,
                              struct CUstream_st* stream);
int64_t eigen_g_ssygvd_device(int itype, char jobz, char uplo, int64_t n, float* a_dev, int64_t lda,
                              float* b_dev, int64_t ldb, float* w_dev, float* z_dev, int64_t ldz,
                              struct CUstream_st* stream);

/* A subset of the spectrum. range, vl, vu, il, iu, m and the sizes of w and z_dev as in eigen_g_dsyevdx.
 * Source: LAPACK dsygvx, cuSOLVER sygvdx. */
int64_t eigen_g_dsygvdx(int itype, char jobz, char range, char uplo, int64_t n, double* a, int64_t lda,
                        double* b, int64_t ldb, double vl, double vu, int64_t il, int64_t iu, int64_t* m,
                        double* w);
int64_t eigen_g_ssygvdx(int itype, char jobz, char range, char uplo, int64_t n, float* a, int64_t lda,
                        float* b, int64_t ldb, float vl, float vu, int64_t il, int64_t iu, int64_t* m,
                        float* w);
int64_t eigen_g_dsygvdx_device(int itype, char jobz, char range, char uplo, int64_t n, double* a_dev,
                               int64_t lda, double* b_dev, int64_t ldb, double vl, double vu, int64_t il,
                               int64_t iu, int64_t* m, double* w_dev, double* z_dev, int64_t ldz,
                               struct CUstream_st* stream);
int64_t eigen_g_ssygvdx_device(int itype, char jobz, char range, char uplo, int64_t n, float* a_dev,
                               int64_t lda, float* b_dev, int64_t ldb, float vl, float vu, int64_t il,
                               int64_t iu, int64_t* m, float* w_dev, float* z_dev, int64_t ldz,
                               struct CUstream_st* stream);

/* Hermitian A and B in the complex types of eigen_g.h: as above with X^H instead of X^T. The imaginary parts of the diagonals are not
 * read. In device memory complex arrays must be aligned to their elements. Source: LAPACK zhegvd, zhegvx. */
int64_t eigen_g_zhegvd(int itype, char jobz, char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda,
                       eigen_g_double_complex* b, int64_t ldb, double* w);
int64_t eigen_g_chegvd(int itype, char jobz, char uplo, int64_t n, eigen_g_complex* a, int64_t lda,
                       eigen_g_complex* b, int64_t ldb, float* w);
int64_t eigen_g_zhegvd_device(int itype, char jobz, char uplo, int64_t n, eigen_g_double_complex* a_dev,
                              int64_t lda, eigen_g_double_complex* b_dev, int64_t ldb, double* w_dev,
                              eigen_g_double_complex* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_chegvd_device(int itype, char jobz, char uplo, int64_t n, eigen_g_complex* a_dev, int64_t lda,
                              eigen_g_complex* b_dev, int64_t ldb, float* w_dev, eigen_g_complex* z_dev,
                              int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_zhegvdx(int itype, char jobz, char range, char uplo, int64_t n, eigen_g_double_complex* a,
                        int64_t lda, eigen_g_double_complex* b, int64_t ldb, double vl, double vu, int64_t il,
                        int64_t iu, int64_t* m, double* w);
int64_t eigen_g_zhegvdx_device(int itype, char jobz, char range, char uplo, int64_t n,
                               eigen_g_double_complex* a_dev, int64_t lda, eigen_g_double_complex* b_dev,
                               int64_t ldb, double vl, double vu, int64_t il, int64_t iu, int64_t* m,
                               double* w_dev, eigen_g_double_complex* z_dev, int64_t ldz,
                               struct CUstream_st* stream);
int64_t eigen_g_chegvdx(int itype, char jobz, char range, char uplo, int64_t n, eigen_g_complex* a,
                        int64_t lda, eigen_g_complex* b, int64_t ldb, float vl, float vu, int64_t il,
                        int64_t iu, int64_t* m, float* w);
int64_t eigen_g_chegvdx_device(int itype, char jobz, char range, char uplo, int64_t n, eigen_g_complex* a_dev,
                               int64_t lda, eigen_g_complex* b_dev, int64_t ldb, float vl, float vu,
                               int64_t il, int64_t iu, int64_t* m, float* w_dev, eigen_g_complex* z_dev,
                               int64_t ldz, struct CUstream_st* stream);

/* As above, but the triangle of b holds the factor from an earlier call: one B for many A. range 'A': the whole spectrum. The factor is
 * not changed. On device pointers with uplo 'U' the lower triangle of b_dev is overwritten. */
int64_t eigen_g_dsygvdx_factored(int itype, char jobz, char range, char uplo, int64_t n, double* a,
                                 int64_t lda, double* b, int64_t ldb, double vl, double vu, int64_t il,
                                 int64_t iu, int64_t* m, double* w);
int64_t eigen_g_dsygvdx_factored_device(int itype, char jobz, char range, char uplo, int64_t n, double* a_dev,
                                        int64_t lda, double* b_dev, int64_t ldb, double vl, double vu,
                                        int64_t il, int64_t iu, int64_t* m, double* w_dev, double* z_dev,
                                        int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_ssygvdx_factored(int itype, char jobz, char range, char uplo, int64_t n, float* a,
                                 int64_t lda, float* b, int64_t ldb, float vl, float vu, int64_t il,
                                 int64_t iu, int64_t* m, float* w);
int64_t eigen_g_ssygvdx_factored_device(int itype, char jobz, char range, char uplo, int64_t n, float* a_dev,
                                        int64_t lda, float* b_dev, int64_t ldb, float vl, float vu,
                                        int64_t il, int64_t iu, int64_t* m, float* w_dev, float* z_dev,
                                        int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_zhegvdx_factored(int itype, char jobz, char range, char uplo, int64_t n,
                                 eigen_g_double_complex* a, int64_t lda, eigen_g_double_complex* b,
                                 int64_t ldb, double vl, double vu, int64_t il, int64_t iu, int64_t* m,
                                 double* w);
int64_t eigen_g_zhegvdx_factored_device(int itype, char jobz, char range, char uplo, int64_t n,
                                        eigen_g_double_complex* a_dev, int64_t lda,
                                        eigen_g_double_complex* b_dev, int64_t ldb, double vl, double vu,
                                        int64_t il, int64_t iu, int64_t* m, double* w_dev,
                                        eigen_g_double_complex* z_dev, int64_t ldz,
                                        struct CUstream_st* stream);
int64_t eigen_g_chegvdx_factored(int itype, char jobz, char range, char uplo, int64_t n, eigen_g_complex* a,
                                 int64_t lda, eigen_g_complex* b, int64_t ldb, float vl, float vu, int64_t il,
                                 int64_t iu, int64_t* m, float* w);
int64_t eigen_g_chegvdx_factored_device(int itype, char jobz, char range, char uplo, int64_t n,
                                        eigen_g_complex* a_dev, int64_t lda, eigen_g_complex* b_dev,
                                        int64_t ldb, float vl, float vu, int64_t il, int64_t iu, int64_t* m,
                                        float* w_dev, eigen_g_complex* z_dev, int64_t ldz,
                                        struct CUstream_st* stream);

#ifdef __cplusplus
}
#endif

#endif
