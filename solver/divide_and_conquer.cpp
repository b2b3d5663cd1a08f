#include "solver/divide_and_conquer.hpp"

#include <algorithm>
#include <vector>

#include "hybrid/cpu.hpp"
#include "solver/lapack.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/cuda_check.hpp"
#include "hybrid/queue.hpp"
#endif

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

#ifdef EIGEN_G_HAVE_CUDA
Outcome divide_and_conquer(const Queue& queue, std::int64_t n, double* d_dev, double* e_dev,
                           MatrixView<double> z_dev, MatrixView<double> staging) {
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(n);
  std::vector<double> d(static_cast<std::size_t>(n)), e(static_cast<std::size_t>(n));
  EIGEN_G_CUDA(cudaMemcpyAsync(d.data(), d_dev, bytes, cudaMemcpyDeviceToHost, queue.stream()));
  EIGEN_G_CUDA(
      cudaMemcpyAsync(e.data(), e_dev, bytes - sizeof(double), cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  const Outcome outcome = divide_and_conquer(n, d.data(), e.data(), staging);
  EIGEN_G_CUDA(cudaMemcpyAsync(d_dev, d.data(), bytes, cudaMemcpyHostToDevice, queue.stream()));
  if (z_dev.data)
    EIGEN_G_CUDA(cudaMemcpy2DAsync(z_dev.data, sizeof(double) * static_cast<std::size_t>(z_dev.lda),
                                   staging.data, sizeof(double) * static_cast<std::size_t>(staging.lda),
                                   bytes, static_cast<std::size_t>(n), cudaMemcpyHostToDevice,
                                   queue.stream()));
  queue.wait();  // d and e end here
  return outcome;
}
#endif

}  // namespace eigen_g
