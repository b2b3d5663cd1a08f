// Kernels for the weights, the order of the values, the columns of U and the end rows: one warp for each.
#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_rank_one.hpp"

namespace eigen_g::dc {

namespace {

constexpr int warps = 4;

template <class R>
__global__ void __launch_bounds__(32 * warps) order_kernel(Batch<R> batch, bool with_weights) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.y];
  const Shape<R> shape = batch.shapes[blockIdx.y];
  const Arrays<R> x = batch.arrays.at(merge.first);
  const Index i = blockIdx.x * warps + threadIdx.x / 32;
  if (i >= merge.size) return;
  if (with_weights && i < shape.k) correct_weight(Warp(), shape, x, i);
  order_value(Warp(), merge, shape, x, i);
}

template <class R, bool end_rows>
__global__ void __launch_bounds__(32 * warps)
    vector_kernel(Batch<R> batch, Index first, Index columns, MatrixView<R> panel) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.y];
  const Shape<R> shape = batch.shapes[blockIdx.y];
  const Index column = blockIdx.x * warps + threadIdx.x / 32;
  if (column >= columns || first + column >= shape.k || batch.rows.count_of(merge) == 0) return;
  R* const u = &panel(merge.first, column);
  form_vector(Warp(), shape, batch.arrays.at(merge.first), first + column, end_rows,
              [&](Index g, R value) { u[g] = value; });
}

template <class R>
__global__ void __launch_bounds__(32 * warps) end_rows_kernel(Batch<R> batch) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.y];
  const Shape<R> shape = batch.shapes[blockIdx.y];
  const Index j = blockIdx.x * warps + threadIdx.x / 32;
  if (j < shape.k) form_end_rows(Warp(), shape, batch.arrays.at(merge.first), j);
}

}  // namespace

template <class R>
void order_values(const Queue& queue, const Batch<R>& batch, bool with_weights) {
  launch_dependent(queue, order_kernel<R>, blocks_over(batch, batch.largest, warps), 32 * warps, batch,
                   with_weights);
}

template <class R>
void form_vectors(const Queue& queue, const Batch<R>& batch, Index first, Index columns,
                  MatrixView<same_t<R>> panel) {
  const auto kernel = batch.forms_ends() ? vector_kernel<R, true> : vector_kernel<R, false>;
  launch_dependent(queue, kernel, blocks_over(batch, columns, warps), 32 * warps, batch, first, columns,
                   panel);
}

template <class R>
void form_end_rows(const Queue& queue, const Batch<R>& batch) {
  launch_dependent(queue, end_rows_kernel<R>, blocks_over(batch, batch.largest, warps), 32 * warps, batch);
}

EIGEN_G_INSTANTIATE(real_types, order_values, form_vectors);
EIGEN_G_INSTANTIATE_OVERLOAD(real_types, form_end_rows, void(const Queue&, const Batch<T>&));

}  // namespace eigen_g::dc
