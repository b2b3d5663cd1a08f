/* The C entries to batches of small matrices; see batched.hpp. 64-bit sizes. info as in eigen_g.h, and
 *
 * info:    k > 0  k matrices of the batch failed: their status is not 0. All other matrices are solved
 */
#ifndef EIGEN_G_BATCHED_H
#define EIGEN_G_BATCHED_H

#include <eigen_g/c_complex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;
struct eigen_g_options; /* eigen_g.h */

/* A_k = Z_k diag(w_k) Z_k^T for k = 0, ..., count - 1, on host pointers.
 *   jobz      'N': values only, 'V': values and vectors
 *   uplo      'L' or 'U': the triangle of each matrix that is read
 *   a         count matrices, each n x n column-major with leading dimension lda >= max(1, n), host memory, in. With jobz 'V' each holds
 *             its orthonormal vectors on return; with 'N' a is not changed
 *   stride_a  distance between the matrices in a, in values; 0: lda n
 *   w         count arrays of n values, host memory, out, ascending
 *   stride_w  distance between the arrays in w, in values; 0: n
 *   status    count numbers, host memory, out; may be null. 0: solved; -1: a NaN or an infinity in the triangle, and values and vectors
 *             are NaN; > 0: not converged
 * Runs on a GPU if there is one and the batch is large enough, else on the CPU. Blocks until done. */
int64_t eigen_g_dsyevd_batched(char jobz, char uplo, int64_t n, double* a, int64_t lda, int64_t stride_a,
                               double* w, int64_t stride_w, int32_t* status, int64_t count);
int64_t eigen_g_ssyevd_batched(char jobz, char uplo, int64_t n, float* a, int64_t lda, int64_t stride_a,
                               float* w, int64_t stride_w, int32_t* status, int64_t count);

/* A batch on device pointers of the current GPU; the other arguments are as above.
 *   a_dev       in, not changed
 *   z_dev       count matrices n x n, ldz >= max(1, n), out: the vectors. May be a_dev itself if ldz = lda and stride_z = stride_a. With
 *               jobz 'N' it may be null
 *   stride_z    distance between the matrices in z_dev, in values; 0: ldz n
 *   status_dev  count numbers, device memory, out; may be null
 *   stream      the solve starts after all work that is in the stream, and is complete on return; null: the default stream */
int64_t eigen_g_dsyevd_batched_device(char jobz, char uplo, int64_t n, const double* a_dev, int64_t lda,
                                      int64_t stride_a, double* w_dev, int64_t stride_w, double* z_dev,
                                      int64_t ldz, int64_t stride_z, int32_t* status_dev, int64_t count,
                                      struct CUstream_st* stream);
int64_t eigen_g_ssyevd_batched_device(char jobz, char uplo, int64_t n, const float* a_dev, int64_t lda,
                                      int64_t stride_a, float* w_dev, int64_t stride_w, float* z_dev,
                                      int64_t ldz, int64_t stride_z, int32_t* status_dev, int64_t count,
                                      struct CUstream_st* stream);

/* A_k = Z_k diag(w_k) Z_k^H for complex Hermitian matrices; the imaginary parts of their diagonals are not read. The rest is as above. */
int64_t eigen_g_zheevd_batched(char jobz, char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda,
                               int64_t stride_a, double* w, int64_t stride_w, int32_t* status, int64_t count);
int64_t eigen_g_cheevd_batched(char jobz, char uplo, int64_t n, eigen_g_complex* a, int64_t lda,
                               int64_t stride_a, float* w, int64_t stride_w, int32_t* status, int64_t count);
int64_t eigen_g_zheevd_batched_device(char jobz, char uplo, int64_t n, const eigen_g_double_complex* a_dev,
                                      int64_t lda, int64_t stride_a, double* w_dev, int64_t stride_w,
                                      eigen_g_double_complex* z_dev, int64_t ldz, int64_t stride_z,
                                      int32_t* status_dev, int64_t count, struct CUstream_st* stream);
int64_t eigen_g_cheevd_batched_device(char jobz, char uplo, int64_t n, const eigen_g_complex* a_dev,
                                      int64_t lda, int64_t stride_a, float* w_dev, int64_t stride_w,
                                      eigen_g_complex* z_dev, int64_t ldz, int64_t stride_z,
                                      int32_t* status_dev, int64_t count, struct CUstream_st* stream);

/* Generalised problems A_k x = w B_k x with X_k^T B_k X_k = I (complex: X_k^H). All other arguments and the results are as above.
 *   b         count positive definite matrices, each n x n with leading dimension ldb >= max(1, n), in; the same triangle is read.
 *             Not changed, unlike in LAPACK's dsygvd
 *   stride_b  distance between the matrices in b, in values; 0: ldb n
 *   status    0: solved. -1: a NaN or an infinity in A or B, or eigenvalues overflow. 1 to n: not converged. n + i: the leading minor of
 *             order i of B is not positive. Values and vectors are NaN if the status is -1 or greater than n */
int64_t eigen_g_dsygvd_batched(char jobz, char uplo, int64_t n, double* a, int64_t lda, int64_t stride_a,
                               const double* b, int64_t ldb, int64_t stride_b, double* w, int64_t stride_w,
                               int32_t* status, int64_t count);
int64_t eigen_g_dsygvd_batched_device(char jobz, char uplo, int64_t n, const double* a_dev, int64_t lda,
                                      int64_t stride_a, const double* b_dev, int64_t ldb, int64_t stride_b,
                                      double* w_dev, int64_t stride_w, double* z_dev, int64_t ldz,
                                      int64_t stride_z, int32_t* status_dev, int64_t count,
                                      struct CUstream_st* stream);
int64_t eigen_g_ssygvd_batched(char jobz, char uplo, int64_t n, float* a, int64_t lda, int64_t stride_a,
                               const float* b, int64_t ldb, int64_t stride_b, float* w, int64_t stride_w,
                               int32_t* status, int64_t count);
int64_t eigen_g_ssygvd_batched_device(char jobz, char uplo, int64_t n, const float* a_dev, int64_t lda,
                                      int64_t stride_a, const float* b_dev, int64_t ldb, int64_t stride_b,
                                      float* w_dev, int64_t stride_w, float* z_dev, int64_t ldz,
                                      int64_t stride_z, int32_t* status_dev, int64_t count,
                                      struct CUstream_st* stream);
int64_t eigen_g_zhegvd_batched(char jobz, char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda,
                               int64_t stride_a, const eigen_g_double_complex* b, int64_t ldb,
                               int64_t stride_b, double* w, int64_t stride_w, int32_t* status, int64_t count);
int64_t eigen_g_zhegvd_batched_device(char jobz, char uplo, int64_t n, const eigen_g_double_complex* a_dev,
                                      int64_t lda, int64_t stride_a, const eigen_g_double_complex* b_dev,
                                      int64_t ldb, int64_t stride_b, double* w_dev, int64_t stride_w,
                                      eigen_g_double_complex* z_dev, int64_t ldz, int64_t stride_z,
                                      int32_t* status_dev, int64_t count, struct CUstream_st* stream);
int64_t eigen_g_chegvd_batched(char jobz, char uplo, int64_t n, eigen_g_complex* a, int64_t lda,
                               int64_t stride_a, const eigen_g_complex* b, int64_t ldb, int64_t stride_b,
                               float* w, int64_t stride_w, int32_t* status, int64_t count);
int64_t eigen_g_chegvd_batched_device(char jobz, char uplo, int64_t n, const eigen_g_complex* a_dev,
                                      int64_t lda, int64_t stride_a, const eigen_g_complex* b_dev,
                                      int64_t ldb, int64_t stride_b, float* w_dev, int64_t stride_w,
                                      eigen_g_complex* z_dev, int64_t ldz, int64_t stride_z,
                                      int32_t* status_dev, int64_t count, struct CUstream_st* stream);

/* Result of a batch; the members are as in BatchReport (batched.hpp). */
struct eigen_g_batch_result {
  int64_t failed, first_failed, m;
  double seconds;
};

/* One batch with the options of eigen_g.h, in double. A batch knows the options jobz, uplo, range 'A' and 'I', device and threads. Another
 * value than the default in the rest is an error of `options`.
 *   z                count matrices n x m, out; may be null with jobz 'N'
 *   status           count numbers, out; may be null
 *   device_pointers  0: host pointers; else device pointers, status included
 *   options          null: the defaults
 *   result           out; may be null */
int64_t eigen_g_dsolve_batched(int64_t n, int64_t count, const double* a, int64_t lda, int64_t stride_a,
                               double* w, int64_t stride_w, double* z, int64_t ldz, int64_t stride_z,
                               int32_t* status, int device_pointers, struct CUstream_st* stream,
                               const struct eigen_g_options* options, struct eigen_g_batch_result* result);

#ifdef __cplusplus
}
#endif

#endif
