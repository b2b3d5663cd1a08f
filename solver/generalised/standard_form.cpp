// The standard form on the CPU, by LAPACK and BLAS.
#include "solver/generalised/standard_form.hpp"

#include <cblas.h>

#include <algorithm>

#include "hybrid/instantiate.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

template <class T>
struct Cblas;
template <>
struct Cblas<double> {
  static constexpr auto solve = cblas_dtrsm, multiply = cblas_dtrmm;
};
template <>
struct Cblas<float> {
  static constexpr auto solve = cblas_strsm, multiply = cblas_strmm;
};
template <>
struct Cblas<std::complex<double>> {
  static constexpr auto solve = cblas_ztrsm, multiply = cblas_ztrmm;
};
template <>
struct Cblas<std::complex<float>> {
  static constexpr auto solve = cblas_ctrsm, multiply = cblas_ctrmm;
};

}  // namespace

template <class T>
void to_standard_form(int itype, Uplo uplo, MatrixView<T> a, MatrixView<const T> factor) {
  check_lapack(lapack::sygst(itype, static_cast<char>(uplo), lapack_size(a.rows, "n"), a.data,
                             lapack_size(a.lda, "lda"), factor.data, lapack_size(factor.lda, "ldb")),
               "sygst");
}

template <class T>
void from_standard_form(int itype, Uplo uplo, MatrixView<const T> factor, MatrixView<T> x) {
  if (x.rows == 0 || x.cols == 0) return;
  const bool lower = uplo == Uplo::lower, solve = itype < 3;
  const BlasTurn turn(x.rows);
  const T unit{1};
  const auto one = [&] {  // complex scalars are passed by address
    if constexpr (is_complex<T>)
      return &unit;
    else
      return unit;
  }();
  (solve ? Cblas<T>::solve : Cblas<T>::multiply)(CblasColMajor, CblasLeft, lower ? CblasLower : CblasUpper,
                                                 lower == solve ? CblasConjTrans : CblasNoTrans, CblasNonUnit,
                                                 lapack_size(x.rows, "n"), lapack_size(x.cols, "m"), one,
                                                 factor.data, lapack_size(factor.lda, "ldb"), x.data,
                                                 lapack_size(x.lda, "ldz"));
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, to_standard_form,
                             void(int, Uplo, MatrixView<T>, MatrixView<const T>));
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, from_standard_form,
                             void(int, Uplo, MatrixView<const T>, MatrixView<T>));

}  // namespace eigen_g
