/* Complex numbers in C, with the memory layout of std::complex, of Fortran's types and of C99's complex types. */
#ifndef EIGEN_G_C_COMPLEX_H
#define EIGEN_G_C_COMPLEX_H

typedef struct {
  float re, im;
} eigen_g_complex;
typedef struct {
  double re, im;
} eigen_g_double_complex;

#endif
