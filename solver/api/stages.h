/* The C entries to the stages of a solve: LAPACK's arguments and layout, 64-bit sizes, info as the return value. eigen_g.h lists
 * the values of info, and its eigen_g_info_text() returns a text for each.
 *
 * Functions with host pointers run on a GPU if there is one and n is large enough, else on the CPU. Functions named _device take
 * device pointers of the current GPU, start after all work that is in `stream`, and are complete on return.
 * Workspace, errors and cost: stages.hpp. */
#ifndef EIGEN_G_STAGES_H
#define EIGEN_G_STAGES_H

#include <eigen_g/c_complex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* A = Q T Q^T, T = tridiag(e, d, e).
 *   uplo  'L' or 'U': the triangle of A that is read. On return it holds the reflectors, as after dsytrd
 *   a     n x n column-major, lda >= max(1, n), in and out
 *   d     n values, out
 *   e     n - 1 values, out
 *   tau   n - 1 values, out
 * Source: LAPACK dsytrd. */
int64_t eigen_g_dsytrd(char uplo, int64_t n, double* a, int64_t lda, double* d, double* e, double* tau);
/* The other triangle of a_dev may be overwritten. If uplo is 'L' and lda is n rounded up to a multiple of 64, no copy of the matrix is
 * needed. */
int64_t eigen_g_dsytrd_device(char uplo, int64_t n, double* a_dev, int64_t lda, double* d_dev, double* e_dev,
                              double* tau_dev, struct CUstream_st* stream);

/* T = U diag(w) U^T, T = tridiag(e, d, e).
 *   compz 'N': values only (z may be null, ldz is not read), 'I': z becomes U, 'V': Z := Z U for the given Z
 *   d     n values, in: the diagonal; out: w, ascending
 *   e     n - 1 values, in: the off-diagonal; destroyed
 *   z     n x n column-major, ldz >= max(1, n), out, with compz 'V' in and out: column k belongs to w[k]
 * Source: LAPACK dstedc. */
int64_t eigen_g_dstedc(char compz, int64_t n, double* d, double* e, double* z, int64_t ldz);
int64_t eigen_g_dstedc_device(char compz, int64_t n, double* d_dev, double* e_dev, double* z_dev, int64_t ldz,
                              struct CUstream_st* stream);

/* Z := Q Z, Q^T Z, Z Q or Z Q^T for the Q of eigen_g_dsytrd or of LAPACK's dsytrd.
 *   side  'L': Q stands left of Z and has the order n; 'R': right, and has the order m
 *   uplo  'L' or 'U': the triangle of a that holds the reflectors
 *   trans 'N': Q; 'T': Q^T. In the complex types 'C': Q^H
 *   a     column-major, of Q's order, lda >= max(1, order), in
 *   tau   order - 1 values, in
 *   z     n x m column-major, ldz >= max(1, n), in and out
 * Source: LAPACK dormtr. */
int64_t eigen_g_dormtr(char side, char uplo, char trans, int64_t n, int64_t m, const double* a, int64_t lda,
                       const double* tau, double* z, int64_t ldz);
int64_t eigen_g_dormtr_device(char side, char uplo, char trans, int64_t n, int64_t m, const double* a_dev,
                              int64_t lda, const double* tau_dev, double* z_dev, int64_t ldz,
                              struct CUstream_st* stream);

/* A := Q for the Q of eigen_g_dsytrd or of LAPACK's dsytrd.
 *   uplo  'L' or 'U': the triangle of a that holds the reflectors
 *   a     n x n column-major, lda >= max(1, n), in: the reflectors; out: Q
 *   tau   n - 1 values, in
 * Source: LAPACK dorgtr. */
int64_t eigen_g_dorgtr(char uplo, int64_t n, double* a, int64_t lda, const double* tau);
int64_t eigen_g_dorgtr_device(char uplo, int64_t n, double* a_dev, int64_t lda, const double* tau_dev,
                              struct CUstream_st* stream);

/* As above, in the other types. A complex A is Hermitian, and T is real: A = Q T Q^H. The imaginary parts of its diagonal are not read. The
 * vectors of T are real, so with compz 'I' a complex z has imaginary parts of zero. In device memory complex arrays must be aligned to their
 * elements. Source: LAPACK ssytrd, zhetrd, sstedc, zstedc, sormtr, zunmtr, sorgtr, zungtr. */
int64_t eigen_g_ssytrd(char uplo, int64_t n, float* a, int64_t lda, float* d, float* e, float* tau);
int64_t eigen_g_ssytrd_device(char uplo, int64_t n, float* a_dev, int64_t lda, float* d_dev, float* e_dev,
                              float* tau_dev, struct CUstream_st* stream);
int64_t eigen_g_zhetrd(char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda, double* d, double* e,
                       eigen_g_double_complex* tau);
int64_t eigen_g_zhetrd_device(char uplo, int64_t n, eigen_g_double_complex* a_dev, int64_t lda, double* d_dev,
                              double* e_dev, eigen_g_double_complex* tau_dev, struct CUstream_st* stream);
int64_t eigen_g_chetrd(char uplo, int64_t n, eigen_g_complex* a, int64_t lda, float* d, float* e,
                       eigen_g_complex* tau);
int64_t eigen_g_chetrd_device(char uplo, int64_t n, eigen_g_complex* a_dev, int64_t lda, float* d_dev,
                              float* e_dev, eigen_g_complex* tau_dev, struct CUstream_st* stream);
int64_t eigen_g_sstedc(char compz, int64_t n, float* d, float* e, float* z, int64_t ldz);
int64_t eigen_g_sstedc_device(char compz, int64_t n, float* d_dev, float* e_dev, float* z_dev, int64_t ldz,
                              struct CUstream_st* stream);
int64_t eigen_g_zstedc(char compz, int64_t n, double* d, double* e, eigen_g_double_complex* z, int64_t ldz);
int64_t eigen_g_zstedc_device(char compz, int64_t n, double* d_dev, double* e_dev,
                              eigen_g_double_complex* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_cstedc(char compz, int64_t n, float* d, float* e, eigen_g_complex* z, int64_t ldz);
int64_t eigen_g_cstedc_device(char compz, int64_t n, float* d_dev, float* e_dev, eigen_g_complex* z_dev,
                              int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_sormtr(char side, char uplo, char trans, int64_t n, int64_t m, const float* a, int64_t lda,
                       const float* tau, float* z, int64_t ldz);
int64_t eigen_g_sormtr_device(char side, char uplo, char trans, int64_t n, int64_t m, const float* a_dev,
                              int64_t lda, const float* tau_dev, float* z_dev, int64_t ldz,
                              struct CUstream_st* stream);
int64_t eigen_g_zunmtr(char side, char uplo, char trans, int64_t n, int64_t m,
                       const eigen_g_double_complex* a, int64_t lda, const eigen_g_double_complex* tau,
                       eigen_g_double_complex* z, int64_t ldz);
int64_t eigen_g_zunmtr_device(char side, char uplo, char trans, int64_t n, int64_t m,
                              const eigen_g_double_complex* a_dev, int64_t lda,
                              const eigen_g_double_complex* tau_dev, eigen_g_double_complex* z_dev,
                              int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_cunmtr(char side, char uplo, char trans, int64_t n, int64_t m, const eigen_g_complex* a,
                       int64_t lda, const eigen_g_complex* tau, eigen_g_complex* z, int64_t ldz);
int64_t eigen_g_cunmtr_device(char side, char uplo, char trans, int64_t n, int64_t m,
                              const eigen_g_complex* a_dev, int64_t lda, const eigen_g_complex* tau_dev,
                              eigen_g_complex* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_sorgtr(char uplo, int64_t n, float* a, int64_t lda, const float* tau);
int64_t eigen_g_sorgtr_device(char uplo, int64_t n, float* a_dev, int64_t lda, const float* tau_dev,
                              struct CUstream_st* stream);
int64_t eigen_g_zungtr(char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda,
                       const eigen_g_double_complex* tau);
int64_t eigen_g_zungtr_device(char uplo, int64_t n, eigen_g_double_complex* a_dev, int64_t lda,
                              const eigen_g_double_complex* tau_dev, struct CUstream_st* stream);
int64_t eigen_g_cungtr(char uplo, int64_t n, eigen_g_complex* a, int64_t lda, const eigen_g_complex* tau);
int64_t eigen_g_cungtr_device(char uplo, int64_t n, eigen_g_complex* a_dev, int64_t lda,
                              const eigen_g_complex* tau_dev, struct CUstream_st* stream);

/* A = Q B Q^T, B(i, j) = 0 for |i - j| > kd.
 *   kd    >= 1; on a GPU 32, 48, 64, 96 or 128
 *   a     n x n column-major, lda >= max(1, n), in and out. On return it holds the reflectors: reflector j is in column j below row
 *         j + kd (lower), or in row j right of column j + kd (upper)
 *   ab    (kd + 1) x n, ldab >= kd + 1, out: B in LAPACK's band layout of `uplo`
 *   tau   max(n - kd, 0) values, out
 * Source: LAPACK dsytrd_sy2sb. */
int64_t eigen_g_dsytrd_sy2sb(char uplo, int64_t n, int64_t kd, double* a, int64_t lda, double* ab,
                             int64_t ldab, double* tau);
int64_t eigen_g_dsytrd_sy2sb_device(char uplo, int64_t n, int64_t kd, double* a_dev, int64_t lda,
                                    double* ab_dev, int64_t ldab, double* tau_dev,
                                    struct CUstream_st* stream);

/* B = Q T Q^T, B(i, j) = 0 for |i - j| > kd, 0 <= kd <= 128.
 *   ab    (kd + 1) x n, ldab >= kd + 1, in: B in LAPACK's band layout of `uplo`
 *   d     n values, out
 *   e     n - 1 values, out
 *   hous  eigen_g_dsytrd_sb2st_hous(n, kd) values, 16-byte aligned, out: the reflectors, in a layout other than LAPACK's. Null: none
 * Source: LAPACK dsytrd_sb2st. */
int64_t eigen_g_dsytrd_sb2st(char uplo, int64_t n, int64_t kd, const double* ab, int64_t ldab, double* d,
                             double* e, double* hous);
int64_t eigen_g_dsytrd_sb2st_device(char uplo, int64_t n, int64_t kd, const double* ab_dev, int64_t ldab,
                                    double* d_dev, double* e_dev, double* hous_dev,
                                    struct CUstream_st* stream);
int64_t eigen_g_dsytrd_sb2st_hous(int64_t n, int64_t kd); /* number of values; negative: info */

/* Z := Q Z for the Q of eigen_g_dsytrd_sb2st, and for the Q of eigen_g_dsytrd_sy2sb.
 *   hous, a, tau  as these functions return them, in
 *   z             n x m column-major, ldz >= max(1, n), in and out */
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
