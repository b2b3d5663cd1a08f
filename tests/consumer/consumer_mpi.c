/* Calls the C interface to distributed matrices of an installed eigen_g: a wrong jobz is refused as argument 2. */
#include <eigen_g/distributed.h>
#include <stdio.h>

int main(int argc, char** argv) {
  double a = 1, w = 0, z = 0;
  const int desc[9] = {1, 0, 1, 1, 1, 1, 0, 0, 1};
  int64_t m = 0;
  MPI_Init(&argc, &argv);
  const int64_t info =
      eigen_g_pdsyevdx(MPI_COMM_WORLD, 'X', 'A', 'L', 1, &a, desc, 0, 0, 1, 1, &m, &w, &z, desc);
  MPI_Finalize();
  printf("distributed: info %d%s\n", (int)info, info == -2 ? "" : " WRONG");
  return info == -2 ? 0 : 1;
}
