#include "solver/divide_and_conquer.hpp"

#include "hybrid/cpu.hpp"
#include "solver/lapack.hpp"

namespace eigen_g {

Outcome divide_and_conquer(std::int64_t n, double* d, double* e, MatrixView<double> z) {
  const lapack_int size = lapack_size(n, "n");
  lapack_int info = 0;
  if (!z.data) {
    info = LAPACKE_dsterf_work(size, d, e);
  } else {
    const std::int64_t lwork = 1 + 4 * n + n * n;
    const std::int64_t liwork = 3 + 5 * n;
    const lapack_int lwork_size = lapack_size(lwork, "the workspace of dstedc");
    const auto work = host_array<double>(lwork);
    const auto iwork = host_array<lapack_int>(liwork);
    info =
        LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', size, d, e, z.data, lapack_size(z.lda, "ldz"), work.get(),
                            lwork_size, iwork.get(), lapack_size(liwork, "the workspace of dstedc"));
  }
  check_lapack(info, z.data ? "dstedc" : "dsterf");
  return info > 0 ? Outcome{Status::not_converged, info} : Outcome{};
}

}  // namespace eigen_g
