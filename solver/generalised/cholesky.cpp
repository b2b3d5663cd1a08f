// The Cholesky factor on the CPU, by LAPACK.
#include "solver/generalised/cholesky.hpp"

#include "hybrid/instantiate.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

template <class T>
std::int64_t cholesky(Uplo uplo, MatrixView<T> b) {
  const lapack_int n = lapack_size(b.rows, "n"), lda = lapack_size(b.lda, "ldb");
  const lapack_int info = lapack::potrf(static_cast<char>(uplo), n, b.data, lda);
  check_lapack(info, "potrf");
  return info;
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, cholesky, std::int64_t(Uplo, MatrixView<T>));

}  // namespace eigen_g
