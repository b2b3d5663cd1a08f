/* The C interface to eigenvalues and eigenvectors of matrices that are distributed over MPI processes. It has ScaLAPACK's arguments with
 * 64-bit sizes, and info is as in eigen_g.h. distributed.hpp says what the calls do, need and cost. */
#ifndef EIGEN_G_DISTRIBUTED_H
#define EIGEN_G_DISTRIBUTED_H

#include <mpi.h>
#include <stdint.h>

#include <eigen_g/c_complex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A = Z diag(w) Z^H.
 *   comm      all processes of the descriptors' BLACS context; every process calls
 *   jobz      'N': values only, 'V': values and vectors
 *   range     'A': all, 'V': values in (vl, vu], 'I': index il to iu, ascending from 1
 *   uplo      'L' or 'U': the triangle of A that is read
 *   a, desca  local part and descriptor: n x n, square blocks, the first at process (0, 0); destroyed
 *   m         number of pairs found, out
 *   w         n values on every process, out; the first m are the values found, ascending
 *   z, descz  n x n, distributed as A, out: the first m columns; with jobz 'N' not used, may be null
 * Blocks until done. Source: ScaLAPACK pdsyevd, pzheevd. */
int64_t eigen_g_pdsyevdx(MPI_Comm comm, char jobz, char range, char uplo, int64_t n, double* a,
                         const int* desca, double vl, double vu, int64_t il, int64_t iu, int64_t* m,
                         double* w, double* z, const int* descz);
int64_t eigen_g_pssyevdx(MPI_Comm comm, char jobz, char range, char uplo, int64_t n, float* a,
                         const int* desca, float vl, float vu, int64_t il, int64_t iu, int64_t* m, float* w,
                         float* z, const int* descz);
int64_t eigen_g_pzheevdx(MPI_Comm comm, char jobz, char range, char uplo, int64_t n,
                         eigen_g_double_complex* a, const int* desca, double vl, double vu, int64_t il,
                         int64_t iu, int64_t* m, double* w, eigen_g_double_complex* z, const int* descz);
int64_t eigen_g_pcheevdx(MPI_Comm comm, char jobz, char range, char uplo, int64_t n, eigen_g_complex* a,
                         const int* desca, float vl, float vu, int64_t il, int64_t iu, int64_t* m, float* w,
                         eigen_g_complex* z, const int* descz);

/* A x = w B x (itype 1), A B x = w x (2), B A x = w x (3).
 *   b, descb  n x n, distributed as A, in; out: the Cholesky factor in the lower triangle
 * info: n+i if B's leading minor of order i is not positive definite. Source: ScaLAPACK pdpotrf, pdsyngst, pdtrsm. */
int64_t eigen_g_pdsygvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, int64_t n, double* a,
                         const int* desca, double* b, const int* descb, double vl, double vu, int64_t il,
                         int64_t iu, int64_t* m, double* w, double* z, const int* descz);
int64_t eigen_g_pssygvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, int64_t n, float* a,
                         const int* desca, float* b, const int* descb, float vl, float vu, int64_t il,
                         int64_t iu, int64_t* m, float* w, float* z, const int* descz);
int64_t eigen_g_pzhegvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, int64_t n,
                         eigen_g_double_complex* a, const int* desca, eigen_g_double_complex* b,
                         const int* descb, double vl, double vu, int64_t il, int64_t iu, int64_t* m,
                         double* w, eigen_g_double_complex* z, const int* descz);
int64_t eigen_g_pchegvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, int64_t n,
                         eigen_g_complex* a, const int* desca, eigen_g_complex* b, const int* descb, float vl,
                         float vu, int64_t il, int64_t iu, int64_t* m, float* w, eigen_g_complex* z,
                         const int* descz);

#ifdef __cplusplus
}
#endif

#endif
