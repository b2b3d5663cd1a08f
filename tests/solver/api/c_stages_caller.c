/* A C program that includes the C header of the stages and solves the 1-2-1 matrix of order 3 stage by stage. */
#include "solver/api/stages.h"

int64_t solve_three_by_three_by_stages_from_c(double* w, double* z) {
  double a[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2};
  double e[2], tau[2];
  int64_t info = eigen_g_dsytrd('L', 3, a, 3, w, e, tau);
  if (info == 0) info = eigen_g_dstedc('I', 3, w, e, z, 3);
  if (info == 0) info = eigen_g_dormtr('L', 'L', 'N', 3, 3, a, 3, tau, z, 3);
  return info;
}
