#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_rank_one.hpp"
#include "solver/tridiagonal/dc_team.cuh"

namespace eigen_g::dc {

namespace {

constexpr int warps = 4;

__global__ void __launch_bounds__(32 * warps) order_kernel(Batch batch, bool with_weights) {
  enter_in_turn();
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
  enter_in_turn();
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
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.y];
  const Shape shape = batch.shapes[blockIdx.y];
  const Index j = blockIdx.x * warps + threadIdx.x / 32;
  if (j < shape.k)
    form_end_rows(Warp(), shape, batch.arrays.at(merge.first), &compressed(0, merge.first), j,
                  &q(0, merge.first + j));
}

}  // namespace

void order_values(const Queue& queue, const Batch& batch, bool with_weights) {
  launch_dependent(queue, order_kernel, blocks_over(batch, batch.largest, warps), 32 * warps, batch,
                   with_weights);
}

void form_vectors(const Queue& queue, const Batch& batch, Index first, Index columns,
                  MatrixView<double> panel) {
  launch_dependent(queue, vector_kernel, blocks_over(batch, columns, warps), 32 * warps, batch, first,
                   columns, panel);
}

void form_end_rows(const Queue& queue, const Batch& batch, MatrixView<const double> compressed,
                   MatrixView<double> q) {
  launch_dependent(queue, end_rows_kernel, blocks_over(batch, batch.largest, warps), 32 * warps, batch,
                   compressed, q);
}

}  // namespace eigen_g::dc
