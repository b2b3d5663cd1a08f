#include "solver/dc_launch.cuh"
#include "solver/dc_merge.hpp"
#include "solver/dc_rank_one.hpp"
#include "solver/dc_team.cuh"

namespace eigen_g::dc {

namespace {

constexpr int warps = 4;

__global__ void __launch_bounds__(32 * warps) order_kernel(Batch batch, bool with_weights) {
  const Merge merge = batch.merges[blockIdx.y];
  const Shape shape = batch.shapes[blockIdx.y];
  const Arrays x = batch.arrays.at(merge.first);
  const Index i = blockIdx.x * warps + threadIdx.x / 32;
  if (i >= merge.size) return;
  if (with_weights && i < shape.k) correct_weight(Warp(), shape, x, i);
  order_value(Warp(), merge, shape, x, i);
}

__global__ void __launch_bounds__(32 * warps)
    vector_kernel(Batch batch, Index first, Index columns, MatrixView<double> panel) {
  const Merge merge = batch.merges[blockIdx.y];
  const Shape shape = batch.shapes[blockIdx.y];
  const Index column = blockIdx.x * warps + threadIdx.x / 32;
  if (column >= columns || first + column >= shape.k) return;
  double* const u = &panel(merge.first, column);
  form_vector(Warp(), shape, batch.arrays.at(merge.first), first + column,
              [&](Index g, double value) { u[g] = value; });
}

__global__ void __launch_bounds__(32 * warps)
    end_rows_kernel(Batch batch, MatrixView<const double> compressed, MatrixView<double> q) {
  const Merge merge = batch.merges[blockIdx.y];
  const Shape shape = batch.shapes[blockIdx.y];
  const Index j = blockIdx.x * warps + threadIdx.x / 32;
  if (j < shape.k)
    form_end_rows(Warp(), shape, batch.arrays.at(merge.first), &compressed(0, merge.first), j,
                  &q(0, merge.first + j));
}

}  // namespace

void order_values(const Queue& queue, const Batch& batch, bool with_weights) {
  order_kernel<<<blocks_over(batch, batch.largest, warps), 32 * warps, 0, queue.stream()>>>(batch,
                                                                                            with_weights);
  EIGEN_G_LAUNCHED();
}

void form_vectors(const Queue& queue, const Batch& batch, Index first, Index columns,
                  MatrixView<double> panel) {
  vector_kernel<<<blocks_over(batch, columns, warps), 32 * warps, 0, queue.stream()>>>(batch, first, columns,
                                                                                       panel);
  EIGEN_G_LAUNCHED();
}

void form_end_rows(const Queue& queue, const Batch& batch, MatrixView<const double> compressed,
                   MatrixView<double> q) {
  end_rows_kernel<<<blocks_over(batch, batch.largest, warps), 32 * warps, 0, queue.stream()>>>(batch,
                                                                                               compressed, q);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g::dc
