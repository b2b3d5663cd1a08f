// Kernel for the products of all merges of a level in one launch, for merges that are too small to use the whole GPU alone.
//
//   C (64 x 64) = A (64 x inner) B (inner x 64)     by one block; each of 256 threads has 4 x 4 entries of C
//
// A and B pass through shared memory in k-tiles of 16 values of the inner index. While one k-tile is multiplied, the next one is loaded
// into registers. Entries beyond the matrix edges are zeros in shared memory, and such entries of C are not written.
#include <algorithm>

#include "hybrid/instantiate.hpp"
#include "hybrid/pair.hpp"
#include "solver/tridiagonal/dc_launch.cuh"

namespace eigen_g::dc {

namespace {

constexpr int tile = 64, k_tile = 16, threads = 256;
constexpr int thread_rows = 4, thread_columns = 4;
constexpr int column_stride =
    tile + 2;  // B's row length in shared memory: 16-byte aligned, with few bank conflicts when written
constexpr int loads = tile * k_tile / threads;
static_assert(thread_rows * thread_columns * threads == tile * tile, "the threads cover the tile");

template <class R>
struct KTile {
  R a[k_tile][tile];
  R b[k_tile][column_stride];
};

// Operands of the tile of C.
template <class R>
struct Operands {
  const R *a, *b;
  std::int64_t lda, ldb;
  Index rows, columns, inner;  // from the tile's first row and column to the end
};

template <class R>
struct Loaded {
  R a[loads], b[loads];
  __device__ void load(const Operands<R>& f, Index first) {
    for (int i = 0; i < loads; ++i) {
      const Index row = threadIdx.x % tile,
                  k = first + static_cast<Index>(threadIdx.x / tile) + i * (threads / tile);
      a[i] = row < f.rows && k < f.inner ? f.a[row + k * f.lda] : 0;
    }
    for (int i = 0; i < loads; ++i) {
      const Index k = first + static_cast<Index>(threadIdx.x % k_tile),
                  column = static_cast<Index>(threadIdx.x / k_tile) + i * (threads / k_tile);
      b[i] = column < f.columns && k < f.inner ? f.b[k + column * f.ldb] : 0;
    }
  }
  __device__ void store(KTile<R>& to) const {
    for (int i = 0; i < loads; ++i)
      to.a[threadIdx.x / tile + i * (threads / tile)][threadIdx.x % tile] = a[i];
    for (int i = 0; i < loads; ++i)
      to.b[threadIdx.x % k_tile][threadIdx.x / k_tile + i * (threads / k_tile)] = b[i];
  }
};

template <class R>
__global__ void __launch_bounds__(threads)
    product_kernel(Batch<R> batch, Index first, Index columns, MatrixView<const R> compressed,
                   MatrixView<const R> panel, MatrixView<R> q) {
  enter_in_turn();
  __shared__ __align__(16) KTile<R> slabs[2];
  const Merge merge = batch.merges[blockIdx.z];
  const Shape<R> shape = batch.shapes[blockIdx.z];
  const Index column = blockIdx.x * tile;                             // first column of the tile in `panel`
  const Index columns_left = min(columns, shape.k - first) - column;  // columns of roots; then deflated ones
  const Index columns_kept = min(columns, merge.size - first) - column;

  const Rows rows = batch.rows;
  const Index upper_tiles = (rows.upper_count(merge) + tile - 1) / tile, row_tile = blockIdx.y;
  const bool upper = row_tile < upper_tiles;
  const Index row = upper ? rows.upper_first(merge) + row_tile * tile
                          : rows.lower_first(merge) + (row_tile - upper_tiles) * tile;
  const Index row_end = upper ? rows.lower_first(merge) : rows.end(merge);
  if (row >= row_end) return;
  for (Index j = max(columns_left, 0) + static_cast<Index>(threadIdx.x / tile); j < min(columns_kept, tile);
       j += threads / tile) {
    const Index i = row + static_cast<Index>(threadIdx.x % tile), t = merge.first + first + column + j;
    if (i < row_end) q(i, t) = compressed(i, t);
  }
  if (columns_left <= 0) return;
  const Index inner_first = upper ? 0 : shape.lower_begin(), inner_end = upper ? shape.upper_end() : shape.k;
  const Operands<R> f{&compressed(row, merge.first + inner_first),
                      &panel(merge.first + inner_first, column),
                      compressed.lda,
                      panel.lda,
                      row_end - row,
                      columns_left,
                      inner_end - inner_first};

  const int first_row = threadIdx.x % (tile / thread_rows) * thread_rows;
  const int first_column = threadIdx.x / (tile / thread_rows) * thread_columns;
  R c[thread_columns][thread_rows] = {};
  Loaded<R> next;
  next.load(f, 0);
  Index rows_begin = 0, rows_end = f.rows;  // rows of the tile that the product writes
  if (batch.end_rows) {
    const auto set = [&](Index i, const R* end_row) {
      if (const auto j = static_cast<Index>(threadIdx.x); j < min(f.columns, tile))
        q(i, merge.first + first + column + j) = end_row[first + column + j];
    };
    const Arrays<R> x = batch.arrays.at(merge.first);
    if (rows.is_first(merge, row)) {
      set(row, x.first_of_q);
      rows_begin = 1;
    }
    if (rows_end <= tile && rows.is_last(merge, row + rows_end - 1)) {
      set(row + rows_end - 1, x.last_of_q);
      rows_end -= 1;
    }
  }
  next.store(slabs[0]);
  __syncthreads();
  for (Index k = 0; k < f.inner; k += k_tile) {
    const KTile<R>& now = slabs[k / k_tile % 2];
    const bool more = k + k_tile < f.inner;
    if (more) next.load(f, k + k_tile);
#pragma unroll
    for (int l = 0; l < k_tile; ++l) {
      R a[thread_rows], b[thread_columns];
#pragma unroll
      for (int i = 0; i < thread_rows; i += 2) {
        const pair_t<R> pair = *reinterpret_cast<const pair_t<R>*>(&now.a[l][first_row + i]);
        a[i] = pair.x;
        a[i + 1] = pair.y;
      }
#pragma unroll
      for (int j = 0; j < thread_columns; j += 2) {
        const pair_t<R> pair = *reinterpret_cast<const pair_t<R>*>(&now.b[l][first_column + j]);
        b[j] = pair.x;
        b[j + 1] = pair.y;
      }
#pragma unroll
      for (int j = 0; j < thread_columns; ++j)
#pragma unroll
        for (int i = 0; i < thread_rows; ++i) c[j][i] = fma(a[i], b[j], c[j][i]);
    }
    if (more) next.store(slabs[(k / k_tile + 1) % 2]);
    __syncthreads();
  }
  for (int j = 0; j < thread_columns; ++j)
    for (int i = 0; i < thread_rows; ++i)
      if (first_row + i >= rows_begin && first_row + i < rows_end && first_column + j < f.columns)
        q(row + first_row + i, merge.first + first + column + first_column + j) = c[j][i];
}

}  // namespace

template <class R>
void multiply(const Queue& queue, const Batch<R>& batch, Index first, Index columns,
              MatrixView<const same_t<R>> compressed, MatrixView<const same_t<R>> panel,
              MatrixView<same_t<R>> q) {
  const auto tiles = [](Index length) { return static_cast<unsigned>((length + tile - 1) / tile); };
  const dim3 blocks(
      tiles(columns),
      tiles(std::min(batch.largest, batch.rows.count)) + 1,  // each child may end in a partial tile
      static_cast<unsigned>(batch.count));
  launch_dependent(queue, product_kernel<R>, blocks, threads, batch, first, columns, compressed, panel, q);
}

EIGEN_G_INSTANTIATE(real_types, multiply);

}  // namespace eigen_g::dc
