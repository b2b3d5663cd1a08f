// The stages of a solve as separate calls, with LAPACK's names and layouts:
//
//   sytrd   A = Q T Q^T          T tridiagonal, Q orthogonal, kept as Householder reflectors
//   stedc   T = U diag(w) U^T    w_1 <= w_2 <= ... <= w_n
//   ormtr   Z := Q Z             Q U are the eigenvectors of A
//   orgtr   Q itself
//
// and the two-stage reduction through a band matrix B, for large matrices and for band matrices:
//
//   sytrd_sy2sb   A = Q1 B Q1^T    B(i, j) = 0 for |i - j| > kd
//   sytrd_sb2st   B = Q2 T Q2^T
//   ormtr_sb2st   Z := Q2 Z
//   ormtr_sy2sb   Z := Q1 Z
//
// eigen_g() (eigen_g.hpp) runs all stages and keeps everything on its device in between. The calls here are for programs that
// already have a tridiagonal matrix, need T, or apply Q to another matrix. Their outputs are interchangeable: one call's output
// can be passed to any other, on host or device pointers, and to LAPACK's routine of the same name. Exception: `hous` of
// sytrd_sb2st has a layout of its own.
//
// Common to all calls:
//   T                float, double, std::complex<float> and std::complex<double> in sytrd, stedc, ormtr and orgtr; double in the stages
//                    through a band. A complex matrix is Hermitian; T = tridiag(e, d, e) is real
//   host pointers    run on a GPU if there is one and n is large enough, else on the CPU. devices.device and
//                    devices.threads are used; the other members of `devices` are not
//   device pointers  run on the current GPU, after all work that is in `stream` (null: the default stream)
//   blocking         each call blocks until done
//   report           status, info, stages, seconds, devices and bytes are set
//   errors           InvalidArgument, also for memory that the current GPU cannot use, and for device memory instead of host memory;
//                    OutOfMemory with the sum of the needed bytes, before any allocation; DeviceError
//   accuracy         results repeat bit for bit on the same device
#pragma once

#include <cstdint>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// The two forms of a call: host pointers with devices, and device pointers with a stream.
struct StageCall {
  Pointers pointers = Pointers::host;
  Devices devices = {};
  CUstream_st* stream = nullptr;
  StageCall(const Devices& on = {}) : devices(on) {}                                            // NOLINT
  StageCall(CUstream_st* device_stream) : pointers(Pointers::device), stream(device_stream) {}  // NOLINT
  bool on_host() const { return pointers == Pointers::host; }
};

// The vectors that stedc returns for T = U diag(w) U^T.
struct TridiagonalVectors {
  enum class Compz : char { initial = 'I', multiply = 'V' };  // LAPACK's letters
  Compz compz = Compz::initial;  // Z = U, or Z := Z U for a given Z, for example the Q of orgtr
  Subset subset = {};            // the pairs to find. With Compz::multiply all pairs
};

// One function has both forms of a call. Programs call the templates below instead.
template <class T>
Report sytrd_stage(const StageCall& call, Uplo uplo, std::int64_t n, T* a, std::int64_t lda,
                   same_t<real_t<T>>* d, same_t<real_t<T>>* e, same_t<T>* tau);
template <class T>
Report stedc_stage(const StageCall& call, const TridiagonalVectors& vectors, std::int64_t n,
                   real_t<same_t<T>>* d, real_t<same_t<T>>* e, T* z, std::int64_t ldz);
template <class T>
Report ormtr_stage(const StageCall& call, Side side, Uplo uplo, Trans trans, std::int64_t n, std::int64_t m,
                   const T* a, std::int64_t lda, const same_t<T>* tau, same_t<T>* z, std::int64_t ldz);
template <class T>
Report orgtr_stage(const StageCall& call, Uplo uplo, std::int64_t n, T* a, std::int64_t lda,
                   const same_t<T>* tau);
Report sytrd_sy2sb_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t kd, double* a,
                         std::int64_t lda, double* ab, std::int64_t ldab, double* tau);
Report sytrd_sb2st_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t kd, const double* ab,
                         std::int64_t ldab, double* d, double* e, double* hous);
Report ormtr_sb2st_stage(const StageCall& call, std::int64_t n, std::int64_t m, std::int64_t kd,
                         const double* hous, double* z, std::int64_t ldz);
Report ormtr_sy2sb_stage(const StageCall& call, Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                         const double* a, std::int64_t lda, const double* tau, double* z, std::int64_t ldz);

// A = Q T Q^T with T = tridiag(e, d, e).
//   a    n x n, lda >= max(1, n), in and out; only the triangle `uplo` is read. On return it is as after dsytrd:
//          lower: Q = H_1 H_2 ... H_{n-1}, H_j = I - tau_j v v^T, v(1 : j) = 0, v(j+1) = 1, v(j+2 : n) in
//                 a(j+2 : n, j); d on the diagonal, e below it
//          upper: Q = H_{n-1} ... H_2 H_1, v(j+1 : n) = 0, v(j) = 1, v(1 : j-1) in a(1 : j-1, j+1); d on the
//                 diagonal, e above it
//        (rows and columns from 1). The other triangle is not changed. Exception: with device pointers, uplo lower and
//        lda = sytrd_in_place_lda(n) a real matrix is the workspace, and undefined afterwards
//   d    n values, out
//   e    n - 1 values, out
//   tau  n - 1 values, out
// If max |a_ij| is outside [2^-100, 2^100], A is scaled by a power of two, so that no square overflows or vanishes. d and e are
// returned in the scale of A.
// Throws NonFiniteEntry for a NaN or an infinity in the triangle; `a` is then not changed.
// Cost: 4/3 n^3 flops; 4/3 n^3 bytes of A are read. Source: LAPACK dsytrd.
template <class T>
Report sytrd(Uplo uplo, std::int64_t n, T* a, std::int64_t lda, same_t<real_t<T>>* d, same_t<real_t<T>>* e,
             same_t<T>* tau, const Devices& devices = {}) {
  return sytrd_stage(devices, uplo, n, a, lda, d, e, tau);
}
template <class T>
Report sytrd(Uplo uplo, std::int64_t n, DevicePointer<T> a, std::int64_t lda,
             same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
             same_t<DevicePointer<T>> tau, CUstream_st* stream) {
  return sytrd_stage(stream, uplo, n, a.get(), lda, d.get(), e.get(), tau.get());
}

// Leading dimension for which sytrd works in place on device pointers: n rounded up to a multiple of 64. With it, uplo lower and a
// 16-byte aligned, the workspace of a real matrix is less than a tenth of it for n >= 4000. Every other layout needs a copy of the matrix.
constexpr std::int64_t sytrd_in_place_lda(std::int64_t n) {
  return n > 0 ? (n + 63) / 64 * 64 : 64;
}
// Upper bound of the memory that sytrd uses in addition to a, d, e and tau.
template <class T = double>
WorkspaceBytes sytrd_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t lda, bool on_gpu,
                                     Pointers pointers = Pointers::host);

// T = Z diag(w) Z^T.
//   vectors  the vectors to return, see TridiagonalVectors. By default U with all pairs. A null z: values only, of the same pairs
//   d    n values, in: the diagonal of T; out: the first report.m are w, ascending
//   e    n - 1 values, in: the off-diagonal; destroyed
//   z    n x subset.max_count(n), ldz >= max(1, n), out: column k belongs to w[k], 2-norm 1, sign arbitrary. With Compz::multiply in and out.
//        The vectors of T are real; a complex z has imaginary parts of zero. Null: values only; ldz is not read
// T may have any finite entries. A NaN or an infinity is an InvalidArgument that names "d" or "e". If a root is not found, the
// report's status is not_converged, and d and z are undefined. In the scale of T a subset by value is above < w <= upto.
// Cost: at most 4/3 n^3 flops, less if eigenvalues deflate; values only O(n^2). Compz::multiply: 2 n^3 flops more, complex 4 n^3.
// Source: LAPACK dstedc, zstedc; Cuppen 1981, Gu and Eisenstat 1995.
template <class T>
[[nodiscard]] Report stedc(const TridiagonalVectors& vectors, std::int64_t n, real_t<same_t<T>>* d,
                           real_t<same_t<T>>* e, T* z, std::int64_t ldz, const Devices& devices = {}) {
  return stedc_stage(devices, vectors, n, d, e, z, ldz);
}
template <class T>
[[nodiscard]] Report stedc(const TridiagonalVectors& vectors, std::int64_t n,
                           same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
                           DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return stedc_stage(stream, vectors, n, d.get(), e.get(), z.get(), ldz);
}
// Real vectors of all pairs.
template <class R>
[[nodiscard]] Report stedc(std::int64_t n, R* d, same_t<R>* e, same_t<R>* z, std::int64_t ldz,
                           const Devices& devices = {}) {
  return stedc_stage<R>(devices, {}, n, d, e, z, ldz);
}
template <class R>
[[nodiscard]] Report stedc(std::int64_t n, DevicePointer<R> d, same_t<DevicePointer<R>> e,
                           same_t<DevicePointer<R>> z, std::int64_t ldz, CUstream_st* stream) {
  return stedc_stage<R>(stream, {}, n, d.get(), e.get(), z.get(), ldz);
}
template <class T = double>
WorkspaceBytes stedc_workspace_bytes(std::int64_t n, bool vectors, bool on_gpu,
                                     Pointers pointers = Pointers::host,
                                     const TridiagonalVectors& which = {});

// Z := Q Z, Q^H Z, Z Q or Z Q^H for the Q of sytrd.
//   side   left: Q is n x n; right: Q is m x m
//   uplo   the triangle of `a` that holds the reflectors
//   trans  none: Q; adjoint: Q^H, for a real matrix Q^T
//   a      of Q's order, lda >= max(1, order), in: the reflectors as sytrd returns them. Only the triangle `uplo` is read
//   tau    order - 1 values, in
//   z      n x m, n >= 0, m >= 0, ldz >= max(1, n), in and out
// The inputs are not checked for NaN; a NaN spreads as in any product.
// Cost: 2 n m flops for each row of Q. On a GPU the reflectors are copied: the workspace is one matrix.
// Source: LAPACK dormtr, zunmtr; Schreiber and Van Loan 1989.
template <class T>
Report ormtr(Side side, Uplo uplo, Trans trans, std::int64_t n, std::int64_t m, const T* a, std::int64_t lda,
             const same_t<T>* tau, same_t<T>* z, std::int64_t ldz, const Devices& devices = {}) {
  return ormtr_stage(devices, side, uplo, trans, n, m, a, lda, tau, z, ldz);
}
template <class T>
Report ormtr(Side side, Uplo uplo, Trans trans, std::int64_t n, std::int64_t m,
             same_t<DevicePointer<const T>> a, std::int64_t lda, same_t<DevicePointer<const T>> tau,
             DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return ormtr_stage<T>(stream, side, uplo, trans, n, m, a.get(), lda, tau.get(), z.get(), ldz);
}
// Z := Q Z, with Z n x m.
template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, const T* a, std::int64_t lda, const same_t<T>* tau,
             same_t<T>* z, std::int64_t ldz, const Devices& devices = {}) {
  return ormtr(Side::left, uplo, Trans::none, n, m, a, lda, tau, z, ldz, devices);
}
template <class T>
Report ormtr(Uplo uplo, std::int64_t n, std::int64_t m, same_t<DevicePointer<const T>> a, std::int64_t lda,
             same_t<DevicePointer<const T>> tau, DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return ormtr<T>(Side::left, uplo, Trans::none, n, m, a, lda, tau, z, ldz, stream);
}
// The workspace for a Q of order n and a Z of m columns, or with Side::right of m rows.
template <class T = double>
WorkspaceBytes ormtr_workspace_bytes(Uplo uplo, std::int64_t n, std::int64_t m, bool on_gpu,
                                     Pointers pointers = Pointers::host);

// A := Q for the Q of sytrd.
//   a    n x n, lda >= max(1, n), in: the reflectors in the triangle `uplo`, as sytrd returns them; out: Q
//   tau  n - 1 values, in
// Cost: 2 n^3 flops; the workspace is another matrix in addition to the one of ormtr. Source: LAPACK dorgtr, zungtr.
template <class T>
Report orgtr(Uplo uplo, std::int64_t n, T* a, std::int64_t lda, const same_t<T>* tau,
             const Devices& devices = {}) {
  return orgtr_stage(devices, uplo, n, a, lda, tau);
}
template <class T>
Report orgtr(Uplo uplo, std::int64_t n, DevicePointer<T> a, std::int64_t lda,
             same_t<DevicePointer<const T>> tau, CUstream_st* stream) {
  return orgtr_stage<T>(stream, uplo, n, a.get(), lda, tau.get());
}
template <class T = double>
WorkspaceBytes orgtr_workspace_bytes(Uplo uplo, std::int64_t n, bool on_gpu,
                                     Pointers pointers = Pointers::host);

// A = Q B Q^T with a band matrix B, B(i, j) = 0 for |i - j| > kd.
//   kd   >= 1. On a GPU 32, 48, 64, 96 or 128; host pointers with any other kd are solved on the CPU
//   a    n x n, lda >= max(1, n), in and out; only the triangle `uplo` is read. Q = H_1 H_2 ... H_{n-kd}, H_j = I - tau_j v v^T,
//        v(1 : j+kd-1) = 0, v(j+kd) = 1; on return v(j+kd+1 : n) is in a(j+kd+1 : n, j) for lower, in a(j, j+kd+1 : n) for upper.
//        The rest of the triangle is undefined afterwards; the other triangle is not changed
//   ab   (kd + 1) x n, ldab >= kd + 1, out: B(i, j) is at ab(1+i-j, j) for lower and at ab(kd+1+i-j, j) for upper. Elements of ab
//        outside the matrix are undefined
//   tau  max(n - kd, 0) values, out
// Scaling and NonFiniteEntry as in sytrd. On a GPU the workspace is a copy of the matrix.
// Cost: 4/3 n^3 flops in products. Source: LAPACK dsytrd_sy2sb; Bischof, Lang and Sun 2000.
template <class T>
Report sytrd_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, T* a, std::int64_t lda, same_t<T>* ab,
                   std::int64_t ldab, same_t<T>* tau, const Devices& devices = {}) {
  return sytrd_sy2sb_stage(devices, uplo, n, kd, a, lda, ab, ldab, tau);
}
template <class T>
Report sytrd_sy2sb(Uplo uplo, std::int64_t n, std::int64_t kd, DevicePointer<T> a, std::int64_t lda,
                   same_t<DevicePointer<T>> ab, std::int64_t ldab, same_t<DevicePointer<T>> tau,
                   CUstream_st* stream) {
  return sytrd_sy2sb_stage(stream, uplo, n, kd, a.get(), lda, ab.get(), ldab, tau.get());
}
WorkspaceBytes sytrd_sy2sb_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

// B = Q T Q^T with T = tridiag(e, d, e).
//   kd    0 <= kd <= 128. The reduction of a matrix that is a band already begins here
//   ab    (kd + 1) x n, ldab >= kd + 1, in: B in the layout of sytrd_sy2sb
//   d     n values, out
//   e     n - 1 values, out
//   hous  sytrd_sb2st_hous(n, kd) values, 16-byte aligned, out: the reflectors, for ormtr_sb2st on either device, in a layout other
//         than LAPACK's. Null: no reflectors; T has the same bits
// Scaling as in sytrd. A NaN or an infinity is an InvalidArgument that names "ab".
// Cost: 6 n^2 b flops with b as in sytrd_sb2st_hous.
// Source: LAPACK dsytrd_sb2st; Murata and Horikoshi 1975; Haidar, Ltaief and Dongarra 2011.
template <class T>
Report sytrd_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, const T* ab, std::int64_t ldab,
                   same_t<real_t<T>>* d, same_t<real_t<T>>* e, same_t<T>* hous, const Devices& devices = {}) {
  return sytrd_sb2st_stage(devices, uplo, n, kd, ab, ldab, d, e, hous);
}
template <class T>
Report sytrd_sb2st(Uplo uplo, std::int64_t n, std::int64_t kd, same_t<DevicePointer<const T>> ab,
                   std::int64_t ldab, same_t<DevicePointer<real_t<T>>> d, same_t<DevicePointer<real_t<T>>> e,
                   DevicePointer<T> hous, CUstream_st* stream) {
  return sytrd_sb2st_stage(stream, uplo, n, kd, ab.get(), ldab, d.get(), e.get(), hous.get());
}
// Number of values in `hous`: about n^2 / 2 + n^2 / (2 b), with b = kd rounded up to 32, 48, 64, 96 or 128. Throws InvalidArgument.
std::int64_t sytrd_sb2st_hous(std::int64_t n, std::int64_t kd);
WorkspaceBytes sytrd_sb2st_workspace_bytes(std::int64_t n, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

// Z := Q Z for the Q of sytrd_sb2st.
//   hous  as sytrd_sb2st returns it, in
//   z     n x m, m >= 0, ldz >= max(1, n), in and out
// Cost: 2 n^2 m flops, but up to 4 n^2 m are executed; up to 1.1 GiB of workspace.
// Source: Auckenthaler et al. 2011 (ELPA2).
template <class T>
Report ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, const T* hous, same_t<T>* z,
                   std::int64_t ldz, const Devices& devices = {}) {
  return ormtr_sb2st_stage(devices, n, m, kd, hous, z, ldz);
}
template <class T>
Report ormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, same_t<DevicePointer<const T>> hous,
                   DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return ormtr_sb2st_stage(stream, n, m, kd, hous.get(), z.get(), ldz);
}
WorkspaceBytes ormtr_sb2st_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

// Z := Q Z for the Q of sytrd_sy2sb.
//   kd   >= 1
//   a    n x n, lda >= max(1, n), in: as sytrd_sy2sb or LAPACK's dsytrd_sy2sb returns it. Only the reflectors are read
//   tau  max(n - kd, 0) values, in
//   z    n x m, m >= 0, ldz >= max(1, n), in and out; its first kd rows are not changed
// Cost: 2 (n - kd)^2 m flops. On a GPU the reflectors are copied: the workspace is one matrix. On the CPU it is about
// two, and up to 2.6 for n < 3000. Source: LAPACK dormqr, dormlq.
template <class T>
Report ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd, const T* a, std::int64_t lda,
                   const same_t<T>* tau, same_t<T>* z, std::int64_t ldz, const Devices& devices = {}) {
  return ormtr_sy2sb_stage(devices, uplo, n, m, kd, a, lda, tau, z, ldz);
}
template <class T>
Report ormtr_sy2sb(Uplo uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                   same_t<DevicePointer<const T>> a, std::int64_t lda, same_t<DevicePointer<const T>> tau,
                   DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return ormtr_sy2sb_stage(stream, uplo, n, m, kd, a.get(), lda, tau.get(), z.get(), ldz);
}
WorkspaceBytes ormtr_sy2sb_workspace_bytes(std::int64_t n, std::int64_t m, std::int64_t kd, bool on_gpu,
                                           Pointers pointers = Pointers::host);

}  // namespace eigen_g
