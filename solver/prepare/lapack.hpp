// LAPACK's routines, with one name for every type, and the checks that all calls of LAPACKE share.
#pragma once

#include <lapacke.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/argument.hpp"

// A routine of LAPACK 3.7 that LAPACKE lacks.
extern "C" void dsytrd_sy2sb_(const char* uplo, const lapack_int* n, const lapack_int* kd, double* a,
                              const lapack_int* lda, double* ab, const lapack_int* ldab, double* tau,
                              double* work, const lapack_int* lwork, lapack_int* info,
                              std::size_t uplo_length);

namespace eigen_g {

// Converts a size to LAPACK's integer. Throws InvalidArgument if it does not fit.
inline lapack_int lapack_size(std::int64_t value, const char* what) {
  if (value > std::numeric_limits<lapack_int>::max())
    throw InvalidArgument(Argument::n, std::string(what) + " is " + std::to_string(value) +
                                           ", more than this LAPACK's integers hold (" +
                                           std::to_string(std::numeric_limits<lapack_int>::max()) + ")");
  return static_cast<lapack_int>(value);
}

// Throws DeviceError for a negative info, which means a wrong call by this project or a failed allocation in LAPACKE.
inline void check_lapack(lapack_int info, const char* routine) {
  if (info < 0) throw DeviceError(std::string(routine) + " returned info = " + std::to_string(info));
}

// LAPACKE's routines for every type. Each call waits for its turn at OpenBLAS (BlasTurn).
namespace lapack {

// Returns x with LAPACKE's type for a complex number.
template <class T>
auto of_lapack(T* x) {
  using Value = std::remove_const_t<T>;
  if constexpr (!is_complex<Value>) {
    return x;
  } else {
    using Complex = std::conditional_t<std::is_same_v<real_t<Value>, double>, lapack_complex_double,
                                       lapack_complex_float>;
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const Complex, Complex>*>(x);
  }
}

// Selects the routine for T from the routines of double, float, complex double and complex float.
template <class T>
constexpr auto routine(auto... of_each) {
  return std::get<2 * is_complex<T> + std::is_same_v<real_t<T>, float>>(std::tuple(of_each...));
}

template <class T>
lapack_int potrf(char uplo, lapack_int n, T* b, lapack_int ldb) {
  const BlasTurn turn(n);
  return routine<T>(LAPACKE_dpotrf_work, LAPACKE_spotrf_work, LAPACKE_zpotrf_work, LAPACKE_cpotrf_work)(
      LAPACK_COL_MAJOR, uplo, n, of_lapack(b), ldb);
}
// The Cholesky factor U with diagonal pivoting, in the upper triangle. Returns the pivots, from 1; none if a pivot is not positive.
template <class T>
std::vector<lapack_int> pstrf(lapack_int n, T* b, lapack_int ldb) {
  const BlasTurn turn(n);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  std::vector<real_t<T>> work(2 * static_cast<std::size_t>(n));
  lapack_int rank = 0;
  const lapack_int info =
      routine<T>(LAPACKE_dpstrf_work, LAPACKE_spstrf_work, LAPACKE_zpstrf_work, LAPACKE_cpstrf_work)(
          LAPACK_COL_MAJOR, 'U', n, of_lapack(b), ldb, pivots.data(), &rank, 0, work.data());
  check_lapack(info, "pstrf");
  if (info > 0) pivots.clear();
  return pivots;
}
template <class T>
lapack_int sygst(int itype, char uplo, lapack_int n, T* a, lapack_int lda, const same_t<T>* b,
                 lapack_int ldb) {
  const BlasTurn turn(n);
  return routine<T>(LAPACKE_dsygst_work, LAPACKE_ssygst_work, LAPACKE_zhegst_work, LAPACKE_chegst_work)(
      LAPACK_COL_MAJOR, itype, uplo, n, of_lapack(a), lda, of_lapack(b), ldb);
}
// An estimate of 1 / (|B| |B^-1|) from the Cholesky factor of B and `norm` = |B|.
template <class T>
lapack_int pocon(char uplo, lapack_int n, const T* factor, lapack_int ld, same_t<real_t<T>> norm,
                 same_t<real_t<T>>* reciprocal) {
  const BlasTurn turn(n);
  return routine<T>(LAPACKE_dpocon, LAPACKE_spocon, LAPACKE_zpocon, LAPACKE_cpocon)(
      LAPACK_COL_MAJOR, uplo, n, of_lapack(factor), ld, norm, reciprocal);
}

inline lapack_int sytrd_sy2sb(char uplo, lapack_int n, lapack_int kd, double* a, lapack_int lda, double* ab,
                              lapack_int ldab, double* tau, double* work, lapack_int lwork) {
  const BlasTurn turn(n);
  lapack_int info = 0;
  dsytrd_sy2sb_(&uplo, &n, &kd, a, &lda, ab, &ldab, tau, work, &lwork, &info, 1);
  return info;
}

}  // namespace lapack

}  // namespace eigen_g
