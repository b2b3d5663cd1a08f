// Kernel for z and the deflation of a level: one block a merge.
#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_crew.cuh"
#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_z_vector.hpp"

namespace eigen_g::dc {

namespace {

constexpr int max_threads = 1024;

template <class R>
__global__ void __launch_bounds__(max_threads) deflate_kernel(Batch<R> batch, MatrixView<const R> q) {
  enter_in_turn();
  __shared__ typename Block<R>::Scratch scratch;
  const Merge merge = batch.merges[blockIdx.x];
  const Arrays<R> x = batch.arrays.at(merge.first);
  const R e = batch.arrays.e[merge.first + merge.upper - 1];
  for (Index i = Block<R>::rank(); i < merge.size; i += Block<R>::size())
    form_z(merge, batch.rows, q, x, e, i);
  Block<R>::sync();
  deflate(Block<R>(scratch), merge, x, e, &batch.shapes[blockIdx.x]);
}

}  // namespace

template <class R>
void deflate(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> q) {
  int threads = 64;
  while (threads < max_threads && threads < batch.largest) threads *= 2;
  launch_dependent(queue, deflate_kernel<R>, static_cast<unsigned>(batch.count), threads, batch, q);
}

EIGEN_G_INSTANTIATE_OVERLOAD(real_types, deflate, void(const Queue&, const Batch<T>&, MatrixView<const T>));

}  // namespace eigen_g::dc
