// verify_generalised(): measures the residual and the orthogonality of generalised eigenpairs, in double. It is the only check of them. For
// A and B (n x n, symmetric or Hermitian, B positive definite), w (m values) and Z (n x m vectors), ulp of T as in verify.hpp and
// one-norms |.|, with itype in parentheses:
//
//                   |A Z - B Z W|                          |A B Z - Z W|                    |B A Z - Z W|
//   residual (1)  -----------------              (2)  ---------------------       (3)  ---------------------
//                   |A| |Z| n ulp                        |A| |B| |Z| n ulp                |A| |B| |Z| n ulp
//
//   orthogonality   |Z^T B Z - I| / (n ulp); for itype 3 |Z^T B^-1 Z - I| / (n ulp)
//
// The errors of a method with B's Cholesky factor grow with cond, an estimate of |B| |B^-1|. The limits are therefore 10 sqrt(cond) for
// the residual and 10 cond for the orthogonality. The error, that is, the test ratio times n ulp, must also be at most 0.01 and 0.1.
#pragma once

#include <cstdint>

#include <eigen_g/scalar.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

struct GeneralisedVerification {
  std::int64_t n = 0, m = 0;
  int itype = 1;
  std::int64_t bad_minor =
      0;  // B's first leading minor that is not positive; then ratios and condition are not set; 0: none
  double condition = 0;  // cond
  double norm_a = 0, norm_b = 0;
  double residual = 0, residual_limit = 0;
  double orthogonality = 0, orthogonality_limit = 0;
  bool ascending = false;  // w_1 <= w_2 <= ...
  bool finite = false;     // no NaN or infinity in w and Z
  double seconds = 0;
  bool on_gpu = false;
};

// True if both test ratios are at most their limits, w, Z and the condition are finite, w ascends, and B is positive definite.
bool passed(const GeneralisedVerification& v);

//   a, b     n x n, lda and ldb, host, in; only the triangle `uplo` of each is read
//   w        m values, host, in; 0 <= m <= n
//   z        n x m, ldz, host, in
//   device   automatic: products on the current GPU if there is one and its memory has room for three matrices, else on the CPU
//   threads  as in Devices
// T is double, float, std::complex<double> or std::complex<float>. For complex entries |.| is the modulus, and ^T above means ^H.
// Blocks until done. The condition is computed on the CPU. Memory: six n x n matrices of double or complex double.
// Throws InvalidArgument, OutOfMemory, DeviceError. NaN and infinity in A or B do not throw; they do not pass.
// Cost: 6 n^2 m + n^3 / 3 flops. LAPACK: dsgt01, dpocon.
template <class T>
[[nodiscard]] GeneralisedVerification verify_generalised(
    int itype, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const same_t<T>* b, std::int64_t ldb,
    std::int64_t m, const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz,
    DeviceChoice device = DeviceChoice::automatic, int threads = 0);

}  // namespace eigen_g
