/* Eigenvalues and eigenvectors of matrices that are dealt out to MPI processes, from C: ScaLAPACK's arguments, 64-bit sizes, info as
 * eigen_g.h's. What the calls do, need and cost: distributed.hpp. */
#ifndef EIGEN_G_DISTRIBUTED_H
#define EIGEN_G_DISTRIBUTED_H

#include <mpi.h>
#include <stdint.h>

#include <eigen_g/c_complex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A = Z diag(w) Z^H.
 *   comm      the processes of the descriptors' BLACS context, all of them; every one calls
 *   jobz      'N': values only, 'V': values and vectors
 *   range     'A': all, 'V': those in (vl, vu], 'I': number il to iu, ascending from 1
 *   uplo      'L' or 'U': the triangle of A that is read
 *   a, desca  local part and descriptor: n x n, square blocks, the first at process (0, 0); destroyed
 *   m, w      how many were found; n values on every process, out, ascending, the first m count
 *   z, descz  n x n, dealt out as A is; its first m columns, out; not read, may be null, with jobz 'N'
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
 *   b, descb  n x n, dealt out as A is; its lower triangle holds the Cholesky factor on return
 * info: n+i where B's leading minor of order i is not positive definite. Source: ScaLAPACK pdpotrf, pdsyngst, pdtrsm. */
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
