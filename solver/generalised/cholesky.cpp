#include "solver/generalised/cholesky.hpp"

#include "solver/prepare/lapack.hpp"

namespace eigen_g {

template <class T>
std::int64_t cholesky(Uplo uplo, MatrixView<T> b) {
  const lapack_int n = lapack_size(b.rows, "n"), lda = lapack_size(b.lda, "ldb");
  const lapack_int info = lapack::potrf(static_cast<char>(uplo), n, b.data, lda);
  check_lapack(info, "potrf");
  return info;
}

template std::int64_t cholesky(Uplo, MatrixView<double>);
template std::int64_t cholesky(Uplo, MatrixView<float>);
template std::int64_t cholesky(Uplo, MatrixView<std::complex<double>>);
template std::int64_t cholesky(Uplo, MatrixView<std::complex<float>>);

}  // namespace eigen_g
