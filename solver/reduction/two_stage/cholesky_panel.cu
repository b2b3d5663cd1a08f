#include "solver/reduction/two_stage/cholesky_panel.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/dependent_launch.cuh"
#include "hybrid/stream/queue.hpp"
#include "solver/batched/launch_kernel.cuh"
#include "solver/reduction/two_stage/cholesky_panel_kernels.cuh"

namespace eigen_g {

namespace {

panel_by_cholesky::Memory memory_of(Arena& arena, std::int64_t rows) {
  using namespace panel_by_cholesky;
  static_assert(cholesky_panel_counter_bytes == 2 * blocks_of_cluster * sizeof(unsigned));
  Memory at{};
  at.counters = arena.take<unsigned>(2 * blocks_of_cluster);
  at.state = arena.take<unsigned>(2);
  at.sums = arena.take<double>(clusters_of(rows) * gram_values);
  at.gram = arena.take<double>(2 * gram_values);
  at.r1 = arena.take<double>(columns * columns);
  return at;
}

}  // namespace

bool cholesky_panel_runs(std::int64_t b) {
  return b == panel_by_cholesky::columns && dependent_launches();
}

std::uint64_t cholesky_panel_bytes(std::int64_t rows) {
  return bytes_taken([&](Arena& arena) { memory_of(arena, rows); });
}

const unsigned* cholesky_panel(const Queue& queue, MatrixView<const double> panel_dev,
                               const PanelFactor<double>& out, MatrixView<double> q_dev,
                               MatrixView<double> w_dev, Arena scratch) {
  panel_by_cholesky::Panel p{};
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
  p.at = memory_of(scratch, panel_dev.rows);
  panel_by_cholesky::queue_panel<batched::InClusters>(batched::LaunchKernel{queue.stream()}, p);
  return p.at.state + 1;
}

}  // namespace eigen_g
