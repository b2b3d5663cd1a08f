// What every call into LAPACKE shares.
#pragma once

#include <lapacke.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/blas_turn.hpp"

// LAPACK 3.7's, which LAPACKE does not have.
extern "C" void dsytrd_sy2sb_(const char* uplo, const lapack_int* n, const lapack_int* kd, double* a,
                              const lapack_int* lda, double* ab, const lapack_int* ldab, double* tau,
                              double* work, const lapack_int* lwork, lapack_int* info,
                              std::size_t uplo_length);

namespace eigen_g {

// A size as LAPACK's integer.
inline lapack_int lapack_size(std::int64_t value, const char* what) {
  if (value > std::numeric_limits<lapack_int>::max())
    throw InvalidArgument(Argument::n, std::string(what) + " is " + std::to_string(value) +
                                           ", more than this LAPACK's integers hold (" +
                                           std::to_string(std::numeric_limits<lapack_int>::max()) + ")");
  return static_cast<lapack_int>(value);
}

// A negative info is a mistake of ours or LAPACKE's own memory.
inline void check_lapack(lapack_int info, const char* routine) {
  if (info < 0) throw DeviceError(std::string(routine) + " returned info = " + std::to_string(info));
}

// LAPACKE's routines by one name for every scalar type, each in its turn at OpenBLAS.
namespace lapack {

// The same numbers as LAPACKE's type for them.
inline lapack_complex_double* of_lapack(std::complex<double>* x) {
  return reinterpret_cast<lapack_complex_double*>(x);
}
inline const lapack_complex_double* of_lapack(const std::complex<double>* x) {
  return reinterpret_cast<const lapack_complex_double*>(x);
}
inline lapack_complex_float* of_lapack(std::complex<float>* x) {
  return reinterpret_cast<lapack_complex_float*>(x);
}
inline const lapack_complex_float* of_lapack(const std::complex<float>* x) {
  return reinterpret_cast<const lapack_complex_float*>(x);
}

inline lapack_int sytrd(char uplo, lapack_int n, double* a, lapack_int lda, double* d, double* e, double* tau,
                        double* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, uplo, n, a, lda, d, e, tau, work, lwork);
}
inline lapack_int stedc(lapack_int n, double* d, double* e, double* z, lapack_int ldz, double* work,
                        lapack_int lwork, lapack_int* iwork, lapack_int liwork) {
  const BlasTurn turn(n);
  return LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, d, e, z, ldz, work, lwork, iwork, liwork);
}
inline lapack_int sterf(lapack_int n, double* d, double* e) {
  const BlasTurn turn(n);
  return LAPACKE_dsterf_work(n, d, e);
}
inline lapack_int ormtr(char uplo, lapack_int n, lapack_int m, const double* a, lapack_int lda,
                        const double* tau, double* z, lapack_int ldz, double* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', uplo, 'N', n, m, a, lda, tau, z, ldz, work, lwork);
}

inline lapack_int sytrd_sy2sb(char uplo, lapack_int n, lapack_int kd, double* a, lapack_int lda, double* ab,
                              lapack_int ldab, double* tau, double* work, lapack_int lwork) {
  const BlasTurn turn(n);
  lapack_int info = 0;
  dsytrd_sy2sb_(&uplo, &n, &kd, a, &lda, ab, &ldab, tau, work, &lwork, &info, 1);
  return info;
}
inline lapack_int ormqr(lapack_int n, lapack_int m, lapack_int k, const double* a, lapack_int lda,
                        const double* tau, double* z, lapack_int ldz, double* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', n, m, k, a, lda, tau, z, ldz, work, lwork);
}
inline lapack_int ormlq_transposed(lapack_int n, lapack_int m, lapack_int k, const double* a, lapack_int lda,
                                   const double* tau, double* z, lapack_int ldz, double* work,
                                   lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_dormlq_work(LAPACK_COL_MAJOR, 'L', 'T', n, m, k, a, lda, tau, z, ldz, work, lwork);
}
inline void larfg(lapack_int n, double* alpha, double* x, double* tau) {
  LAPACKE_dlarfg_work(n, alpha, x, 1, tau);
}
// Of k reflectors in the columns of v, n x k: their triangular factor, and Z := H_1 ... H_k Z.
inline lapack_int apply_reflectors(lapack_int n, lapack_int m, lapack_int k, const double* v, lapack_int ldv,
                                   const double* tau, double* t, double* z, lapack_int ldz, double* work) {
  const BlasTurn turn(n);
  const lapack_int info = LAPACKE_dlarft_work(LAPACK_COL_MAJOR, 'F', 'C', n, k, v, ldv, tau, t, k);
  return info != 0 ? info
                   : LAPACKE_dlarfb_work(LAPACK_COL_MAJOR, 'L', 'N', 'F', 'C', n, m, k, v, ldv, t, k, z, ldz,
                                         work, m);
}

inline lapack_int sytrd(char uplo, lapack_int n, float* a, lapack_int lda, float* d, float* e, float* tau,
                        float* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_ssytrd_work(LAPACK_COL_MAJOR, uplo, n, a, lda, d, e, tau, work, lwork);
}
inline lapack_int stedc(lapack_int n, float* d, float* e, float* z, lapack_int ldz, float* work,
                        lapack_int lwork, lapack_int* iwork, lapack_int liwork) {
  const BlasTurn turn(n);
  return LAPACKE_sstedc_work(LAPACK_COL_MAJOR, 'I', n, d, e, z, ldz, work, lwork, iwork, liwork);
}
inline lapack_int sterf(lapack_int n, float* d, float* e) {
  const BlasTurn turn(n);
  return LAPACKE_ssterf_work(n, d, e);
}
inline lapack_int ormtr(char uplo, lapack_int n, lapack_int m, const float* a, lapack_int lda,
                        const float* tau, float* z, lapack_int ldz, float* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_sormtr_work(LAPACK_COL_MAJOR, 'L', uplo, 'N', n, m, a, lda, tau, z, ldz, work, lwork);
}

inline lapack_int potrf(char uplo, lapack_int n, double* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, uplo, n, b, ldb);
}
inline lapack_int sygst(int itype, char uplo, lapack_int n, double* a, lapack_int lda, const double* b,
                        lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_dsygst_work(LAPACK_COL_MAJOR, itype, uplo, n, a, lda, b, ldb);
}
// The reciprocal of |B| |B^-1|, estimated by the factor, with the norm |B|.
inline lapack_int pocon(char uplo, lapack_int n, const double* factor, lapack_int ld, double norm,
                        double* reciprocal) {
  const BlasTurn turn(n);
  return LAPACKE_dpocon(LAPACK_COL_MAJOR, uplo, n, factor, ld, norm, reciprocal);
}
inline lapack_int potrf(char uplo, lapack_int n, float* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_spotrf_work(LAPACK_COL_MAJOR, uplo, n, b, ldb);
}
inline lapack_int sygst(int itype, char uplo, lapack_int n, float* a, lapack_int lda, const float* b,
                        lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_ssygst_work(LAPACK_COL_MAJOR, itype, uplo, n, a, lda, b, ldb);
}
inline lapack_int potrf(char uplo, lapack_int n, std::complex<double>* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_zpotrf_work(LAPACK_COL_MAJOR, uplo, n, of_lapack(b), ldb);
}
inline lapack_int sygst(int itype, char uplo, lapack_int n, std::complex<double>* a, lapack_int lda,
                        const std::complex<double>* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_zhegst_work(LAPACK_COL_MAJOR, itype, uplo, n, of_lapack(a), lda, of_lapack(b), ldb);
}
inline lapack_int pocon(char uplo, lapack_int n, const std::complex<double>* factor, lapack_int ld,
                        double norm, double* reciprocal) {
  const BlasTurn turn(n);
  return LAPACKE_zpocon(LAPACK_COL_MAJOR, uplo, n, of_lapack(factor), ld, norm, reciprocal);
}
inline lapack_int potrf(char uplo, lapack_int n, std::complex<float>* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_cpotrf_work(LAPACK_COL_MAJOR, uplo, n, of_lapack(b), ldb);
}
inline lapack_int sygst(int itype, char uplo, lapack_int n, std::complex<float>* a, lapack_int lda,
                        const std::complex<float>* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return LAPACKE_chegst_work(LAPACK_COL_MAJOR, itype, uplo, n, of_lapack(a), lda, of_lapack(b), ldb);
}
// A Hermitian matrix: d, e real. LAPACKE's complex numbers are std::complex's.
inline lapack_int sytrd(char uplo, lapack_int n, std::complex<double>* a, lapack_int lda, double* d,
                        double* e, std::complex<double>* tau, std::complex<double>* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_zhetrd_work(LAPACK_COL_MAJOR, uplo, n, of_lapack(a), lda, d, e, of_lapack(tau),
                             of_lapack(work), lwork);
}
inline lapack_int ormtr(char uplo, lapack_int n, lapack_int m, const std::complex<double>* a, lapack_int lda,
                        const std::complex<double>* tau, std::complex<double>* z, lapack_int ldz,
                        std::complex<double>* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_zunmtr_work(LAPACK_COL_MAJOR, 'L', uplo, 'N', n, m, of_lapack(a), lda, of_lapack(tau),
                             of_lapack(z), ldz, of_lapack(work), lwork);
}
inline lapack_int sytrd(char uplo, lapack_int n, std::complex<float>* a, lapack_int lda, float* d, float* e,
                        std::complex<float>* tau, std::complex<float>* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_chetrd_work(LAPACK_COL_MAJOR, uplo, n, of_lapack(a), lda, d, e, of_lapack(tau),
                             of_lapack(work), lwork);
}
inline lapack_int ormtr(char uplo, lapack_int n, lapack_int m, const std::complex<float>* a, lapack_int lda,
                        const std::complex<float>* tau, std::complex<float>* z, lapack_int ldz,
                        std::complex<float>* work, lapack_int lwork) {
  const BlasTurn turn(n);
  return LAPACKE_cunmtr_work(LAPACK_COL_MAJOR, 'L', uplo, 'N', n, m, of_lapack(a), lda, of_lapack(tau),
                             of_lapack(z), ldz, of_lapack(work), lwork);
}

}  // namespace lapack

}  // namespace eigen_g
