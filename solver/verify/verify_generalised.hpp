// verify_generalised(): measures the residual and the orthogonality of generalised eigenpairs, in double. It is the only check of them. For
// A and B (n x n, symmetric or Hermitian, B positive definite), w (m values) and Z (n x m vectors), ulp of T as in verify.hpp and
// one-norms |.|:
//
//              |r_k|                    itype 1   r_k = A z_k - w_k B z_k    s_k = (|A| + |w_k| |B|) |z_k|
//   residual = max -----------             itype 2   r_k = A B z_k - w_k z_k    s_k = (|A| |B| + |w_k|) |z_k|
//               k  s_k n ulp               itype 3   r_k = B A z_k - w_k z_k    s_k = (|A| |B| + |w_k|) |z_k|
//
//   orthogonality = |Z^T B Z - I| / (n ulp); for itype 3 |Z^T B^-1 Z - I| / (n ulp)
//
// |r_k| / s_k is the backward error of a pair: w_k and z_k belong exactly to a pencil whose A and B differ from the given ones by this part
// of their norms. Exact pairs that are rounded to T have a backward error near ulp, however ill-conditioned B is. The limit is 10.
//
// A method with B's Cholesky factor reaches this backward error for every pair only if B is well-conditioned. With cond, an estimate of
// |B| |B^-1|, its residuals are near n ulp sqrt(cond) |A| |Z|, where |Z| is the norm of the largest column; for itype 2 and 3 |A| |B| replaces
// |A|. If s_k is less than sqrt(cond) |A| |Z|, this value replaces s_k. The limit of the orthogonality is 10 cond, because Z^T B Z of rounded
// vectors has this error.
//
// These limits never permit large errors. The orthogonality times n ulp must be at most 0.1. |r_k| must be at most 0.01 |A| |Z|, or at most
// 0.01 of the original s_k.
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
