/* Complex numbers in C: as std::complex, the Fortran types and C99's own lie in memory. */
#ifndef EIGEN_G_C_COMPLEX_H
#define EIGEN_G_C_COMPLEX_H

typedef struct {
  float re, im;
} eigen_g_complex;
typedef struct {
  double re, im;
} eigen_g_double_complex;

#endif
