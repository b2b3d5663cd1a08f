/* A C program that includes the C header and solves the 1-2-1 matrix of order 3. */
#include "solver/api/eigen_g.h"

int64_t solve_three_by_three_from_c(double* w, double* z) {
  const double a[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
  int i;
  for (i = 0; i < 9; ++i) z[i] = a[i];
  return eigen_g_dsyevd('V', 'L', 3, z, 3, w);
}
