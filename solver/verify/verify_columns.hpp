// column_sums_cpu(), column_sums_gpu(): the expensive part of verify(). They sum over columns, one panel J of columns at a time:
//
//   A(:, J)                             |.| and squares, for each column of A
//   R(J, :) = A(:, J)^H Z - Z(J, :) W   |.| and squares, for each column of Z, added up over all J
//   A(:, J) - Z W Z(J, :)^H             squares; only if m = n
//   Z^H Z(:, J) - I                     |.| and squares
//
// A and w are scaled by a power of two, so that the scale of the matrix lets no square overflow or underflow. Every sum has a fixed order.
// This header is internal to verify().
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "hybrid/host_device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_generalised.hpp"

namespace eigen_g {

// The type of all computations: double, or complex double for complex matrices.
template <class T>
using wide_t = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <class T>
struct ScaledPairs {
  Uplo uplo = Uplo::lower;
  MatrixView<const T> a;  // n x n, host, not scaled, one triangle
  double scale = 1;       // scale by which A must be multiplied
  std::vector<double> w;  // m values, scaled
  MatrixView<const T> z;  // n x m, host
};

// Number of terms of a product that are added in one chain. If all entries are equal, the rounding errors of a chain have the same sign.
// One long chain would therefore measure its own errors instead of the orthogonality of Z, for example for matrices of ones.
inline std::int64_t slice_of_sum(std::int64_t terms) {
  return std::max<std::int64_t>(64, terms / 64);
}

struct ColumnSums {
  std::vector<double> matrix_abs, matrix_squares;      // n
  std::vector<double> residual_abs, residual_squares;  // m
  std::vector<double> reconstruction_squares;          // n; empty: not measured
  std::vector<double> gram_abs, gram_squares;          // m
};

// The largest value; NaN if one is NaN, 0 if there is none.
double maximum(const std::vector<double>& x);

// Returns e for the scale 2^-e of a matrix whose largest finite entry is `largest`. 2^-e itself neither overflows nor underflows.
EIGEN_G_HOST_DEVICE inline int scale_of_check(double largest) {
  constexpr int least = DBL_MIN_EXP - 1, most = DBL_MAX_EXP - 1;
  if (!(largest > 0)) return 0;
  const int e = std::ilogb(largest);
  return e < least ? least : e > most ? most : e;
}

// Sets the results in v from the sums of a matrix that was multiplied by 2^-e. `ulp` is that of the pairs' type. v.n and v.m are set.
void set_figures(const ColumnSums& sums, int e, double ulp, Verification& v);

// One-norms for verify_generalised(). A, B, w and Z were scaled by powers of two.
struct GeneralisedSums {
  double constant = 0, of_value = 0;  // |A| and |B|; for itype 2 and 3 |A| |B| and 1
  std::vector<double> values;         // w
  std::vector<double> vectors, residual,
      gram = {};  // the norm of each column of Z, of the residual, and of Z^H B Z - I
};

// Sets v's test ratios and limits (verify_generalised.hpp). v.n and v.condition are set. `ulp` is that of the pairs' type.
void set_figures(const GeneralisedSums& sums, double ulp, GeneralisedVerification& v);

// Checks the arguments that every verify() has, except n >= 0. Throws InvalidArgument.
void check_pairs(std::int64_t n, std::int64_t m, const void* w, const void* z, std::int64_t ldz);

// Returns a verification of m pairs that has n, m, eps, and if w ascends and if w and Z are finite. The caller sets the other members.
template <class T>
Verification pairs_to_verify(std::int64_t m, const real_t<T>* w, const MatrixView<const T>& z);

// Sets the sums of Z^H Z - I. Workspace: m x 256 values.
template <class T>
void add_gram_sums(const MatrixView<const wide_t<T>>& z, ColumnSums& sums);

// verify() without its checks of the arguments and without a limit of threads.
template <class T>
Verification verify_on(DeviceChoice device, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda,
                       std::int64_t m, const real_t<T>* w, const T* z, std::int64_t ldz);

// Workspace: 3 n x 256 values, and for float Z in double. Blocks. Throws OutOfMemory.
template <class T>
ColumnSums column_sums_cpu(const ScaledPairs<T>& pairs);

// Runs on the current GPU. Device memory: Z, and 3 n x 1024 values. Blocks. Throws OutOfMemory, DeviceError. CUDA builds only.
template <class T>
ColumnSums column_sums_gpu(const ScaledPairs<T>& pairs);

}  // namespace eigen_g
