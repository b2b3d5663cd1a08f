#include "solver/back_transform.hpp"

#include "hybrid/cpu.hpp"
#include "solver/lapack.hpp"

namespace eigen_g {

void back_transform(Uplo uplo, MatrixView<const double> a, const double* tau, MatrixView<double> z) {
  const lapack_int n = lapack_size(z.rows, "n");
  const lapack_int m = lapack_size(z.cols, "m");
  const auto call = [&](double* work, lapack_int lwork) {
    check_lapack(
        LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', static_cast<char>(uplo), 'N', n, m, a.data,
                            lapack_size(a.lda, "lda"), tau, z.data, lapack_size(z.lda, "ldz"), work, lwork),
        "dormtr");
  };
  double query = 0;
  call(&query, -1);
  const auto work = host_array<double>(static_cast<std::int64_t>(query));
  call(work.get(), static_cast<lapack_int>(query));
}

}  // namespace eigen_g
