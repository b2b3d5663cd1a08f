// verify(): measures the residual and the orthogonality of eigenpairs. It is the only check of them: the tests, the command and the
// benchmarks use it. It computes in double, also for float.
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
// with ulp = 2 eps (dlamch('P')), the precision by which LAPACK's own test ratios are divided. For the zero matrix the smallest normal
// number replaces ||A||_1. LAPACK's classical limit for both test ratios is 30; here it is 10.
#pragma once

#include <cstdint>

#include <eigen_g/scalar.hpp>
#include <eigen_g/sparse.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

struct Verification {
  std::int64_t n = 0;
  std::int64_t m = 0;
  double eps = 0;  // machine precision; the paper's machine.EPS
  double norm_one = 0;
  double norm_frobenius = 0;
  double residual_frobenius = 0;
  double reconstruction = -1;  // -1: m < n, or the matrix is sparse
  double orthogonality = 0;
  double lapack_residual = 0;
  double lapack_orthogonality = 0;
  double worst_residual = 0;     // max over k of ||A z_k - w_k z_k||_2 / ||A||_F
  std::int64_t worst_index = 0;  // index k of worst_residual, from 0
  bool ascending = false;        // w_1 <= w_2 <= ...
  bool finite = false;           // no NaN or infinity in w and Z
  double seconds = 0;
  bool on_gpu = false;
};

inline constexpr double lapack_ratio_limit = 10;

// True if both test ratios are at most the limit, w and Z are finite, and w ascends.
bool passed(const Verification& v);

//   a        n x n, lda, host, in; only the triangle `uplo` is read
//   w        m values, host, in
//   z        n x m, ldz, host, in
//   device   automatic: on the current GPU if there is one and it has enough memory, else on the CPU
//   threads  as in Devices
// T is double, float, std::complex<double> or std::complex<float>. For complex entries |.| is the modulus, and ^T above means ^H.
// Blocks until done. Two runs on one device give the same bits.
// Memory on the CPU: three matrices of n x 256 doubles, and for float Z in double. On a GPU: Z, and three matrices of n x 1024.
// Throws InvalidArgument, OutOfMemory, and DeviceError if `device` is gpu and there is none. NaN and infinity in A do not throw: the test
// ratios are then NaN, which do not pass.
// Cost: 6 n^2 m flops. Source: LAPACK dsyt21 (norms), IPSJ SIG Eigen-G (the values that are printed).
template <class T>
[[nodiscard]] Verification verify(Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, std::int64_t m,
                                  const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz,
                                  DeviceChoice device = DeviceChoice::automatic, int threads = 0);

// Verifies m pairs of a sparse matrix, which is never stored dense. The reconstruction is not measured. T is double. Runs on the CPU.
// Memory: 12 n doubles, and m x 256. Throws as above, and InvalidArgument (a) as solve_few() does, also for NaN and infinity in A.
// Cost: m products of A with a vector, and 2 n m^2 flops.
template <class T>
[[nodiscard]] Verification verify(const CsrMatrix<T>& a, std::int64_t m, const same_t<real_t<T>>* w,
                                  const same_t<T>* z, std::int64_t ldz, int threads = 0);
// Verifies pairs of the pencil K - w M; `count` is their number. Here
//   lapack_residual       max over j of |K z_j - w_j M z_j|_2 / ((|K|_1 + |w_j| |M|_1) |z_j|_2 n ulp)
//   lapack_orthogonality  ||Z^T M Z - I||_1 / (n ulp max(1, |M|_1 max over j of |z_j|_2^2)); with buckling K instead of M
// An ill-conditioned M allows long vectors, in whose products z^T M z the rounding errors are of this size. |M| |z|^2 is at most the condition of M.
// and worst_residual is lapack_residual without n ulp. norm_one and norm_frobenius are norms of K.
template <class T>
[[nodiscard]] Verification verify(const CsrMatrix<T>& k, const SparseMass<T>& m, std::int64_t count,
                                  const same_t<real_t<T>>* w, const same_t<T>* z, std::int64_t ldz,
                                  bool buckling = false, int threads = 0);
[[nodiscard]] Verification verify(const SparseGrid& a, std::int64_t m, const double* w, const double* z,
                                  std::int64_t ldz, int threads = 0);

}  // namespace eigen_g
