// Checks a tridiagonalization by the property that defines it:
//
//   ||A - Q T Q^T||_F          ||Q^T Q - I||_F
//   -----------------          ---------------       ulp = 2^-52, T = tridiag(e, d, e)
//    n ||A||_F ulp                  n ulp
//
// on the CPU, in double; for tests and benchmarks.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

struct ReductionRatios {
  double backward = 0;  // NaN where T or Q holds one
  double orthogonality = 0;
};

//   a  n x n, host, in, only the triangle `uplo` is read     d  n, e  n - 1 values, host, in     q  n x n, host, in
// All of A, d and e are divided by the power of two near A's largest entry before squares are taken; for A = 0 the
// backward ratio's norm is 1. n = 0: zeros. Blocks. Cost: 4 n^3 flops, 2 n^2 doubles of workspace.
// Throws OutOfMemory. Source: LAPACK dsyt21.
ReductionRatios verify_reduction(Uplo uplo, MatrixView<const double> a, const double* d, const double* e,
                                 MatrixView<const double> q);

}  // namespace eigen_g
