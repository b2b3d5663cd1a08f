/* The C entry to eigen_g: LAPACK's arguments, 64-bit sizes, info as the return value.
 *
 * info:     0  done
 *          -i  argument i (from 1) is wrong; for the matrix also: its triangle holds a NaN or an infinity
 *          >0  the divide and conquer did not converge: LAPACK dstedc's info, or a row of T on a GPU (generalised.h and sparse.h: theirs)
 *       -1001  not enough host memory      -1002  not enough device memory
 *       -1003  CUDA, cuBLAS or LAPACK failed, or a GPU was asked for and there is none
 *       -1004  internal error
 */
#ifndef EIGEN_G_H
#define EIGEN_G_H

#include <eigen_g/c_complex.h>
#include <stddef.h>
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
 * Blocks until done. Source: LAPACK dsyevd, ssyevd. */
int64_t eigen_g_dsyevd(char jobz, char uplo, int64_t n, double* a, int64_t lda, double* w);
int64_t eigen_g_ssyevd(char jobz, char uplo, int64_t n, float* a, int64_t lda, float* w);

/* The same on device pointers of the current GPU: a_dev is destroyed, z_dev (n x n, ldz >= max(1, n); may be a_dev
 * itself with ldz = lda; not read, may be null, with jobz 'N') holds the vectors. Ordered after what `stream` holds; complete on return. */
int64_t eigen_g_dsyevd_device(char jobz, char uplo, int64_t n, double* a_dev, int64_t lda, double* w_dev,
                              double* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_ssyevd_device(char jobz, char uplo, int64_t n, float* a_dev, int64_t lda, float* w_dev,
                              float* z_dev, int64_t ldz, struct CUstream_st* stream);

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
int64_t eigen_g_ssyevdx(char jobz, char range, char uplo, int64_t n, float* a, int64_t lda, float vl,
                        float vu, int64_t il, int64_t iu, int64_t* m, float* w);
int64_t eigen_g_dsyevdx_device(char jobz, char range, char uplo, int64_t n, double* a_dev, int64_t lda,
                               double vl, double vu, int64_t il, int64_t iu, int64_t* m, double* w_dev,
                               double* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_ssyevdx_device(char jobz, char range, char uplo, int64_t n, float* a_dev, int64_t lda,
                               float vl, float vu, int64_t il, int64_t iu, int64_t* m, float* w_dev,
                               float* z_dev, int64_t ldz, struct CUstream_st* stream);

/* A = Z diag(w) Z^H for a complex Hermitian A, whose diagonal's imaginary parts are not read; all else as above.
 * Source: LAPACK zheevd, zheevr, cheevd, cheevr. */
int64_t eigen_g_zheevd(char jobz, char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda, double* w);
int64_t eigen_g_cheevd(char jobz, char uplo, int64_t n, eigen_g_complex* a, int64_t lda, float* w);
int64_t eigen_g_zheevd_device(char jobz, char uplo, int64_t n, eigen_g_double_complex* a_dev, int64_t lda,
                              double* w_dev, eigen_g_double_complex* z_dev, int64_t ldz,
                              struct CUstream_st* stream);
int64_t eigen_g_cheevd_device(char jobz, char uplo, int64_t n, eigen_g_complex* a_dev, int64_t lda,
                              float* w_dev, eigen_g_complex* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_zheevdx(char jobz, char range, char uplo, int64_t n, eigen_g_double_complex* a, int64_t lda,
                        double vl, double vu, int64_t il, int64_t iu, int64_t* m, double* w);
int64_t eigen_g_cheevdx(char jobz, char range, char uplo, int64_t n, eigen_g_complex* a, int64_t lda,
                        float vl, float vu, int64_t il, int64_t iu, int64_t* m, float* w);
int64_t eigen_g_zheevdx_device(char jobz, char range, char uplo, int64_t n, eigen_g_double_complex* a_dev,
                               int64_t lda, double vl, double vu, int64_t il, int64_t iu, int64_t* m,
                               double* w_dev, eigen_g_double_complex* z_dev, int64_t ldz,
                               struct CUstream_st* stream);
int64_t eigen_g_cheevdx_device(char jobz, char range, char uplo, int64_t n, eigen_g_complex* a_dev,
                               int64_t lda, float vl, float vu, int64_t il, int64_t iu, int64_t* m,
                               float* w_dev, eigen_g_complex* z_dev, int64_t ldz, struct CUstream_st* stream);

/* ---- With options, and planned once for many solves: of double; other types by C++. */

/* Set by eigen_g_default_options(), then changed. `size` is what tells a later version of the library which members there are. */
struct eigen_g_options {
  size_t size;
  char jobz, uplo; /* 'V', 'L' */
  char range;      /* 'A'; 'V' reads vl, vu; 'I' reads il, iu */
  char place;      /* 'A': a GPU where there is one and n is worth it; 'C': CPU; 'G': GPU */
  double vl, vu;
  int64_t il, iu;
  const char* path;                   /* "auto", "one_stage", "two_stage" */
  const char* engine;                 /* of the matrix products: "native", "df", "emulated", "auto" */
  const char* ratio;                  /* "auto", or shares of GPU[:GPU...]:CPU as "27:14" */
  int gpus, threads, multiprocessors; /* 1, 0, 0: as in eigen_g.hpp's Devices */
  const char* precision;              /* "native"; "mixed": in float, refined to double; on one GPU */
};
void eigen_g_default_options(struct eigen_g_options* options);

/* What a solve found; m, first as in Report. */
struct eigen_g_result {
  int64_t m, first;
  double seconds;
};

/* One solve: host pointers, or with device != 0 device pointers (a is destroyed, `stream` ordered); a, z as in eigen_g.hpp. A
 * null `options` stands for the default ones, a null `result` is left out. */
int64_t eigen_g_dsolve(int64_t n, double* a, int64_t lda, double* w, double* z, int64_t ldz, int device,
                       struct CUstream_st* stream, const struct eigen_g_options* options,
                       struct eigen_g_result* result);

/* Device memory from the caller's pool; see allocator.hpp. Null functions: the library's own. */
struct eigen_g_allocator {
  void* (*allocate)(size_t bytes, struct CUstream_st* stream, void* context);
  void (*release)(void* memory, size_t bytes, struct CUstream_st* stream, void* context);
  void* context;
};

/* A solver for matrices of order n on host (device 0) or device pointers, with its own context; see solver.hpp. Used by one
 * thread at a time. `solver` is null where the info is not 0. */
typedef struct eigen_g_solver eigen_g_solver;
int64_t eigen_g_dsolver_create(eigen_g_solver** solver, int64_t n, int device,
                               const struct eigen_g_options* options,
                               const struct eigen_g_allocator* allocator);
/* Bytes that a solve takes for itself at most. */
int64_t eigen_g_dsolver_workspace(const eigen_g_solver* solver, uint64_t* host_bytes, uint64_t* device_bytes);
/* Device memory of the caller's for the next solves, or null: the solver's own. */
int64_t eigen_g_dsolver_use(eigen_g_solver* solver, void* workspace_dev, uint64_t bytes);
int64_t eigen_g_dsolver_solve(eigen_g_solver* solver, double* a, int64_t lda, double* w, double* z,
                              int64_t ldz, struct CUstream_st* stream, struct eigen_g_result* result);
/* On device pointers, without a wait for the end: what stands behind the divide and conquer is queued in `stream`. */
int64_t eigen_g_dsolver_enqueue(eigen_g_solver* solver, double* a_dev, int64_t lda, double* w_dev,
                                double* z_dev, int64_t ldz, struct CUstream_st* stream,
                                struct eigen_g_result* result);
void eigen_g_dsolver_destroy(eigen_g_solver* solver); /* null: nothing */

/* Between calls a thread keeps some memory and handles of the GPUs that it used; this frees the calling thread's. */
void eigen_g_release_kept(void);

/* One line of text for an info; never null. */
const char* eigen_g_info_text(int64_t info);

/* "0.2.0" */
const char* eigen_g_version(void);

#ifdef __cplusplus
}
#endif

#endif
