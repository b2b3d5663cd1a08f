/* The C entry to a few eigenpairs of a large sparse symmetric matrix; info as in eigen_g.h. */
#ifndef EIGEN_G_SPARSE_H
#define EIGEN_G_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `count` lowest or highest eigenpairs of A in CSR form, both triangles stored. All arrays are in host memory.
 *   end        'L': lowest, 'H': highest
 *   row_offsets  n + 1 offsets
 *   column     column of each entry, from 0; strictly ascending within a row
 *   value      value of each entry
 *   tolerance  |A z - w z| <= tolerance |A|, from 1e-14 to 1; 0: max(1e-14, 5 sqrt(n) 2^-52), with which pairs pass the verification
 *   w          count values, out, ascending
 *   z          n x count column-major, ldz >= max(1, n), out; may be null
 *   residuals  count values, out: |A z - w z|; may be null
 * Runs on a GPU if there is one and n is large enough, else on the CPU. Blocks until done.
 * Returns info: -i for argument i (from 1); 1 if pairs have not converged. w, z and residuals then hold the unconverged pairs too. */
int64_t eigen_g_dsfew(char end, int64_t n, int64_t count, const int64_t* row_offsets, const int32_t* column,
                      const double* value, double tolerance, double* w, double* z, int64_t ldz,
                      double* residuals);

/* Verification of `count` pairs of A in CSR form, without a dense matrix. The arguments are as above.
 *   residual       ||A Z - Z W||_1 / (n ||A||_1 2^-52), out; may be null
 *   orthogonality  ||Z^T Z - I||_1 / (n 2^-52), out; may be null
 * Returns info: -i for argument i; 1 if a ratio is more than 10, w does not ascend, or w or z has a NaN or an infinity. */
int64_t eigen_g_dsfew_verify(int64_t n, int64_t count, const int64_t* row_offsets, const int32_t* column,
                             const double* value, const double* w, const double* z, int64_t ldz,
                             double* residual, double* orthogonality);

#ifdef __cplusplus
}
#endif

#endif
