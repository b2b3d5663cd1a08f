// The only checker of generalised eigenpairs, in native double throughout. For A and B (n x n, symmetric, B positive definite), w (m
// values) and Z (n x m vectors), ulp that of T as in verify.hpp, norms of one:
//
//                   |A Z - B Z W|                          |A B Z - Z W|                    |B A Z - Z W|
//   residual (1)  -----------------              (2)  ---------------------       (3)  ---------------------
//                   |A| |Z| n ulp                        |A| |B| |Z| n ulp                |A| |B| |Z| n ulp
//
//   orthogonality   |Z^T B Z - I| / (n ulp), of itype 3 |Z^T B^-1 Z - I| / (n ulp)
//
// What a method by B's Cholesky factor can promise grows with cond, an estimate of |B| |B^-1|: the limits are 10 sqrt(cond) for the
// residual and 10 cond for the orthogonality, but an error, the ratio times n ulp, of at most 0.01 and 0.1.
#pragma once

#include <cstdint>

#include <eigen_g/scalar.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

struct GeneralisedVerification {
  std::int64_t n = 0, m = 0;
  int itype = 1;
  std::int64_t bad_minor =
      0;                 // not 0: B's first leading minor that is not positive; then nothing else is said
  double condition = 0;  // cond
  double norm_a = 0, norm_b = 0;
  double residual = 0, residual_limit = 0;
  double orthogonality = 0, orthogonality_limit = 0;
  bool ascending = false;  // w_1 <= w_2 <= ...
  bool finite = false;     // no NaN or infinity in w and Z
  double seconds = 0;
  bool on_gpu = false;
};

// Both ratios at most their limits, everything and the condition finite, the values ascending, B positive definite.
bool passed(const GeneralisedVerification& v);

//   a, b  n x n, lda and ldb, host, in, only the triangle `uplo` of each is read
//   w     m values, host, in, ascending     z  n x m, ldz, host, in; 0 <= m <= n
// The products on the current GPU if there is one and its memory holds three of the matrices, else on the CPU; the condition on the
// CPU. Blocks until done. Memory: six n x n matrices of doubles or complex doubles. Throws InvalidArgument, OutOfMemory, DeviceError.
// NaN and infinity in A or B are not refused: they do not pass.
// Cost: 6 n^2 m + n^3 / 3 flops. LAPACK: dsgt01, dpocon. T is double, float or std::complex of one: what is written
// transposed is conjugated too, and |.| is the modulus.
template <class T>
[[nodiscard]] GeneralisedVerification verify_generalised(int itype, Uplo uplo, std::int64_t n, const T* a,
                                                         std::int64_t lda, const same_t<T>* b,
                                                         std::int64_t ldb, std::int64_t m,
                                                         const same_t<real_t<T>>* w, const same_t<T>* z,
                                                         std::int64_t ldz, Place place = Place::automatic,
                                                         int threads = 0);

}  // namespace eigen_g
