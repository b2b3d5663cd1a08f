/* The C entries to a few eigenpairs of large sparse symmetric matrices and pencils; info as in eigen_g.h. */
#ifndef EIGEN_G_SPARSE_H
#define EIGEN_G_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#include <eigen_g/c_complex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `count` lowest or highest eigenpairs of A in CSR form, both triangles stored. All arrays are in host memory.
 *   end             'L': lowest, 'H': highest
 *   row_offsets     n + 1 offsets
 *   column_indices  column of each entry, from 0; strictly ascending within a row
 *   values          value of each entry
 *   tolerance       |A z - w z| <= tolerance |A|, from 1e-14 to 1; 0: max(1e-14, 5 sqrt(n) 2^-52), with which pairs pass the verification
 *   w               count values, out, ascending
 *   z               n x count column-major, ldz >= max(1, n), out; may be null
 *   residuals       count values, out: |A z - w z|; may be null
 * Runs on a GPU if there is one and n is large enough, else on the CPU. Blocks until done.
 * Returns info: -i for argument i (from 1); 1 if pairs have not converged. w, z and residuals then hold the unconverged pairs too. */
int64_t eigen_g_dsfew(char end, int64_t n, int64_t count, const int64_t* row_offsets,
                      const int32_t* column_indices, const double* values, double tolerance, double* w,
                      double* z, int64_t ldz, double* residuals);

/* Verification of `count` pairs of A in CSR form, without a dense matrix. The arguments are as above.
 *   residual       ||A Z - Z W||_1 / (n ||A||_1 2^-52), out; may be null
 *   orthogonality  ||Z^T Z - I||_1 / (n 2^-52), out; may be null
 * Returns info: -i for argument i; 1 if a ratio is more than 10, w does not ascend, or w or z has a NaN or an infinity. */
int64_t eigen_g_dsfew_verify(int64_t n, int64_t count, const int64_t* row_offsets,
                             const int32_t* column_indices, const double* values, const double* w,
                             const double* z, int64_t ldz, double* residual, double* orthogonality);

/* The pencil K - w M of the three functions below, in host memory: K z = w M z, z^T M z = 1.
 *   k_row_offsets, k_column_indices, k_values   K in CSR form as above
 *   m_row_offsets, m_column_indices, m_values   M in CSR form, positive semidefinite; null: not given
 *   m_diagonal                                 n values, the diagonal of M; null: not given. If neither is given, M is the identity matrix
 * They need a library that factorises sparse matrices: MUMPS, in builds that found it. Without one a pencil
 * that is small enough is solved as a dense one by eigen_g_dsgfew; otherwise info is -1003. */

/* The results of eigen_g_dsgfew and eigen_g_dsginterval in addition to the pairs. */
typedef struct {
  double shift_wished, shift_used; /* they differ if K - shift_wished M is almost singular */
  double low,
      high; /* below these points there are count_low and count_high eigenvalues; low may be -infinity */
  int64_t count_low, count_high;
  int64_t found;  /* number of pairs that were found between them */
  int64_t proven; /* 1: found = count_high - count_low, so no wanted pair is missing; 0: this is not proven */
  int64_t factorisations;
  int64_t factor_entries; /* number of entries of the factor L */
  int64_t products;       /* number of vectors that were solved for */
} eigen_g_few_report;

/* `count` pairs of K - w M.
 *   end        'L': the lowest pairs, 'H': the highest ones; 'N': the nearest ones to sigma, 'A': above it, 'B': below it
 *   sigma      the point for 'N', 'A' and 'B'
 *   tolerance  limit of |K z - w M z| / ((|K| + |w| |M|) |z|), from 1e-14 to 1; 0: roundoff
 *   w, z, ldz  as above
 *   bound      count values, out: bounds of the distance between each w and an eigenvalue; NaN without a factorisation. May be null
 *   report     out; may be null
 * Returns info: -i for argument i; 1 if pairs have not converged; 2 if all have, but it is not proven that none is missing. */
int64_t eigen_g_dsgfew(char end, int64_t n, int64_t count, const int64_t* k_row_offsets,
                       const int32_t* k_column_indices, const double* k_values, const int64_t* m_row_offsets,
                       const int32_t* m_column_indices, const double* m_values, const double* m_diagonal,
                       double sigma, double tolerance, double* w, double* z, int64_t ldz, double* bound,
                       eigen_g_few_report* report);

/* All pairs with a <= w < b, ascending.
 *   max_pairs  room in w, z and bound. If there are more pairs, info is -11, and *found is their number; no pair is computed then
 *   found      out: number of pairs
 *   w          max_pairs values, out
 *   z          n x max_pairs, ldz >= max(1, n), out; may be null
 * The rest, and info, as for eigen_g_dsgfew. */
int64_t eigen_g_dsginterval(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                            const double* k_values, const int64_t* m_row_offsets,
                            const int32_t* m_column_indices, const double* m_values, const double* m_diagonal,
                            double a, double b, int64_t max_pairs, int64_t* found, double* w, double* z,
                            int64_t ldz, double* bound, eigen_g_few_report* report);

/* The number of eigenvalues below s.
 *   at     out: the point of the count: s, or a point next to it if s is an eigenvalue to working accuracy. May be null
 *   below  out
 * Returns info: -i for argument i. */
int64_t eigen_g_dsgcount(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                         const double* k_values, const int64_t* m_row_offsets,
                         const int32_t* m_column_indices, const double* m_values, const double* m_diagonal,
                         double s, double* at, int64_t* below);

/* Forms of the three functions for single precision (s) and for complex Hermitian K and M (z, c). Vectors of Hermitian pencils have z^H M z = 1. All are solved in double: a
 * Hermitian pencil as a real symmetric one of order 2 n, which has each pair twice. Limits of residuals are 2^-23 instead of roundoff in single precision. */
int64_t eigen_g_ssgfew(char end, int64_t n, int64_t count, const int64_t* k_row_offsets,
                       const int32_t* k_column_indices, const float* k_values, const int64_t* m_row_offsets,
                       const int32_t* m_column_indices, const float* m_values, const float* m_diagonal,
                       double sigma, double tolerance, float* w, float* z, int64_t ldz, double* bound,
                       eigen_g_few_report* report);
int64_t eigen_g_ssginterval(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                            const float* k_values, const int64_t* m_row_offsets,
                            const int32_t* m_column_indices, const float* m_values, const float* m_diagonal,
                            double a, double b, int64_t max_pairs, int64_t* found, float* w, float* z,
                            int64_t ldz, double* bound, eigen_g_few_report* report);
int64_t eigen_g_ssgcount(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                         const float* k_values, const int64_t* m_row_offsets, const int32_t* m_column_indices,
                         const float* m_values, const float* m_diagonal, double s, double* at,
                         int64_t* below);
int64_t eigen_g_zhgfew(char end, int64_t n, int64_t count, const int64_t* k_row_offsets,
                       const int32_t* k_column_indices, const eigen_g_double_complex* k_values,
                       const int64_t* m_row_offsets, const int32_t* m_column_indices,
                       const eigen_g_double_complex* m_values, const double* m_diagonal, double sigma,
                       double tolerance, double* w, eigen_g_double_complex* z, int64_t ldz, double* bound,
                       eigen_g_few_report* report);
int64_t eigen_g_zhginterval(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                            const eigen_g_double_complex* k_values, const int64_t* m_row_offsets,
                            const int32_t* m_column_indices, const eigen_g_double_complex* m_values,
                            const double* m_diagonal, double a, double b, int64_t max_pairs, int64_t* found,
                            double* w, eigen_g_double_complex* z, int64_t ldz, double* bound,
                            eigen_g_few_report* report);
int64_t eigen_g_zhgcount(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                         const eigen_g_double_complex* k_values, const int64_t* m_row_offsets,
                         const int32_t* m_column_indices, const eigen_g_double_complex* m_values,
                         const double* m_diagonal, double s, double* at, int64_t* below);
int64_t eigen_g_chgfew(char end, int64_t n, int64_t count, const int64_t* k_row_offsets,
                       const int32_t* k_column_indices, const eigen_g_complex* k_values,
                       const int64_t* m_row_offsets, const int32_t* m_column_indices,
                       const eigen_g_complex* m_values, const float* m_diagonal, double sigma,
                       double tolerance, float* w, eigen_g_complex* z, int64_t ldz, double* bound,
                       eigen_g_few_report* report);
int64_t eigen_g_chginterval(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                            const eigen_g_complex* k_values, const int64_t* m_row_offsets,
                            const int32_t* m_column_indices, const eigen_g_complex* m_values,
                            const float* m_diagonal, double a, double b, int64_t max_pairs, int64_t* found,
                            float* w, eigen_g_complex* z, int64_t ldz, double* bound,
                            eigen_g_few_report* report);
int64_t eigen_g_chgcount(int64_t n, const int64_t* k_row_offsets, const int32_t* k_column_indices,
                         const eigen_g_complex* k_values, const int64_t* m_row_offsets,
                         const int32_t* m_column_indices, const eigen_g_complex* m_values,
                         const float* m_diagonal, double s, double* at, int64_t* below);

/* A matrix by its products: sets Y := A X. X and Y are n x 4 and row-major: element (i, j) is x[4 i + j]. They do not overlap. It is
 * called from the thread of the caller. A value that is not 0 ends the solve. */
typedef int (*eigen_g_multiply)(void* data, const double* x, double* y);

/* `count` pairs by products alone.
 *   end      'L', 'H': pairs of A; m and inverse are null. 'N', 'A', 'B' as for eigen_g_dsgfew: `inverse` multiplies with
 *            (A - sigma M)^-1
 *   a        may be null with `inverse`
 *   m        null: the identity matrix
 *   data     is passed to the three functions
 * The rest as for eigen_g_dsfew. Returns info: -i for argument i; 1 if pairs have not converged; 3 if a product ended the solve. */
int64_t eigen_g_dsopfew(char end, int64_t n, int64_t count, eigen_g_multiply a, eigen_g_multiply m,
                        eigen_g_multiply inverse, void* data, double sigma, double tolerance, double* w,
                        double* z, int64_t ldz, double* residuals);

/* As eigen_g_dsopfew for a complex Hermitian matrix: x and y have 4 n complex values. */
typedef int (*eigen_g_complex_multiply)(void* data, const eigen_g_double_complex* x,
                                        eigen_g_double_complex* y);
int64_t eigen_g_zhopfew(char end, int64_t n, int64_t count, eigen_g_complex_multiply a,
                        eigen_g_complex_multiply m, eigen_g_complex_multiply inverse, void* data,
                        double sigma, double tolerance, double* w, eigen_g_double_complex* z, int64_t ldz,
                        double* residuals);

#ifdef __cplusplus
}
#endif

#endif
