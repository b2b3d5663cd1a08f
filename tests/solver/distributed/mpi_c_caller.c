/* The calls from C, as C compiles them. */
#include "solver/distributed/distributed.h"

/* Values first to n of A on every process; 0: as it should be, else what is wrong. */
int call_from_c(MPI_Comm comm, int64_t n, double* a, double* b, const int* desc, int64_t first, double* w,
                double* z) {
  int64_t m = 0;
  if (eigen_g_pdsyevdx(comm, 'X', 'A', 'L', n, a, desc, 0, 0, 0, 0, &m, w, z, desc) != -2) return 1;
  if (eigen_g_pdsygvdx(comm, 4, 'N', 'A', 'L', n, a, desc, b, desc, 0, 0, 0, 0, &m, w, z, desc) != -2)
    return 2;
  if (eigen_g_pdsyevdx(comm, 'V', 'I', 'L', n, a, desc, 0, 0, first, n, &m, w, z, desc) != 0) return 3;
  return m == n - first + 1 ? 0 : 4;
}
