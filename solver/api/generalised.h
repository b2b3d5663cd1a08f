/* The generalised symmetric-definite problem from C: LAPACK's arguments, 64-bit sizes, info as eigen_g.h's and
 *
 * info:   n+i  B's leading minor of order i is not positive definite; nothing is computed
 */
#ifndef EIGEN_G_GENERALISED_H
#define EIGEN_G_GENERALISED_H

#include <eigen_g/c_complex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* A x = w B x (itype 1), A B x = w x (2), B A x = w x (3) on host pointers, on a GPU where there is one, else on the CPU.
 *   itype 1, 2, 3
 *   jobz  'N': values only, 'V': values and vectors
 *   uplo  'L' or 'U': the triangle of A and of B that is read
 *   a     n x n column-major, leading dimension lda >= max(1, n), host memory; with jobz 'V' it holds the vectors X on
 *         return, with X^T B X = I (itype 3: X^T B^-1 X = I), with 'N' it is not changed
 *   b     n x n, ldb >= max(1, n), host memory; its triangle holds the Cholesky factor on return: B = L L^T or U^T U
 *   w     n values, host memory, out, ascending
 * Blocks until done. Source: LAPACK dsygvd, ssygvd. */
int64_t eigen_g_dsygvd(int itype, char jobz, char uplo, int64_t n, double* a, int64_t lda, double* b,
                       int64_t ldb, double* w);
int64_t eigen_g_ssygvd(int itype, char jobz, char uplo, int64_t n, float* a, int64_t lda, float* b,
                       int64_t ldb, float* w);

/* The same on device pointers of the current GPU: a_dev is destroyed, the triangle of b_dev holds the factor and its other one is
 * destroyed, z_dev (n x n, ldz >= max(1, n); may be a_dev itself with ldz = lda; not read, may be null, with jobz 'N') holds
 * the vectors. Ordered after what `stream` holds; complete on return. */
int64_t eigen_g_dsygvd_device(int itype, char jobz, char uplo, int64_t n, double* a_dev, int64_t lda,
                              double* b_dev, int64_t ldb, double* w_dev, double* z_dev, int64_t ldz,
                              struct CUstream_st* stream);
int64_t eigen_g_ssygvd_device(int itype, char jobz, char uplo, int64_t n, float* a_dev, int64_t lda,
                              float* b_dev, int64_t ldb, float* w_dev, float* z_dev, int64_t ldz,
                              struct CUstream_st* stream);

/* A part of the spectrum; range, vl, vu, il, iu, m, and the room that w and z_dev need, as eigen_g_dsyevdx's.
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

/* Hermitian A and B, of complex numbers as eigen_g.h has them: as above with X^H for X^T; the imaginary parts of the diagonals are
 * not read. On device pointers complex arrays are aligned to their entries. Source: LAPACK zhegvd, zhegvx. */
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

/* The same with b's triangle holding the factor that an earlier call left there, which is not changed (on device pointers, of an upper
 * one, the other triangle is): one B for many A. range 'A' for the whole spectrum. */
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
