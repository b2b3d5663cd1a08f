// The three stages of a solve as calls of their own, by LAPACK's names and in LAPACK's layout:
//
//   sytrd   A = Q T Q^T          T tridiagonal, Q orthogonal, kept as Householder reflectors
//   stedc   T = U diag(w) U^T    w_1 <= w_2 <= ... <= w_n
//   ormtr   Z := Q Z             so that Q U holds the eigenvectors of A
//
// eigen_g() (eigen_g.hpp) does all three and keeps everything on its device in between; these are for those who have a
// tridiagonal matrix already, want T, or want Q applied to something else. What one call leaves, on either device and by
// either way of calling, every other one and LAPACK's own routine takes.
//
// Common to all: host pointers work on a GPU where there is one and n is worth it, else on the CPU through LAPACK (of `devices`
// the place and the threads count); device pointers work on the GPU that holds them, ordered after what `stream` holds (null: the
// default stream), and are complete when the call returns. Host memory that the GPU cannot use, or device memory where host
// memory belongs, is an InvalidArgument. Results repeat bit for bit on the same device. Of the report status, failed, stages,
// seconds, devices and bytes are set. T is double.
// Throw InvalidArgument, OutOfMemory (with the sum of what is needed, before any of it is taken), DeviceError.
#pragma once

#include <cstdint>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// A = Q T Q^T with T = tridiag(e, d, e).
//   a    n x n, lda >= max(1, n), in and out; only the triangle `uplo` is read. On return, as dsytrd leaves it:
//          lower: Q = H_1 H_2 ... H_{n-1}, H_j = I - tau_j v v^T, v(1 : j) = 0, v(j+1) = 1, v(j+2 : n) in
//                 a(j+2 : n, j); d on the diagonal, e below it
//          upper: Q = H_{n-1} ... H_2 H_1, v(j+1 : n) = 0, v(j) = 1, v(1 : j-1) in a(1 : j-1, j+1); d on the
//                 diagonal, e above it
//        (rows and columns from 1). The other triangle stays as it was, but with device pointers, uplo lower and lda =
//        sytrd_in_place_lda(n), where it is the workspace and holds nothing of meaning afterwards.
//   d    n values, out     e    n - 1 values, out     tau    n - 1 values, out
// A is scaled by a power of two inside where max |a_ij| lies outside [2^-100, 2^100], so that no square overflows or
// vanishes; d and e come back in A's own scale. Throws NonFiniteEntry for a NaN or an infinity in the triangle; `a` is
// then as it was.
// Cost: 4/3 n^3 flops and 4/3 n^3 bytes of A read. LAPACK: dsytrd.
template <class T>
Report sytrd(Uplo uplo, std::int64_t n, T* a, std::int64_t lda, same_t<real_t<T>>* d, same_t<real_t<T>>* e,
             same_t<T>* tau, const Devices& devices = {});
template <class T>
Report sytrd(Uplo uplo, std::int64_t n, DevicePointer<T> a, std::int64_t lda,
             same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
             same_t<DevicePointer<T>> tau, CUstream_st* stream);

// On device pointers this lda (n to the next multiple of 64, with a on a 16-byte boundary) and uplo lower take less
// than a tenth of the matrix as workspace where n >= 4000; every other layout a copy of the matrix more.
constexpr std::int64_t sytrd_in_place_lda(std::int64_t n) {
  return n > 0 ? (n + 63) / 64 * 64 : 64;
}
// Bytes that sytrd takes for itself beyond a, d, e, tau.
WorkspaceBytes sytrd_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t lda, bool on_gpu,
                                     Pointers pointers = Pointers::host);

// T = Z diag(w) Z^T.
//   d    n values, in: the diagonal of T; out: w, ascending
//   e    n - 1 values, in: the off-diagonal; destroyed
//   z    n x n, ldz >= max(1, n), out: column k belongs to w[k], 2-norm 1, sign free; null: values only, ldz is not read
// T may have any finite entries. A NaN or an infinity is an InvalidArgument naming "d" or "e"; a root that is not found
// is a status in the report, and d and z are then of no use.
// Cost: at most 4/3 n^3 flops, less where eigenvalues deflate; values only O(n^2). LAPACK: dstedc with compz 'I',
// dsterf; Cuppen 1981, Gu and Eisenstat 1995.
template <class R>
[[nodiscard]] Report stedc(std::int64_t n, R* d, same_t<R>* e, same_t<R>* z, std::int64_t ldz,
                           const Devices& devices = {});
template <class R>
[[nodiscard]] Report stedc(std::int64_t n, DevicePointer<R> d, same_t<DevicePointer<R>> e,
                           same_t<DevicePointer<R>> z, std::int64_t ldz, CUstream_st* stream);
WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu,
                                     Pointers pointers = Pointers::host);

// Z := Q Z for the Q of sytrd.
//   a    n x n, lda >= max(1, n), in: the reflectors as sytrd leaves them in the triangle `uplo`, the only one read
//   tau  n - 1 values, in
//   z    n x m, m >= 0, ldz >= max(1, n), in and out
// Neither is looked through: a NaN spreads as in any product.
// Cost: 2 n^2 m flops; on a GPU the reflectors are copied, a matrix of workspace. LAPACK: dormtr with side 'L', trans
// 'N'; Schreiber and Van Loan 1989.
template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const T* a, std::int64_t lda, const same_t<T>* tau,
             same_t<T>* z, std::int64_t ldz, const Devices& devices = {});
template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, same_t<DevicePointer<const T>> a, std::int64_t lda,
             same_t<DevicePointer<const T>> tau, DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);
WorkspaceBytes ormtr_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t m, bool on_gpu,
                                     Pointers pointers = Pointers::host);

}  // namespace eigen_g
