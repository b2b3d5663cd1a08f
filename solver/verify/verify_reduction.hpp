// verify_reduction(): checks a tridiagonalization A = Q T Q^T by two test ratios:
//
//   ||A - Q T Q^T||_F          ||Q^T Q - I||_F
//   -----------------          ---------------       ulp = 2^-52, T = tridiag(e, d, e)
//    n ||A||_F ulp                  n ulp
//
// It computes on the CPU, in double; the tests and benchmarks use it.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

struct ReductionRatios {
  double backward = 0;  // NaN if T or Q has a NaN
  double orthogonality = 0;
};

//   a  n x n, host, in; only the triangle `uplo` is read
//   d  n values, host, in
//   e  n - 1 values, host, in
//   q  n x n, host, in
// Before squares are formed, A, d and e are divided by the power of two that is nearest below A's largest entry. For A = 0 the norm in
// `backward` is 1. n = 0: both ratios are zero. Blocks. Throws OutOfMemory.
// Cost: 4 n^3 flops, 2 n^2 doubles of workspace. Source: LAPACK dsyt21.
ReductionRatios verify_reduction(Uplo uplo, MatrixView<const double> a, const double* d, const double* e,
                                 MatrixView<const double> q);

}  // namespace eigen_g
