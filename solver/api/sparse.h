/* The C entry to a few eigenpairs of a large sparse symmetric matrix; info as in eigen_g.h. */
#ifndef EIGEN_G_SPARSE_H
#define EIGEN_G_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `count` lowest or highest pairs of A in compressed rows, both triangles stored, counted from 0.
 *   end        'L': lowest, 'H': highest
 *   row_begin  n + 1 offsets     column, value  of each entry, columns ascending within a row
 *   tolerance  |A z - w z| <= tolerance |A|, from 1e-14 to 1; 0: 1e-9
 *   w          count values, out, ascending     z  n x count column-major, ldz >= max(1, n), out; may be null
 *   residuals  count values, out: |A z - w z|; may be null
 * Host memory; on a GPU where there is one and n is worth it. Blocks until done.
 * Returns info: -i for argument i (from 1), 1 where pairs have not converged: w, z and residuals hold them as they are. */
int64_t eigen_g_dsfew(char end, int64_t n, int64_t count, const int64_t* row_begin, const int32_t* column,
                      const double* value, double tolerance, double* w, double* z, int64_t ldz,
                      double* residuals);

#ifdef __cplusplus
}
#endif

#endif
