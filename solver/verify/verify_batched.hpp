// verify_batched(): verify() for a batch. It measures the residual and the orthogonality of each matrix's eigenpairs, in double, and
// returns the worst of them.
#pragma once

#include <cstdint>

#include <eigen_g/batched.hpp>
#include <eigen_g/device_pointer.hpp>
#include <eigen_g/scalar.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

struct BatchVerification {
  std::int64_t count = 0;             // matrices
  std::int64_t failed = 0;            // matrices that do not pass, by verify.hpp's passed()
  std::int64_t first_failed = -1;     // index of the first of them, from 0
  double lapack_residual = 0;         // the largest test ratio of verify.hpp; NaN if one of them is NaN
  std::int64_t residual_matrix = -1;  // index of the matrix that has it, from 0; -1: the batch is empty
  double lapack_orthogonality = 0;    // the largest orthogonality ratio
  std::int64_t orthogonality_matrix = -1;
  bool ascending = true;  // in every matrix w_1 <= w_2 <= ...
  bool finite = true;     // no NaN or infinity in any w and Z
  double seconds = 0;
  bool on_gpu = false;
};

bool passed(const BatchVerification& v);  // no matrix failed

//   n, count  order of each matrix and number of matrices, >= 0
//   a         count matrices, each n x n, lda, host, in; only the triangle `uplo` is read
//   m         number of pairs of each matrix, 0 <= m <= n
//   w         count arrays of m values, host, in
//   z         count matrices n x m, ldz, host, in
//   strides   as in eigen_g_batched()
//   device    automatic: on the current GPU if there is one and it has enough memory, else on the CPU
//   threads   as in Devices
// T is double, float, std::complex<double> or std::complex<float>. Each matrix has the results of verify(), up to rounding.
// Blocks until done. Two runs on one device give the same bits. A NaN or an infinity in a matrix makes it fail and does not throw.
// Memory on the CPU: that of verify() for each thread. On a GPU: up to 256 MiB, or the arrays of one matrix.
// Throws InvalidArgument, OutOfMemory, and DeviceError if `device` is gpu and there is none.
// Cost: 4 n^2 m flops for each matrix; on the CPU 6 n^2 m.
template <class T>
[[nodiscard]] BatchVerification verify_batched(Uplo uplo, std::int64_t n, std::int64_t count, const T* a,
                                               std::int64_t lda, std::int64_t m, const same_t<real_t<T>>* w,
                                               const same_t<T>* z, std::int64_t ldz,
                                               const BatchStrides& strides = {},
                                               DeviceChoice device = DeviceChoice::automatic,
                                               int threads = 0);

// verify_generalised() with itype 1 for a batch of generalised problems A z = w B z (sygvd_batched()), on host pointers. Runs on the CPU.
//   b         count matrices, each n x n, ldb, host, in; the same triangle is read
// The results are as in verify_batched() with these differences: a matrix passes by verify_generalised.hpp's passed(); lapack_residual
// is the largest residual ratio there, and lapack_orthogonality the largest orthogonality ratio after division by the condition of its B.
// Both have the limit 10. A matrix whose B is not positive definite has the ratios NaN.
template <class T>
[[nodiscard]] BatchVerification verify_generalised_batched(Uplo uplo, std::int64_t n, std::int64_t count,
                                                           const T* a, std::int64_t lda, const same_t<T>* b,
                                                           std::int64_t ldb, std::int64_t m,
                                                           const same_t<real_t<T>>* w, const same_t<T>* z,
                                                           std::int64_t ldz, const BatchStrides& strides = {},
                                                           int threads = 0);

// Verifies a batch on device pointers, on the current GPU, after all work that is in the stream. Memory of another GPU throws InvalidArgument.
// n is at most 32768.
template <class T>
[[nodiscard]] BatchVerification verify_batched(Uplo uplo, std::int64_t n, std::int64_t count,
                                               DevicePointer<T> a, std::int64_t lda, std::int64_t m,
                                               same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z,
                                               std::int64_t ldz, CUstream_st* stream,
                                               const BatchStrides& strides = {});

}  // namespace eigen_g
