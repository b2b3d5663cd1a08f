#include "solver/tridiagonal/divide_and_conquer.hpp"

#include <algorithm>

#include "hybrid/machine/cpu.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

lapack_int solve(lapack_int n, double* d, double* e, MatrixView<double> z) {
  const std::int64_t lwork = 1 + 4 * std::int64_t{n} + std::int64_t{n} * n;
  const std::int64_t liwork = 3 + 5 * std::int64_t{n};
  const lapack_int lwork_size = lapack_size(lwork, "the workspace of dstedc");
  const auto work = host_array<double>(lwork);
  const auto iwork = host_array<lapack_int>(liwork);
  return LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, d, e, z.data, lapack_size(z.lda, "ldz"), work.get(),
                             lwork_size, iwork.get(), lapack_size(liwork, "the workspace of dstedc"));
}

}  // namespace

Outcome divide_and_conquer(std::int64_t n, double* d, double* e, MatrixView<double> z, const Wanted& wanted) {
  const lapack_int size = lapack_size(n, "n");
  MatrixView<double> all = z;
  HostArray<double> memory;
  if (z.data && wanted.subset.most(n) < n) {
    memory = host_array<double>(n * n);
    all = {memory.get(), n, n, n};
  }
  const lapack_int info = z.data ? solve(size, d, e, all) : LAPACKE_dsterf_work(size, d, e);
  check_lapack(info, z.data ? "dstedc" : "dsterf");
  if (info > 0) return {Status::not_converged, info, {}};

  const Selected found = select(wanted.subset, n, d, 0, wanted.scale);
  std::copy(d + found.first, d + found.first + found.count, d);
  if (z.data && (all.data != z.data || found.first > 0))
    for (std::int64_t j = 0; j < found.count; ++j)  // ascending: a column is read before it is written over
      std::copy_n(&all(0, found.first + j), n, &z(0, j));
  return {Status::converged, 0, found};
}

}  // namespace eigen_g
