// A thread takes a row, a block some rows of one child and every so many columns.
#include <algorithm>

#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_merge.hpp"

namespace eigen_g::dc {

namespace {

constexpr int max_threads = 256;
constexpr int blocks_a_multiprocessor = 16;

// Rows of a block in x: those of child 1 in tiles of blockDim.x, then those of child 2.
struct Tile {
  Index row;
  bool inside, upper_row;
  __device__ Tile(const Merge& merge, Rows rows) {
    const Index width = static_cast<Index>(blockDim.x), upper = rows.upper_count(merge);
    const Index upper_tiles = (upper + width - 1) / width, tile = blockIdx.x;
    upper_row = tile < upper_tiles;
    const Index offset = (upper_row ? tile : tile - upper_tiles) * width + static_cast<Index>(threadIdx.x);
    inside = offset < (upper_row ? upper : rows.lower_count(merge));
    row = (upper_row ? rows.upper_first(merge) : rows.lower_first(merge)) + offset;
  }
};

__global__ void __launch_bounds__(max_threads)
    compress_kernel(Batch batch, MatrixView<const double> q, MatrixView<double> compressed) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.z];
  const Shape shape = batch.shapes[blockIdx.z];
  const Arrays x = batch.arrays.at(merge.first);
  const Tile tile(merge, batch.rows);
  if (!tile.inside) return;
  for (Index s = blockIdx.y; s < merge.size; s += static_cast<Index>(gridDim.y))
    if (!x.linked[s] && !compress_skips(shape, x, tile.upper_row, s))
      compress_row(merge, shape, x, q, compressed, tile.row, tile.upper_row, s,
                   entry_of_row(merge, x, q, tile.row, tile.upper_row, s));
}

__global__ void __launch_bounds__(max_threads)
    keep_kernel(Batch batch, MatrixView<const double> compressed, MatrixView<double> q) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.z];
  const Index k = batch.shapes[blockIdx.z].k;
  const Tile tile(merge, batch.rows);
  if (!tile.inside) return;
  for (Index t = k + static_cast<Index>(blockIdx.y); t < merge.size; t += static_cast<Index>(gridDim.y))
    q(tile.row, merge.first + t) = compressed(tile.row, merge.first + t);
}

__global__ void __launch_bounds__(max_threads)
    store_kernel(Index n, Index first, int exponent, Arrays x, MatrixView<const double> q, double* w,
                 MatrixView<double> z) {
  enter_in_turn();
  const Index row = blockIdx.x * max_threads + threadIdx.x, columns = static_cast<Index>(z.cols);
  if (row >= n) return;
  if (blockIdx.y == 0 && row < columns) w[row] = ldexp(x.d[first + row], exponent);
  if (!z.data) return;
  for (Index j = blockIdx.y; j < columns; j += static_cast<Index>(gridDim.y))
    z(row, j) = q(row, x.column[first + j]);
}

// Threads of a block and blocks so that the GPU is full and a block still has several columns to do.
struct RowLaunch {
  dim3 blocks;
  int threads;
  RowLaunch(const Queue& queue, const Batch& batch) {
    const Index rows = batch.rows.all ? batch.largest : 2;
    threads = 32;
    while (threads < max_threads && 2 * threads < rows) threads *= 2;
    const Index tiles = (rows + threads - 1) / threads + 1;  // a child's last tile may be ragged
    const Index slices = blocks_a_multiprocessor * queue.multiprocessors() / (tiles * batch.count) + 1;
    blocks = {static_cast<unsigned>(tiles), static_cast<unsigned>(std::min(slices, batch.largest)),
              static_cast<unsigned>(batch.count)};
  }
};

}  // namespace

void compress(const Queue& queue, const Batch& batch, MatrixView<const double> q,
              MatrixView<double> compressed) {
  const RowLaunch launch(queue, batch);
  launch_dependent(queue, compress_kernel, launch.blocks, launch.threads, batch, q, compressed);
}

void keep_deflated(const Queue& queue, const Batch& batch, MatrixView<const double> compressed,
                   MatrixView<double> q) {
  const RowLaunch launch(queue, batch);
  launch_dependent(queue, keep_kernel, launch.blocks, launch.threads, batch, compressed, q);
}

void store_ordered(const Queue& queue, Index n, Index first, int exponent, const Arrays& arrays,
                   MatrixView<const double> q, double* w, MatrixView<double> z) {
  const Index tiles = (n + max_threads - 1) / max_threads;
  const Index slices =
      z.data ? std::min(n, blocks_a_multiprocessor * queue.multiprocessors() / tiles + 1) : 1;
  const dim3 blocks(static_cast<unsigned>(tiles), static_cast<unsigned>(slices));
  launch_dependent(queue, store_kernel, blocks, max_threads, n, first, exponent, arrays, q, w, z);
}

}  // namespace eigen_g::dc
