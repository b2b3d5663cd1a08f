/* consumer.cpp in C: the call returns the vectors in a, and a wrong argument as its negative number. */
#include <eigen_g/eigen_g.h>
#include <eigen_g/stages.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  double a[] = {2, 1, NAN, 2}; /* the upper triangle is not read */
  double w[2];
  const int64_t bad = eigen_g_dsyevd('V', 'L', 2, a, 1, w); /* lda < n: argument 5 */
  const int64_t info = eigen_g_dsyevd('V', 'L', 2, a, 2, w);
  double d[] = {2, 2}, e[] = {1}; /* already tridiagonal */
  const int right = info == 0 && fabs(w[0] - 1) < 1e-14 && fabs(w[1] - 3) < 1e-14 &&
                    fabs(fabs(a[2]) - sqrt(0.5)) < 1e-14 && bad == -5 &&
                    eigen_g_dstedc('N', 2, d, e, 0, 1) == 0 && fabs(d[1] - 3) < 1e-14;
  printf("eigen_g %s: %.15g %.15g, info %d and %d%s\n", eigen_g_version(), w[0], w[1], (int)info, (int)bad,
         right ? "" : " WRONG");
  return right ? 0 : 1;
}
