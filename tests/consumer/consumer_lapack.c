/* A program that calls LAPACK and knows nothing of eigen_g. */
#include <math.h>
#include <stdio.h>

void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);

int main(void) {
  double a[] = {2, 1, 1, 2}, w[2], work[32];
  const int n = 2, lwork = 32, liwork = 16;
  int iwork[16], info = -1;
  dsyevd_("V", "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info);
  printf("%d: %g %g\n", info, w[0], w[1]);
  return info != 0 || fabs(w[0] - 1) > 1e-14 || fabs(w[1] - 3) > 1e-14;
}
