// The heavy part of verify(), once for the CPU and once for the GPU: sums down columns, in panels J of
// columns,
//
//   A(:, J)                          |.| and squares, a column of A each
//   R(J, :) = A(:, J)^H Z - Z(J, :) W   |.| and squares, a column of Z each, added up over J
//   A(:, J) - Z W Z(J, :)^H          squares; only where m = n
//   Z^H Z(:, J) - I                  |.| and squares
//
// A and w come scaled by a power of two, so that no square overflows or vanishes for the scale's sake. Every
// sum has a fixed order. An internal header of verify.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_generalised.hpp"

namespace eigen_g {

// A float is double here from its first use on, a complex float complex double.
template <class T>
using wide_t = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <class T>
struct ScaledPairs {
  Uplo uplo = Uplo::lower;
  MatrixView<const T> a;  // n x n, host, not scaled, one triangle
  double scale = 1;       // by which A is to be multiplied
  std::vector<double> w;  // m values, scaled
  MatrixView<const T> z;  // n x m, host
};

// Terms of a product that are added up in one chain: where entries are equal the errors of a chain have one sign. By one chain
// ||Z^T Z - I||_F / (n eps) of matrices of ones was 3.4 at n = 300 and 5.0 at 1000; in truth it is 0.1.
inline std::int64_t slice_of_sum(std::int64_t terms) {
  return std::max<std::int64_t>(64, terms / 64);
}

struct ColumnSums {
  std::vector<double> matrix_abs, matrix_squares;      // n
  std::vector<double> residual_abs, residual_squares;  // m
  std::vector<double> reconstruction_squares;          // n, empty for m < n
  std::vector<double> gram_abs, gram_squares;          // m
};

// e for the scale 2^-e of a matrix with this largest finite entry; 2^-e itself stays within range.
int scale_of_check(double largest);

// v's figures from the sums of a matrix that was multiplied by 2^-e; ulp of the pairs' precision. v.n and v.m are set.
void set_figures(const ColumnSums& sums, int e, double ulp, Verification& v);

// v's limits from its condition, n and ulp.
void set_limits(double ulp, GeneralisedVerification& v);

// Workspace: 3 n x 256, of float Z in double. Blocks. Throws OutOfMemory.
template <class T>
ColumnSums column_sums_cpu(const ScaledPairs<T>& pairs);

// On the current GPU; device memory: Z and 3 n x 1024. Blocks. Throws OutOfMemory, DeviceError. CUDA builds
// only.
template <class T>
ColumnSums column_sums_gpu(const ScaledPairs<T>& pairs);

}  // namespace eigen_g
