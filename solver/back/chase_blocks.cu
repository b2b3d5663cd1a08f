#include "solver/back/chase_blocks.hpp"

#include <algorithm>
#include <vector>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/chase_factor.hpp"
#include "solver/devices/two_stage_tuning.hpp"

namespace eigen_g {

namespace {

constexpr int max_batch = 64, threads = 256;

// The tiles of a block: steps step ... step + q - 1 of the groups group - q + 1 ... group, as far as they exist.
struct Block {
  std::int32_t group, step;
};
// Some blocks or quarters of blocks, as an argument of kernels.
struct Batch {
  Block blocks[max_batch];
  std::int32_t count;
};

// The groups that are applied, and the first tile of v and factors.
struct Range {
  std::int64_t first_group, last_group;
};

// The rows of a block: `before` rows of its matrix belong to groups that are not applied.
struct Rows {
  std::int64_t first, count, before;
};
Rows rows_of(const ChaseTiles& tiles, const Range& range, const Block& block, std::int64_t q) {
  const std::int64_t lowest = block.group - q + 1, from = std::max(lowest, range.first_group);
  const std::int64_t first = tiles.first_row(from, block.step);
  const std::int64_t end =
      std::min(tiles.n, tiles.first_row(block.group, block.step + q - 1) + tiles.b + tiles.width);
  return {first, end - first, (from - lowest) * tiles.width};
}

// The blocks in the order in which they are applied.
std::vector<Block> blocks_of(const ChaseTiles& tiles, const Range& range, std::int64_t q) {
  std::vector<Block> blocks;
  const std::int64_t down = (range.last_group - range.first_group) / q + 1;
  const std::int64_t along = (tiles.steps(range.first_group) - 1) / q + 1;
  for (std::int64_t wavefront = 0; wavefront < down + along - 1; ++wavefront)
    for (std::int64_t i = std::max<std::int64_t>(0, wavefront - along + 1);
         i <= std::min(wavefront, down - 1); ++i) {
      const std::int64_t group = range.last_group - i * q, step = (wavefront - i) * q;
      if (step < tiles.steps(std::max(range.first_group, group - q + 1)))
        blocks.push_back({static_cast<std::int32_t>(group), static_cast<std::int32_t>(step)});
    }
  return blocks;
}

// Matrix blockIdx.y := I, of the given order.
template <class R>
__global__ void __launch_bounds__(threads) identity_kernel(std::int64_t order, R* q) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i < order * order) q[i + blockIdx.y * order * order] = i % (order + 1) == 0 ? 1 : 0;
}

// Writes out V, (b + width) x width, and -T, width x width, of the tile (group + d - q + 1, step + e) of block blockIdx.x. Zeros if there is
// no such tile, and in the rows beyond the matrix.
template <class R>
__global__ void __launch_bounds__(threads)
    write_out_kernel(ChaseTiles tiles, Range range, Batch batch, int q, int d, int e, const double* all_v,
                     const double* all_factors, R* all_dense_v, R* all_dense_t) {
  const int width = static_cast<int>(tiles.width), b = static_cast<int>(tiles.b), rows = b + width;
  const std::int64_t group = batch.blocks[blockIdx.x].group + d - q + 1;
  const std::int64_t step = batch.blocks[blockIdx.x].step + e;
  const bool exists = group >= range.first_group && group <= range.last_group && step < tiles.steps(group);
  const std::int64_t place = exists ? tiles.tile(group, step) - tiles.tiles_from(range.last_group + 1) : 0;
  const std::int64_t below = exists ? tiles.n - tiles.first_row(group, step) : 0;  // rows of the matrix
  const double* const v = all_v + place * tiles.tile_size();
  const double* const factor = all_factors + place * chase_factor_size(width);
  R* const dense_v = all_dense_v + static_cast<std::int64_t>(blockIdx.x) * rows * width;
  R* const dense_t = all_dense_t + static_cast<std::int64_t>(blockIdx.x) * width * width;
  for (int k = threadIdx.x; k < rows * width; k += threads) {
    const int j = k / rows, row = k % rows, stored = row - j / 8 * 8;
    dense_v[k] =
        row < below && stored >= 0 && stored < b + 8 ? static_cast<R>(v[tiles.column(j) + stored]) : 0;
  }
  for (int k = threadIdx.x; k < width * width; k += threads) {
    const int i = k % width, j = k / width;
    dense_t[k] = exists && i / 8 <= j / 8 ? static_cast<R>(factor[chase_factor_place(width, i, j)]) : 0;
  }
}

// Groups, and steps, of the matrices that native products form: of a block or of its quarters.
std::int64_t native_tiles(const ChaseTiles& tiles) {
  const TwoStageTuning& tuning = two_stage_tuning();
  const std::int64_t q = chase_block_tiles(tiles);
  const std::int64_t most =
      is_strong_in_double(current_capability()) ? tuning.engine_native_rows : tuning.engine_native_rows_slow;
  return q % 2 == 0 && q * (tiles.b + tiles.width) > most ? q / 2 : q;
}

template <class R>
struct Workspace {
  std::int64_t batch, columns;  // blocks that are formed, and columns of Z that are multiplied, at once
  R *q, *v, *t, *vt, *x, *product;
  // The matrix of a block, and some of its rows, if q has the matrices of quarters.
  R *whole = nullptr, *part_of_whole = nullptr;

  Workspace(Arena& arena, const ChaseTiles& tiles, std::int64_t blocks, std::int64_t at_once)
      : batch(blocks), columns(at_once) {
    const std::int64_t width = tiles.width, rows = tiles.b + width, order = chase_block_tiles(tiles) * rows;
    const std::int64_t halves = chase_block_tiles(tiles) / native_tiles(tiles),
                       count = batch * halves * halves;
    q = arena.take<R>(batch * order * order);
    v = arena.take<R>(count * rows * width);
    t = arena.take<R>(count * width * width);
    vt = arena.take<R>(count * rows * width);
    x = arena.take<R>(count * width * (order / halves));
    product = arena.take<R>(order * columns);
    if (halves == 1) return;
    whole = arena.take<R>(order * order);
    part_of_whole = arena.take<R>(order / 2 * order);
  }
  static std::uint64_t bytes(const ChaseTiles& tiles, std::int64_t blocks, std::int64_t at_once) {
    return bytes_taken([&](Arena& arena) { Workspace(arena, tiles, blocks, at_once); });
  }
  // A quarter of `arena` for the product, the rest for blocks.
  static Workspace within(Arena& arena, const ChaseTiles& tiles, std::int64_t m) {
    const auto order = static_cast<std::uint64_t>(chase_block_tiles(tiles) * (tiles.b + tiles.width));
    // Whole tiles of a result: then the bits do not depend on the number of columns.
    constexpr std::int64_t tile = 64;
    auto columns = static_cast<std::int64_t>(arena.left() / 4 / (order * sizeof(R)));
    columns = std::clamp<std::int64_t>(columns < tile ? columns : columns / tile * tile, 1, m);
    const std::int64_t halves = chase_block_tiles(tiles) / native_tiles(tiles);
    std::int64_t blocks = max_batch / (halves * halves);
    while (blocks > 1 && bytes(tiles, blocks, columns) > arena.left()) --blocks;
    return Workspace(arena, tiles, blocks, columns);
  }
};

// w.q := the products of the tiles of each block, or quarter of a block, of the batch.
template <class R>
void form(const Products<R>& products, const ChaseTiles& tiles, const Range& range, const Batch& batch,
          const double* v, const double* factors, const Workspace<R>& w) {
  const Queue& queue = products.queue();
  const std::int64_t q = native_tiles(tiles), b = tiles.b, width = tiles.width, rows = b + width;
  const std::int64_t order = q * rows, further = b == width ? width : rows;
  const auto blocks = static_cast<unsigned>(batch.count);
  identity_kernel<<<dim3(static_cast<unsigned>((order * order + threads - 1) / threads), blocks), threads, 0,
                    queue.stream()>>>(order, w.q);
  EIGEN_G_LAUNCHED();
  const MatrixView<const R> dense_v{w.v, rows, width, rows}, dense_t{w.t, width, width, width};
  const MatrixView<R> vt{w.vt, rows, width, rows};
  for (std::int64_t d = q - 1; d >= 0; --d)
    for (std::int64_t e = 0; e < q; ++e) {
      write_out_kernel<<<blocks, threads, 0, queue.stream()>>>(tiles, range, batch, static_cast<int>(q),
                                                               static_cast<int>(d), static_cast<int>(e), v,
                                                               factors, w.v, w.t);
      EIGEN_G_LAUNCHED();
      const std::int64_t first = d * width + e * b, begin = d * width;
      const std::int64_t end = std::min(order, first + rows + (q - 1 - d) * further), columns = end - begin;
      const MatrixView<R> own = MatrixView<R>{w.q, order, order, order}.block(first, begin, rows, columns);
      const MatrixView<R> x{w.x, width, columns, width};
      const std::int64_t v_apart = rows * width, t_apart = width * width, x_apart = width * order,
                         q_apart = order * order;
      gemm_batched<R>(queue, {batch.count, v_apart, t_apart, v_apart}, Op::none, Op::none, 1, dense_v,
                      dense_t, 0, vt);
      gemm_batched<R>(queue, {batch.count, v_apart, q_apart, x_apart}, Op::transpose, Op::none, 1, dense_v,
                      own, 0, x);
      gemm_batched<R>(queue, {batch.count, v_apart, x_apart, q_apart}, Op::none, Op::none, 1, vt, x, 1, own);
      products.count_native(2.0 * static_cast<double>(batch.count) *
                            static_cast<double>(rows * width * (2 * columns + width)));
    }
}

template <class R>
void copy(const Queue& queue, MatrixView<const R> from, MatrixView<R> to) {
  EIGEN_G_CUDA(cudaMemcpy2DAsync(
      to.data, sizeof(R) * static_cast<std::size_t>(to.lda), from.data,
      sizeof(R) * static_cast<std::size_t>(from.lda), sizeof(R) * static_cast<std::size_t>(from.rows),
      static_cast<std::size_t>(from.cols), cudaMemcpyDeviceToDevice, queue.stream()));
}

// w.whole := the product of the matrices of a block's quarters, which follow each other at `quarters`.
template <class R>
void join(const Products<R>& products, const ChaseTiles& tiles, const Workspace<R>& w, const R* quarters) {
  const Queue& queue = products.queue();
  const std::int64_t q = native_tiles(tiles), b = q * tiles.b, width = q * tiles.width, rows = b + width,
                     order = 2 * rows;
  identity_kernel<<<static_cast<unsigned>((order * order + threads - 1) / threads), threads, 0,
                    queue.stream()>>>(order, w.whole);
  EIGEN_G_LAUNCHED();
  for (std::int64_t d = 1; d >= 0; --d)
    for (std::int64_t e = 0; e < 2; ++e) {
      const std::int64_t first = d * width + e * b, begin = d * width;
      const std::int64_t end = std::min(order, first + rows + (1 - d) * width), columns = end - begin;
      const MatrixView<const R> quarter{quarters + (2 * d + e) * rows * rows, rows, rows, rows};
      const MatrixView<R> own =
          MatrixView<R>{w.whole, order, order, order}.block(first, begin, rows, columns);
      if (d == 1 && e == 0) {
        copy<R>(queue, quarter, own);  // the other rows are still rows of the identity
        continue;
      }
      const MatrixView<R> product{w.part_of_whole, rows, columns, rows};
      products.gemm(Op::none, Op::none, 1, quarter, own, 0, product);
      copy<R>(queue, product, own);
    }
}

}  // namespace

std::int64_t chase_block_tiles(const ChaseTiles& tiles) {
  const std::int64_t rows = tiles.b + tiles.width;
  return std::clamp<std::int64_t>(std::min(two_stage_tuning().engine_block_rows, tiles.n / 8) / rows, 2, 16);
}

template <class R>
std::uint64_t back_transform_chase_in_blocks_bytes(const ChaseTiles& tiles, std::int64_t m) {
  // A quarter must have room for one column, the rest for one block.
  return m == 0 ? 0 : 2 * Workspace<R>::bytes(tiles, 1, 1);
}

template <class R>
void back_transform_chase_in_blocks(const Products<R>& products, const ChaseTiles& tiles, const double* v,
                                    const double* factors, std::int64_t first_group, std::int64_t last_group,
                                    MatrixView<R> z_dev, Arena workspace) {
  const Range range{first_group, last_group};
  const std::int64_t q = chase_block_tiles(tiles), order = q * (tiles.b + tiles.width);
  const std::int64_t of_native = native_tiles(tiles), halves = q / of_native;
  const auto w = Workspace<R>::within(workspace, tiles, z_dev.cols);
  const std::vector<Block> blocks = blocks_of(tiles, range, q);
  for (std::size_t at = 0; at < blocks.size(); at += static_cast<std::size_t>(w.batch)) {
    const std::size_t end = std::min(at + static_cast<std::size_t>(w.batch), blocks.size());
    Batch batch{};
    for (std::size_t i = at; i < end; ++i)
      for (std::int64_t d = 0; d < halves; ++d)
        for (std::int64_t e = 0; e < halves; ++e)
          batch.blocks[batch.count++] = {
              static_cast<std::int32_t>(blocks[i].group - (halves - 1 - d) * of_native),
              static_cast<std::int32_t>(blocks[i].step + e * of_native)};
    form(products, tiles, range, batch, v, factors, w);
    for (std::size_t i = at; i < end; ++i) {
      const R* matrix = w.q + static_cast<std::int64_t>(i - at) * order * order;
      if (halves > 1) {
        join(products, tiles, w, matrix);
        matrix = w.whole;
      }
      const Rows rows = rows_of(tiles, range, blocks[i], q);
      const MatrixView<const R> of_block = MatrixView<const R>{matrix, order, order, order}.block(
          rows.before, rows.before, rows.count, rows.count);
      for (std::int64_t column = 0; column < z_dev.cols; column += w.columns) {
        const std::int64_t columns = std::min(w.columns, z_dev.cols - column);
        const MatrixView<R> own = z_dev.block(rows.first, column, rows.count, columns);
        const MatrixView<R> product{w.product, rows.count, columns, rows.count};
        products.gemm(Op::none, Op::none, 1, of_block, own, 0, product);
        copy<R>(products.queue(), product, own);
      }
    }
  }
}

EIGEN_G_INSTANTIATE(real_types, back_transform_chase_in_blocks_bytes, back_transform_chase_in_blocks);

}  // namespace eigen_g
