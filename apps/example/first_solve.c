/* The first solve from C, with LAPACK's arguments, and a check of A z = w z by hand. */
/* [c-solve] */
#include <eigen_g/eigen_g.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  enum { n = 3 };
  const double a[n * n] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
  double z[n * n], w[n], worst = 0;
  for (int i = 0; i < n * n; ++i) z[i] = a[i]; /* the matrix goes in, the vectors come back */
  const int64_t info = eigen_g_dsyevd('V', 'L', n, z, n, w);
  if (info != 0) {
    fprintf(stderr, "%s\n", eigen_g_info_text(info));
    return 1;
  }
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      double residual = -w[k] * z[i + n * k];
      for (int j = 0; j < n; ++j) residual += a[i + n * j] * z[j + n * k];
      worst = fmax(worst, fabs(residual));
    }
  printf("%.6f %.6f %.6f, largest residual %.1e\n", w[0], w[1], w[2], worst);
  return worst < 1e-14 ? 0 : 1;
}
/* [end] */
