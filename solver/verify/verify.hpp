// The only checker of eigenpairs: tests, command and benchmarks all use it. Native double throughout, for float too.
//
// For A (n x n, symmetric or Hermitian), w (m values) and Z (n x m vectors), 0 <= m <= n, with F the Frobenius norm and
// eps = 2^-53, for float 2^-24 (LAPACK's dlamch('E'), slamch('E')):
//
//   residual_frobenius      ||A Z - Z W||_F                          the paper's |AZ-ZW|_F
//   reconstruction          ||A - Z W Z^T||_F / (n ||A||_F)          the paper's |A-ZWZ^t|/(N|A|); m = n only
//   orthogonality           ||Z^T Z - I||_F / n                      the paper's |Z^tZ-I|/(N)
//
//                           ||A Z - Z W||_1                          ||Z^T Z - I||_1
//   lapack_residual         ---------------     lapack_orthogonality  --------------
//                           n ||A||_1 ulp                                 n ulp
//
// with ulp = 2 eps (dlamch('P')), the precision that LAPACK's own test ratios divide by, and ||A||_1 replaced
// by the smallest normal number for the zero matrix. LAPACK's classical pass limit is 30; ours is 10.
#pragma once

#include <cstdint>

#include <eigen_g/scalar.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

struct Verification {
  std::int64_t n = 0;
  std::int64_t m = 0;
  double eps = 0;  // machine.EPS
  double norm_one = 0;
  double norm_frobenius = 0;
  double residual_frobenius = 0;
  double reconstruction = -1;  // -1: not defined, m < n
  double orthogonality = 0;
  double lapack_residual = 0;
  double lapack_orthogonality = 0;
  double worst_residual = 0;     // max over k of ||A z_k - w_k z_k||_2 / ||A||_F
  std::int64_t worst_index = 0;  // that k, from 0
  bool ascending = false;        // w_1 <= w_2 <= ...
  bool finite = false;           // no NaN or infinity in w and Z
  double seconds = 0;
  bool on_gpu = false;
};

inline constexpr double lapack_ratio_limit = 10;

// Both ratios at most the limit, everything finite and ascending.
bool passed(const Verification& v);

//   a  n x n, lda, host, in, only the triangle `uplo` is read     w  m values, host, in     z  n x m, ldz,
//   host, in
// automatic: on the current GPU if there is one and its memory holds the work, else on the CPU. Blocks until
// done. Memory: three matrices of n x 256 doubles on the CPU, and Z in double where it is float; Z and three of
// n x 1024 on the GPU. Two runs on one device give the same bits.
// Throws InvalidArgument, OutOfMemory, DeviceError (a GPU asked for, and none there). NaN and infinity in A are not refused: its ratios
// are then NaN, which do not pass. Cost: 6 n^2 m flops.
// Source: LAPACK dsyt21 (norms), IPSJ SIG Eigen-G (the printed figures).
//   place, threads   Devices'
// T is double, float or std::complex of one; of complex entries |.| is the modulus, and what is written transposed is conjugated too.
template <class T>
[[nodiscard]] Verification verify(Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, std::int64_t m,
                                  const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz,
                                  Place place = Place::automatic, int threads = 0);

}  // namespace eigen_g
