#include "solver/back/back_transform.hpp"

#include "hybrid/machine/cpu.hpp"
#include "solver/prepare/lapack.hpp"

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
  // dormtr asks for n nb doubles and forgets the 65 x 64 in which dormqr and dormql form T: with them missing, blocks shrink,
  // and below n of about 130 nothing is blocked.
  constexpr lapack_int factors = 65 * 64;
  const lapack_int size = static_cast<lapack_int>(query) + factors;
  const auto work = host_array<double>(size);
  call(work.get(), size);
}

}  // namespace eigen_g
