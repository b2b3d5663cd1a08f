#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include "hybrid/machine/cpu.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

void tridiagonalize(Uplo uplo, MatrixView<double> a, double* d, double* e, double* tau) {
  const lapack_int n = lapack_size(a.rows, "n");
  const lapack_int lda = lapack_size(a.lda, "lda");
  const char triangle = static_cast<char>(uplo);
  double query = 0;
  check_lapack(LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, triangle, n, a.data, lda, d, e, tau, &query, -1),
               "dsytrd");
  const auto work = host_array<double>(static_cast<std::int64_t>(query));
  check_lapack(LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, triangle, n, a.data, lda, d, e, tau, work.get(),
                                   static_cast<lapack_int>(query)),
               "dsytrd");
}

}  // namespace eigen_g
