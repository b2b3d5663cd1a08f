#include "solver/reduction/two_stage/cholesky_panel.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/dependent_launch.cuh"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/two_stage/cholesky_panel_launch.cuh"

namespace eigen_g {

static_assert(cholesky_panel_counter_bytes == 2 * panel_by_cholesky::blocks_of_cluster * sizeof(unsigned));

bool cholesky_panel_runs(std::int64_t b) {
  if (b != panel_by_cholesky::columns || !dependent_launches()) return false;
  int device = 0, bytes = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return bytes >= panel_by_cholesky::second_shared;
}

std::uint64_t cholesky_panel_bytes(std::int64_t rows) {
  return bytes_taken([&](Arena& arena) { panel_by_cholesky::memory_in(arena, rows); });
}

template <class T>
const unsigned* cholesky_panel(const Queue& queue, MatrixView<const same_t<T>> panel_dev,
                               const PanelFactor<T>& out, MatrixView<double> q_dev,
                               MatrixView<same_t<T>> w_dev, Arena scratch) {
  panel_by_cholesky::Panel<T> p{};
  p.rows = static_cast<std::int32_t>(panel_dev.rows);
  p.p = panel_dev.data;
  p.ldp = panel_dev.lda;
  p.q = q_dev.data;
  p.ldq = q_dev.lda;
  for (int k = 0; k < 2; ++k) {
    p.v[k] = out.v[k].data;
    p.ldv[k] = out.v[k].lda;
  }
  p.w = w_dev.data;
  p.ldw = w_dev.lda;
  p.tau = out.tau;
  p.band = out.band;
  p.ldb = out.band_ld;
  p.negligible = out.negligible;
  p.at = panel_by_cholesky::memory_in(scratch, panel_dev.rows);
  panel_by_cholesky::queue_panel(panel_by_cholesky::LaunchKernel{queue.stream()}, p);
  return p.at.state + 1;
}

EIGEN_G_INSTANTIATE(real_types, cholesky_panel);

}  // namespace eigen_g
