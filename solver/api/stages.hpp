// The stages of a solve as calls of their own, by LAPACK's names and in LAPACK's layout:
//
//   sytrd   A = Q T Q^T          T tridiagonal, Q orthogonal, kept as Householder reflectors
//   stedc   T = U diag(w) U^T    w_1 <= w_2 <= ... <= w_n
//   ormtr   Z := Q Z             so that Q U holds the eigenvectors of A
//
// and sytrd in two, by way of a band matrix B, for large matrices and for those that are a band already:
//
//   sytrd_sy2sb   A = Q1 B Q1^T    B(i, j) = 0 for |i - j| > kd
//   sytrd_sb2st   B = Q2 T Q2^T
//   ormtr_sb2st   Z := Q2 Z
//   ormtr_sy2sb   Z := Q1 Z
//
// eigen_g() (eigen_g.hpp) does all of it and keeps everything on its device in between; these are for those who have a
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

// A = Q B Q^T with B of bandwidth kd.
//   kd   on a GPU 32, 48, 64, 96 or 128; on the CPU, which host pointers take for any other, kd >= 1
//   a    n x n, lda >= max(1, n), in and out; only the triangle `uplo` is read. Q = H_1 H_2 ... H_{n-kd}, H_j = I - tau_j v v^T,
//        v(1 : j+kd-1) = 0, v(j+kd) = 1; on return v(j+kd+1 : n) is in a(j+kd+1 : n, j) for lower, in a(j, j+kd+1 : n) for upper.
//        The rest of the triangle holds nothing of meaning; the other triangle stays as it was.
//   ab   kd + 1 rows, n columns, ldab >= kd + 1, out: B(i, j) for lower at ab(1+i-j, j), for upper at ab(kd+1+i-j, j); what lies
//        outside of the matrix is of no meaning
//   tau  max(n - kd, 0) values, out
// Scaled as in sytrd; throws NonFiniteEntry likewise. On a GPU a copy of the matrix is the workspace.
// Cost: 4/3 n^3 flops in products. LAPACK: dsytrd_sy2sb; Bischof, Lang and Sun 2000.
template <class T>
Report sytrd_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, T* a, std::int64_t lda, same_t<T>* ab,
                   std::int64_t ldab, same_t<T>* tau, const Devices& devices = {});
template <class T>
Report sytrd_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, DevicePointer<T> a, std::int64_t lda,
                   same_t<DevicePointer<T>> ab, std::int64_t ldab, same_t<DevicePointer<T>> tau,
                   CUstream_st* stream);
WorkspaceBytes sytrd_sy2sb_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

// B = Q T Q^T with T = tridiag(e, d, e).
//   kd    0 <= kd <= 128, of any matrix: this is where one that is banded already begins
//   ab    as sytrd_sy2sb leaves it, in
//   d     n values, out     e    n - 1 values, out
//   hous  sytrd_sb2st_hous(n, kd) values on 16 bytes, out: the reflectors, for ormtr_sb2st on either device; null: not wanted, and T
//         has the same bits
// Scaled inside as in sytrd. A NaN or an infinity is an InvalidArgument naming "ab".
// Cost: 6 n^2 b flops with b as in sytrd_sb2st_hous. LAPACK: dsytrd_sb2st, whose `hous` has another layout; Murata and Horikoshi
// 1975; Haidar, Ltaief and Dongarra 2011.
template <class T>
Report sytrd_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, const T* ab, std::int64_t ldab,
                   same_t<real_t<T>>* d, same_t<real_t<T>>* e, same_t<T>* hous, const Devices& devices = {});
template <class T>
Report sytrd_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, same_t<DevicePointer<const T>> ab,
                   std::int64_t ldab, same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
                   DevicePointer<T> hous, CUstream_st* stream);
// About n^2 / 2 + n^2 / (2 b): kd goes up to the next b of 32, 48, 64, 96 and 128. Throws InvalidArgument.
std::int64_t sytrd_sb2st_hous(std::int64_t n, std::int64_t kd);
WorkspaceBytes sytrd_sb2st_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

// Z := Q Z for the Q of sytrd_sb2st.
//   hous  as that leaves it, in     z  n x m, m >= 0, ldz >= max(1, n), in and out
// Cost: 2 n^2 m flops, up to twice as many executed; up to 1.1 GiB of workspace. Auckenthaler et al. 2011 (ELPA2).
template <class T>
Report ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, const T* hous, same_t<T>* z,
                   std::int64_t ldz, const Devices& devices = {});
template <class T>
Report ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, same_t<DevicePointer<const T>> hous,
                   DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);
WorkspaceBytes ormtr_sb2st_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

// Z := Q Z for the Q of sytrd_sy2sb.
//   kd   >= 1     a, tau  as that or LAPACK's dsytrd_sy2sb leaves them, in: what stands beside the reflectors is not read
//   z    n x m, m >= 0, ldz >= max(1, n), in and out; its first kd rows stay as they are
// Cost: 2 (n - kd)^2 m flops; on a GPU the reflectors are copied, a matrix of workspace. LAPACK: dormqr, dormlq.
template <class T>
Report ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd, const T* a, std::int64_t lda,
                   const same_t<T>* tau, same_t<T>* z, std::int64_t ldz, const Devices& devices = {});
template <class T>
Report ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                   same_t<DevicePointer<const T>> a, std::int64_t lda, same_t<DevicePointer<const T>> tau,
                   DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream);
WorkspaceBytes ormtr_sy2sb_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

}  // namespace eigen_g
