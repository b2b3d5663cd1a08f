// Kernels that form the compressed Q, copy the kept columns, and store the result. A thread handles one row. A block handles some rows of
// one child, and columns at a fixed distance.
#include <algorithm>

#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_launch.cuh"
#include "solver/tridiagonal/dc_merge.hpp"

namespace eigen_g::dc {

namespace {

constexpr int max_threads = 256;
constexpr int blocks_a_multiprocessor = 16;

// The rows of a block by blockIdx.x: first the rows of child 1 in tiles of blockDim.x, then the rows of child 2.
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

// Forms first_of_c and last_of_c in the blocks with the last blockIdx.x: one thread a column.
template <class R>
__device__ void compress_end_rows(const Batch<R>& batch, const Merge& merge, const Shape<R>& shape,
                                  const Arrays<R>& x, MatrixView<const same_t<R>> q) {
  const auto compress = [&](Index s, bool upper_row, Index row, R* to) {
    if (compress_skips(shape, x, upper_row, s)) return;
    const MatrixView<const R> from{&q(row, 0), 1, q.cols, q.lda};
    compress_row<R>(merge, shape, x, from, {to, 1, q.cols, 1}, 0, upper_row, nullptr, s,
                    entry_of_row(merge, x, from, 0, upper_row, s));
  };
  const Index width = static_cast<Index>(blockDim.x);
  for (Index s = static_cast<Index>(blockIdx.y) * width + static_cast<Index>(threadIdx.x); s < merge.size;
       s += static_cast<Index>(gridDim.y) * width)
    if (!x.linked[s]) {
      compress(s, true, batch.rows.upper_first(merge), batch.arrays.first_of_c);
      compress(s, false, batch.rows.end(merge) - 1, batch.arrays.last_of_c);
    }
}

template <class R, bool end_rows>
__global__ void __launch_bounds__(max_threads)
    compress_kernel(Batch<R> batch, MatrixView<const R> q, MatrixView<R> compressed) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.z];
  const Shape<R> shape = batch.shapes[blockIdx.z];
  const Arrays<R> x = batch.arrays.at(merge.first);
  if (end_rows && blockIdx.x + 1 == gridDim.x) return compress_end_rows(batch, merge, shape, x, q);
  const Tile tile(merge, batch.rows);
  if (!tile.inside) return;
  for (Index s = blockIdx.y; s < merge.size; s += static_cast<Index>(gridDim.y))
    if (!x.linked[s] && !compress_skips(shape, x, tile.upper_row, s))
      compress_row<R>(merge, shape, x, q, compressed, tile.row, tile.upper_row, nullptr, s,
                      entry_of_row(merge, x, q, tile.row, tile.upper_row, s));
}

template <class R>
__global__ void __launch_bounds__(max_threads)
    keep_kernel(Batch<R> batch, MatrixView<const R> compressed, MatrixView<R> q) {
  enter_in_turn();
  const Merge merge = batch.merges[blockIdx.z];
  const Index k = batch.shapes[blockIdx.z].k;
  const Tile tile(merge, batch.rows);
  if (!tile.inside) return;
  const Arrays<R> x = batch.arrays.at(merge.first);
  const R* const end_row =
      batch.end_rows ? batch.rows.of_end_row(merge, tile.row, x.first_of_q, x.last_of_q) : nullptr;
  for (Index t = (end_row ? 0 : k) + static_cast<Index>(blockIdx.y); t < merge.size;
       t += static_cast<Index>(gridDim.y))
    q(tile.row, merge.first + t) = t < k ? end_row[t] : compressed(tile.row, merge.first + t);
}

template <class R>
__global__ void __launch_bounds__(max_threads)
    store_kernel(Index first, const Findings* findings, Findings* on_host, Arrays<R> x, MatrixView<const R> q,
                 R* w, MatrixView<R> z) {
  enter_in_turn();
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *on_host = *findings;
  const Index row = blockIdx.x * max_threads + threadIdx.x, columns = static_cast<Index>(z.cols);
  if (blockIdx.y == 0 && row < columns) w[row] = ldexp(x.d[first + row], findings->exponent);
  if (!z.data || row >= static_cast<Index>(z.rows)) return;
  for (Index j = blockIdx.y; j < columns; j += static_cast<Index>(gridDim.y))
    z(row, j) = q(row, x.column[first + j]);
}

// Chooses threads and blocks so that the GPU is full and each block still has several columns.
struct RowLaunch {
  dim3 blocks;
  int threads;
  template <class R>
  RowLaunch(const Queue& queue, const Batch<R>& batch) {
    const Index rows = batch.rows.ends_only() ? 2 : std::min(batch.largest, batch.rows.count);
    threads = 32;
    while (threads < max_threads && 2 * threads < rows) threads *= 2;
    const Index tiles = (rows + threads - 1) / threads + 1;  // each child may end in a partial tile
    const Index slices = blocks_a_multiprocessor * queue.multiprocessors() / (tiles * batch.count) + 1;
    blocks = {static_cast<unsigned>(tiles), static_cast<unsigned>(std::min(slices, batch.largest)),
              static_cast<unsigned>(batch.count)};
  }
};

}  // namespace

template <class R>
void compress(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> q,
              MatrixView<same_t<R>> compressed) {
  RowLaunch launch(queue, batch);
  if (batch.forms_ends()) ++launch.blocks.x;
  const auto kernel = batch.forms_ends() ? compress_kernel<R, true> : compress_kernel<R, false>;
  launch_dependent(queue, kernel, launch.blocks, launch.threads, batch, q, compressed);
}

template <class R>
void keep(const Queue& queue, const Batch<R>& batch, MatrixView<const same_t<R>> compressed,
          MatrixView<same_t<R>> q) {
  const RowLaunch launch(queue, batch);
  launch_dependent(queue, keep_kernel<R>, launch.blocks, launch.threads, batch, compressed, q);
}

template <class R>
void store_ordered(const Queue& queue, Index first, const Findings* findings, Findings* on_host,
                   const Arrays<R>& arrays, MatrixView<const same_t<R>> q, same_t<R>* w,
                   MatrixView<same_t<R>> z) {
  const auto longer = static_cast<Index>(std::max(z.rows, z.cols));  // a thread has a value and a row
  const Index tiles = (longer + max_threads - 1) / max_threads;
  const Index slices =
      z.data ? std::min(longer, blocks_a_multiprocessor * queue.multiprocessors() / tiles + 1) : 1;
  const dim3 blocks(static_cast<unsigned>(tiles), static_cast<unsigned>(slices));
  launch_dependent(queue, store_kernel<R>, blocks, max_threads, first, findings, on_host, arrays, q, w, z);
}

EIGEN_G_INSTANTIATE(real_types, compress, keep, store_ordered);

}  // namespace eigen_g::dc
