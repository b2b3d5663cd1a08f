#include "solver/dc_launch.cuh"
#include "solver/dc_rank_one.hpp"
#include "solver/dc_team.cuh"

namespace eigen_g::dc {

namespace {

constexpr int warps = 4;

__global__ void __launch_bounds__(32 * warps) weight_kernel(Batch batch) {
  const Merge merge = batch.merges[blockIdx.y];
  const Shape shape = batch.shapes[blockIdx.y];
  const Index i = blockIdx.x * warps + threadIdx.x / 32;
  if (i < shape.k) correct_weight(Warp(), shape, batch.arrays.at(merge.first), i);
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

void correct_weights(const Queue& queue, const Batch& batch) {
  weight_kernel<<<blocks_over(batch, batch.largest, warps), 32 * warps, 0, queue.stream()>>>(batch);
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
