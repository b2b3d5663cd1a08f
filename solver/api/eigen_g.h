/* The C entries to eigen_g: LAPACK's arguments, 64-bit sizes, info as the return value.
 *
 * info:     0  done
 *          -i  argument i (from 1) is outside its contract; for a matrix also: its triangle holds a NaN or an infinity
 *          >0  the divide and conquer did not converge: a row or an eigenvalue of the tridiagonal matrix to which A is reduced, from 1.
 *              generalised.h, batched.h and sparse.h add values of their own
 *       -1001  not enough host memory      -1002  not enough device memory
 *       -1003  CUDA, cuBLAS or LAPACK failed, or a GPU is required and there is none
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

/* A = Z diag(w) Z^T on host pointers.
 *   jobz  'N': values only, 'V': values and vectors
 *   uplo  'L' or 'U': the triangle of A that is read
 *   a     n x n column-major, leading dimension lda >= max(1, n), host memory, in. With jobz 'V' it holds the orthonormal vectors
 *         on return; with 'N' it is not changed
 *   w     n values, host memory, out, ascending
 * Runs on a GPU if there is one and n is large enough, else on the CPU. Blocks until done. Source: LAPACK dsyevd, ssyevd. */
int64_t eigen_g_dsyevd(char jobz, char uplo, int64_t n, double* a, int64_t lda, double* w);
int64_t eigen_g_ssyevd(char jobz, char uplo, int64_t n, float* a, int64_t lda, float* w);

/* A = Z diag(w) Z^T on device pointers of the current GPU.
 *   a_dev   n x n, lda >= max(1, n), in, destroyed
 *   w_dev   n values, out, ascending
 *   z_dev   n x n, ldz >= max(1, n), out: the vectors. May be a_dev itself if ldz = lda. With jobz 'N' it may be null
 *   stream  the solve starts after all work that is in the stream, and is complete on return; null: the default stream */
int64_t eigen_g_dsyevd_device(char jobz, char uplo, int64_t n, double* a_dev, int64_t lda, double* w_dev,
                              double* z_dev, int64_t ldz, struct CUstream_st* stream);
int64_t eigen_g_ssyevd_device(char jobz, char uplo, int64_t n, float* a_dev, int64_t lda, float* w_dev,
                              float* z_dev, int64_t ldz, struct CUstream_st* stream);

/* A subset of the spectrum, on host and on device pointers. As above, except
 *   range   'A': all values; 'V': the values in (vl, vu]; 'I': the values with index il to iu, ascending, from 1
 *   vl, vu  read with range 'V': vl < vu; may be infinite
 *   il, iu  read with range 'I': 1 <= il <= iu <= n
 *   m       one value, host memory, out: the number of pairs found
 *   w       m values, out; has room for n values, and the rest is undefined
 *   a       with jobz 'V' columns 1 to m hold the vectors on return; the rest is undefined
 *   z_dev   n x m, out; has room for n columns with range 'V', and for iu - il + 1 columns with range 'I'
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

/* A = Z diag(w) Z^H for a complex Hermitian A; the imaginary parts of its diagonal are not read. The rest is as above.
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

/* ---- Solves with options, and a solver object, in double. Other types have these in C++ only. */

/* Call eigen_g_default_options() first, then change members. `size` lets a later version of the library see which members the
 * caller's struct has. */
struct eigen_g_options {
  size_t size;
  char jobz, uplo; /* 'V', 'L' */
  char range;      /* 'A'; 'V' reads vl, vu; 'I' reads il, iu */
  char device;     /* 'A': a GPU if there is one and n is large enough, else the CPU; 'C': CPU; 'G': GPU */
  double vl, vu;
  int64_t il, iu;
  const char* path;   /* "auto", "one_stage", "two_stage" */
  const char* engine; /* "native", "df", "emulated", "ozaki", "ozaki-fast", "ozaki-fp8", "auto" */
  const char* ratio;  /* "auto", or GPU[:GPU...]:CPU such as "27:14" */
  int gpus, threads, multiprocessors; /* 1, 0, 0; as in Devices (types.hpp). gpus = 0: the number that pays */
  const char* precision;              /* "native"; "mixed": float, refined to double, on one GPU */
  uint64_t memory_limit;              /* 0; as in Devices */
};
void eigen_g_default_options(struct eigen_g_options* options);

/* Result of a solve; m and first_index as in Report (types.hpp). */
struct eigen_g_result {
  int64_t m, first_index;
  double seconds;
};

/* One solve with options; a, w and z as in eigen_g.hpp.
 *   device_pointers  0: host pointers; else device pointers: a is destroyed, and the solve starts after all work in `stream`
 *   options          null: the defaults
 *   result           out; may be null */
int64_t eigen_g_dsolve(int64_t n, double* a, int64_t lda, double* w, double* z, int64_t ldz,
                       int device_pointers, struct CUstream_st* stream, const struct eigen_g_options* options,
                       struct eigen_g_result* result);

/* A piece of a matrix in the memory of a GPU: `columns` consecutive columns with n rows each, column-major, leading dimension ld >= max(1, n). The
 * solve starts after all work that is in `stream` of that GPU; null: its default stream. */
struct eigen_g_shard {
  void* data_dev;
  int64_t ld, columns;
  struct CUstream_st* stream;
};

/* One solve of a matrix in pieces on several GPUs of one host, as in shards.hpp.
 *   a        count_a pieces in the order of the columns, n columns together, in; not changed, unless z has the same memory
 *   w        n values, out: host memory, or memory of the first piece's GPU
 *   z        count_z pieces in the order of the columns, out: n columns together (range 'I': iu - il + 1), on GPUs that have pieces of a. Not used
 *            with jobz 'N'
 *   options  null: the defaults; gpus and device are not used
 *   result   out; may be null */
int64_t eigen_g_dsolve_shards(int64_t n, int64_t count_a, const struct eigen_g_shard* a, double* w,
                              int64_t count_z, const struct eigen_g_shard* z,
                              const struct eigen_g_options* options, struct eigen_g_result* result);
int64_t eigen_g_ssolve_shards(int64_t n, int64_t count_a, const struct eigen_g_shard* a, float* w,
                              int64_t count_z, const struct eigen_g_shard* z,
                              const struct eigen_g_options* options, struct eigen_g_result* result);
int64_t eigen_g_zsolve_shards(int64_t n, int64_t count_a, const struct eigen_g_shard* a, double* w,
                              int64_t count_z, const struct eigen_g_shard* z,
                              const struct eigen_g_options* options, struct eigen_g_result* result);
int64_t eigen_g_csolve_shards(int64_t n, int64_t count_a, const struct eigen_g_shard* a, float* w,
                              int64_t count_z, const struct eigen_g_shard* z,
                              const struct eigen_g_options* options, struct eigen_g_result* result);

/* Source of device memory, as in allocator.hpp. Null functions: the library's own. */
struct eigen_g_allocator {
  void* (*allocate)(size_t bytes, struct CUstream_st* stream, void* context);
  void (*release)(void* memory, size_t bytes, struct CUstream_st* stream, void* context);
  void* context;
};

/* Makes a solver for matrices of order n on host (device_pointers = 0) or device pointers, with its own context; see solver.hpp. A
 * solver is used by one thread at a time. If info is not 0, *solver is null. */
typedef struct eigen_g_solver eigen_g_solver;
int64_t eigen_g_dsolver_create(eigen_g_solver** solver, int64_t n, int device_pointers,
                               const struct eigen_g_options* options,
                               const struct eigen_g_allocator* allocator);
/* Upper bound of the memory of a solve in addition to a, w and z. */
int64_t eigen_g_dsolver_workspace(const eigen_g_solver* solver, uint64_t* host_bytes, uint64_t* device_bytes);
/* Sets the workspace of the next solves in device memory. If workspace_dev is null, the solver allocates its own workspace. */
int64_t eigen_g_dsolver_set_workspace(eigen_g_solver* solver, void* workspace_dev, uint64_t bytes);
int64_t eigen_g_dsolver_solve(eigen_g_solver* solver, double* a, int64_t lda, double* w, double* z,
                              int64_t ldz, struct CUstream_st* stream, struct eigen_g_result* result);
/* A solve on device pointers that returns before its end: the back-transformation is queued in `stream`. See Solver::enqueue(). */
int64_t eigen_g_dsolver_enqueue(eigen_g_solver* solver, double* a_dev, int64_t lda, double* w_dev,
                                double* z_dev, int64_t ldz, struct CUstream_st* stream,
                                struct eigen_g_result* result);
void eigen_g_dsolver_destroy(eigen_g_solver* solver); /* null: does nothing */

/* Frees the memory and handles that the calling thread keeps between its calls, and the blocks of device memory that the process
   keeps; see eigen_g.hpp. */
void eigen_g_release_thread_cache(void);

/* Returns one line of text for an info; never null. */
const char* eigen_g_info_text(int64_t info);

/* "0.2.0" */
const char* eigen_g_version(void);

#ifdef __cplusplus
}
#endif

#endif
