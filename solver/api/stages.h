/* The C entries to the stages of a solve: LAPACK's arguments and layout, 64-bit sizes, info as the return value
 * (eigen_g.h says which; eigen_g_info_text() of that header has a text for each).
 *
 * Host pointers work on a GPU where there is one, else on the CPU; the functions named _device take device pointers of the
 * current GPU, ordered after what `stream` holds and complete on return. Shapes, memory and cost of each stand in
 * stages.hpp. */
#ifndef EIGEN_G_STAGES_H
#define EIGEN_G_STAGES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* A = Q T Q^T, T = tridiag(e, d, e).
 *   uplo  'L' or 'U': the triangle of A that is read, and that holds the reflectors on return as dsytrd leaves them
 *   a     n x n column-major, lda >= max(1, n), in and out
 *   d     n values, out     e  n - 1 values, out     tau  n - 1 values, out
 * Source: LAPACK dsytrd. */
int64_t eigen_g_dsytrd(char uplo, int64_t n, double* a, int64_t lda, double* d, double* e, double* tau);
/* The other triangle of a_dev may be overwritten; without a copy of the matrix where uplo is 'L' and lda is n to the
 * next multiple of 64. */
int64_t eigen_g_dsytrd_device(char uplo, int64_t n, double* a_dev, int64_t lda, double* d_dev, double* e_dev,
                              double* tau_dev, struct CUstream_st* stream);

/* T = Z diag(w) Z^T of the symmetric tridiagonal T = tridiag(e, d, e).
 *   compz 'N': values only (z may be null, ldz is not read), 'I': values and vectors
 *   d     n values, in: the diagonal; out: w, ascending
 *   e     n - 1 values, in: the off-diagonal; destroyed
 *   z     n x n column-major, ldz >= max(1, n), out: column k belongs to w[k]
 * Source: LAPACK dstedc. */
int64_t eigen_g_dstedc(char compz, int64_t n, double* d, double* e, double* z, int64_t ldz);
int64_t eigen_g_dstedc_device(char compz, int64_t n, double* d_dev, double* e_dev, double* z_dev, int64_t ldz,
                              struct CUstream_st* stream);

/* Z := Q Z with Q of eigen_g_dsytrd (or of dsytrd itself).
 *   uplo  the triangle of a that holds the reflectors     tau  n - 1 values, in
 *   a     n x n column-major, lda >= max(1, n), in
 *   z     n x m column-major, ldz >= max(1, n), in and out
 * Source: LAPACK dormtr with side 'L' and trans 'N'. */
int64_t eigen_g_dormtr(char uplo, int64_t n, int64_t m, const double* a, int64_t lda, const double* tau,
                       double* z, int64_t ldz);
int64_t eigen_g_dormtr_device(char uplo, int64_t n, int64_t m, const double* a_dev, int64_t lda,
                              const double* tau_dev, double* z_dev, int64_t ldz, struct CUstream_st* stream);

/* A = Q B Q^T, B of bandwidth kd: 32, 48, 64, 96 or 128 on a GPU.
 *   a     n x n column-major, lda >= max(1, n), in and out: the reflectors, those of column j below row j + kd (lower), those of row
 *         j right of column j + kd (upper)
 *   ab    (kd + 1) x n, ldab >= kd + 1, out: B in LAPACK's band layout of `uplo`
 *   tau   max(n - kd, 0) values, out
 * Source: LAPACK dsytrd_sy2sb. */
int64_t eigen_g_dsytrd_sy2sb(char uplo, int64_t n, int64_t kd, double* a, int64_t lda, double* ab,
                             int64_t ldab, double* tau);
int64_t eigen_g_dsytrd_sy2sb_device(char uplo, int64_t n, int64_t kd, double* a_dev, int64_t lda,
                                    double* ab_dev, int64_t ldab, double* tau_dev,
                                    struct CUstream_st* stream);

/* B = Q T Q^T of a band matrix, 0 <= kd <= 128.
 *   ab    as above, in     d  n values, out     e  n - 1 values, out
 *   hous  eigen_g_dsytrd_sb2st_hous(n, kd) values on 16 bytes, out: the reflectors; null: not wanted
 * Source: LAPACK dsytrd_sb2st. */
int64_t eigen_g_dsytrd_sb2st(char uplo, int64_t n, int64_t kd, const double* ab, int64_t ldab, double* d,
                             double* e, double* hous);
int64_t eigen_g_dsytrd_sb2st_device(char uplo, int64_t n, int64_t kd, const double* ab_dev, int64_t ldab,
                                    double* d_dev, double* e_dev, double* hous_dev,
                                    struct CUstream_st* stream);
int64_t eigen_g_dsytrd_sb2st_hous(int64_t n, int64_t kd); /* or an info: negative */

/* Z := Q Z, z n x m column-major, ldz >= max(1, n), in and out, for the Q of eigen_g_dsytrd_sb2st and of
 * eigen_g_dsytrd_sy2sb. */
int64_t eigen_g_dormtr_sb2st(int64_t n, int64_t m, int64_t kd, const double* hous, double* z, int64_t ldz);
int64_t eigen_g_dormtr_sb2st_device(int64_t n, int64_t m, int64_t kd, const double* hous_dev, double* z_dev,
                                    int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_dormtr_sy2sb(char uplo, int64_t n, int64_t m, int64_t kd, const double* a, int64_t lda,
                             const double* tau, double* z, int64_t ldz);
int64_t eigen_g_dormtr_sy2sb_device(char uplo, int64_t n, int64_t m, int64_t kd, const double* a_dev,
                                    int64_t lda, const double* tau_dev, double* z_dev, int64_t ldz,
                                    struct CUstream_st* stream);

#ifdef __cplusplus
}
#endif

#endif
