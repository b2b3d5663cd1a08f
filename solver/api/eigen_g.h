/* The C entry to eigen_g: LAPACK's arguments, 64-bit sizes, info as the return value.
 *
 * info:     0  done
 *          -i  argument i (from 1) is wrong; for the matrix also: its triangle holds a NaN or an infinity
 *          >0  the divide and conquer did not converge: LAPACK dstedc's info, or a row of T on a GPU
 *       -1001  not enough host memory      -1002  not enough device memory
 *       -1003  CUDA, cuBLAS or LAPACK failed, or a GPU was asked for and there is none
 *       -1004  internal error
 */
#ifndef EIGEN_G_H
#define EIGEN_G_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* A = Z diag(w) Z^T on host pointers, on a GPU where there is one, else on the CPU.
 *   jobz  'N': values only, 'V': values and vectors
 *   uplo  'L' or 'U': the triangle of A that is read
 *   a     n x n column-major, leading dimension lda >= max(1, n), host memory; with jobz 'V' it holds the
 *         orthonormal vectors on return, with 'N' it is not changed
 *   w     n values, host memory, out, ascending
 * Blocks until done. Source: LAPACK dsyevd. */
int64_t eigen_g_dsyevd(char jobz, char uplo, int64_t n, double* a, int64_t lda, double* w);

/* The same on device pointers of the current GPU: a_dev is destroyed, z_dev (n x n, ldz >= max(1, n); may be a_dev
 * itself with ldz = lda; not read, may be null, with jobz 'N') holds the vectors. Ordered after what `stream` holds; complete on return. */
int64_t eigen_g_dsyevd_device(char jobz, char uplo, int64_t n, double* a_dev, int64_t lda, double* w_dev,
                              double* z_dev, int64_t ldz, struct CUstream_st* stream);

/* A part of the spectrum, with LAPACK's names. Both as above, but
 *   range   'A': all; 'V': the values in (vl, vu]; 'I': values number il to iu, ascending, counted from 1
 *   vl, vu  read with range 'V': vl < vu, may be infinite      il, iu  read with range 'I': 1 <= il <= iu <= n
 *   m       one value, host, out: how many were found
 *   w       m values; room for n, of which the rest is undefined
 *   a       with jobz 'V' columns 1 to m hold the vectors on return, the rest is undefined
 *   z_dev   n x m, of which with range 'V' n columns must have room, with range 'I' iu - il + 1
 * Source: LAPACK dsyevr, cuSOLVER syevdx. */
int64_t eigen_g_dsyevdx(char jobz, char range, char uplo, int64_t n, double* a, int64_t lda, double vl,
                        double vu, int64_t il, int64_t iu, int64_t* m, double* w);
int64_t eigen_g_dsyevdx_device(char jobz, char range, char uplo, int64_t n, double* a_dev, int64_t lda,
                               double vl, double vu, int64_t il, int64_t iu, int64_t* m, double* w_dev,
                               double* z_dev, int64_t ldz, struct CUstream_st* stream);

/* Between calls a thread keeps some memory and handles of the GPUs that it used; this frees the calling thread's. */
void eigen_g_release_kept(void);

/* One line of text for an info; never null. */
const char* eigen_g_info_text(int64_t info);

/* "0.1.0" */
const char* eigen_g_version(void);

#ifdef __cplusplus
}
#endif

#endif
