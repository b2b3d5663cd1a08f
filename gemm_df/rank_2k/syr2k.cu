// C += alpha (A B^T + B A^T) = alpha [A B] [B A]^T, lower triangle. A and B have so few columns that reading and writing C
// costs as much as the product. X = [A B] has the operands of a tile's rows, Y = [B A] the operands of its columns.
//
// Small tiles: a thread block computes one. A multiprocessor has several blocks, which work while others wait. Chunks of
// columns pass through a ring of slots in shared memory, and the tile of C is prefetched into L2. L2 limits the speed, because
// each block reads all of its X and Y from L2.
//
// Large tiles, for large matrices: one thread block on each multiprocessor computes one tile after another. Its ring continues
// from tile to tile, and the tile of C is copied to shared memory meanwhile.
//
// Rows are counted from an address of C that is aligned to 128 bytes, up to 15 rows before the first row. The reason is that
// copies of 16 bytes need even rows, and that whole cache lines of C are then written. Results for the rows before the first
// are dropped.
//
// The product y := C x in addition: the new elements of a large tile are in registers. Their sums for the rows and columns of
// the tile are formed over the lanes of a warp, then over the warps of the block. A second kernel adds the sums of all tiles.
// The order depends only on the sizes. This saves a pass over C.
//
// Rejected variants: data/perf/DECISIONS.md, "Rank-2k update".
#include "gemm_df/rank_2k/syr2k.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "gemm_df/rank_2k/syr2k_tile.cuh"
#include "gemm_df/tensor_core.cuh"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g {

namespace {

using namespace rank_2k;

// A small tile of `side` x `side`. A warp computes `warp_rows` x `warp_cols` of it.
template <int side_, int warp_rows_, int warp_cols_, int slots_, int blocks_>
struct Tile {
  static constexpr int side = side_, warp_rows = warp_rows_, warp_cols = warp_cols_;
  static constexpr int slots = slots_, blocks = blocks_;
  static constexpr int warps_down = side / warp_rows, threads = 32 * warps_down * (side / warp_cols);
  using Copy = Copier<side, threads>;
  static constexpr int operand = depth * Copy::stride;
  static constexpr std::size_t shared_bytes = sizeof(double) * slots * 2 * operand;
};

template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) syr2k_tile_kernel(const __grid_constant__ Update u) {
  extern __shared__ double ring[];
  const TilePosition<T::side> at(u, static_cast<std::int32_t>(blockIdx.x));
  if (at.whole)
    for (int line = threadIdx.x; line < T::side * T::side / 16; line += T::threads)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(u.c + at.row + line % (T::side / 16) * 16 +
                                                    (at.col + line / (T::side / 16)) * u.ldc));

  const typename T::Copy x_copy(threadIdx.x, at.row, u.first, u.end),
      y_copy(threadIdx.x, at.col, u.first, u.end);
  const Chunks chunks(u);
  const auto fetch = [&](int chunk) {
    double* const slot = ring + chunk % T::slots * 2 * T::operand;
    if (chunk < chunks.count()) {
      chunks.copy_x(x_copy, slot, chunk);
      chunks.copy_y(y_copy, slot + T::operand, chunk);
    }
    close_copies();
  };
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int warp_row = warp % T::warps_down * T::warp_rows, warp_col = warp / T::warps_down * T::warp_cols;
  WarpProduct<T::warp_rows, T::warp_cols> product;
  product.clear();
  for (int chunk = 0; chunk < T::slots - 1; ++chunk) fetch(chunk);
  for (int chunk = 0; chunk < chunks.count(); ++chunk) {
    wait_for_copies<T::slots - 2>();
    __syncthreads();
    fetch(chunk + T::slots - 1);
    const double* const x = ring + chunk % T::slots * 2 * T::operand + t * T::Copy::stride + 2 * g;
#pragma unroll
    for (int k = 0; k < depth / 4; ++k)
      product.load(k % 2, x + 4 * k * T::Copy::stride + warp_row,
                   x + 4 * k * T::Copy::stride + T::operand + warp_col);
#pragma unroll
    for (int k = 0; k < depth / 4; ++k) product.step(k % 2);
  }
  product.add_to(u, at.row + warp_row, at.col + warp_col, at.whole);
}

// Large tiles, one after another. Operands are loaded to registers half a chunk before they are multiplied, across the barrier.
// During the products of the first half of a chunk its second half is loaded. During the products of the second half the first
// half of the next chunk is loaded.
struct LargeTile {
  static constexpr int side = 128, warp_side = 32, slots = 5;
  static constexpr int warps_down = side / warp_side, threads = 32 * warps_down * warps_down;
  using Copy = Copier<side, threads>;
  static constexpr int operand = depth * Copy::stride, slot = 2 * operand;
  static constexpr int c_stride = side + 2;
  static constexpr int c_chunks = 8;  // the tile of C is copied in this number of parts, one with each chunk
  static constexpr int c_copies = side * side / 2 / c_chunks / threads;
  static constexpr int min_chunks = c_chunks + slots;  // C is complete before the last chunk
  // Memory for x and for the warps' sums, each for the rows and for the columns of the tile.
  static constexpr int x_and_sums = 2 * side * (1 + warps_down);
  static constexpr std::size_t shared_bytes(bool beside) {
    return sizeof(double) * (slots * slot + c_stride * side + (beside ? x_and_sums : 0));
  }
  static_assert(c_copies * threads * c_chunks * 2 == side * side && depth == 8 && 2 * side <= threads);
};

// The tile's sum for a row or a column: the sum over its warps.
__device__ double over_warps(const double* sums) {
  double sum = sums[0];
#pragma unroll
  for (int w = 1; w < LargeTile::warps_down; ++w) sum += sums[w * LargeTile::side];
  return sum;
}

template <bool multiplies>
__global__ void __launch_bounds__(LargeTile::threads, 1)
    syr2k_large_tile_kernel(const __grid_constant__ Update u, std::int32_t tiles,
                            const __grid_constant__ Beside beside) {
  using T = LargeTile;
  extern __shared__ double ring[];
  double* const c_tile = ring + T::slots * T::slot;
  double* const x_tile = c_tile + T::c_stride * T::side;  // x at the tile's rows, then at its columns
  double *const row_sums = x_tile + 2 * T::side, *const col_sums = row_sums + T::warps_down * T::side;
  const auto blocks = static_cast<std::int32_t>(gridDim.x);
  const Chunks chunks(u);
  const std::int32_t count = chunks.count();

  std::int32_t fetched_tile = static_cast<std::int32_t>(blockIdx.x), fetched_chunk = 0;
  int fetched_slot = 0;
  typename T::Copy x_copy(threadIdx.x, 0, u.first, u.end), y_copy(threadIdx.x, 0, u.first, u.end);
  const auto fetch = [&] {
    if (fetched_tile >= tiles) return;
    if (fetched_chunk == 0) {
      const TilePosition<T::side> at(u, fetched_tile);
      x_copy = typename T::Copy(threadIdx.x, at.row, u.first, u.end);
      y_copy = typename T::Copy(threadIdx.x, at.col, u.first, u.end);
    }
    double* const slot = ring + fetched_slot * T::slot;
    chunks.copy_x(x_copy, slot, fetched_chunk);
    chunks.copy_y(y_copy, slot + T::operand, fetched_chunk);
    if (++fetched_chunk == count) {
      fetched_chunk = 0;
      fetched_tile += blocks;
    }
    if (++fetched_slot == T::slots) fetched_slot = 0;
  };
  const auto fetch_c = [&](const TilePosition<T::side>& at, std::int32_t chunk) {
#pragma unroll
    for (int k = 0; k < T::c_copies; ++k) {
      const int own = k * T::threads + threadIdx.x, row = own % (T::side / 2) * 2;
      const int col = own / (T::side / 2) + chunk * (T::side / T::c_chunks);
      copy_16_async(c_tile + row + col * T::c_stride, u.c + at.row + row + (at.col + col) * u.ldc, 16);
    }
  };
  const auto fetch_x = [&](const TilePosition<T::side>& at) {
    if (threadIdx.x >= T::side) return;
    const int own = 2 * threadIdx.x;
    const std::int32_t from = own < T::side ? at.row + own : at.col + own - T::side;
    const bool any = from + 1 >= u.first && from < u.end;
    const int bytes = !any ? 0 : from + 1 == u.end ? 8 : 16;
    copy_16_async(x_tile + own, beside.x + (any ? from : u.first / 2 * 2), bytes);
  };
  for (int s = 0; s < T::slots; ++s) {
    fetch();
    close_copies();
  }
  wait_for_copies<T::slots - 1>();
  __syncthreads();

  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int warp_row = warp % T::warps_down * T::warp_side, warp_col = warp / T::warps_down * T::warp_side;
  const double* const x = ring + t * T::Copy::stride + warp_row + 2 * g;
  const double* const y = ring + T::operand + t * T::Copy::stride + warp_col + 2 * g;
  WarpProduct<T::warp_side, T::warp_side> product;
  product.load(0, x, y);
  int slot = 0;
  for (std::int32_t tile = static_cast<std::int32_t>(blockIdx.x); tile < tiles; tile += blocks) {
    const TilePosition<T::side> at(u, tile);
    product.clear();
    for (std::int32_t chunk = 0; chunk < count; ++chunk) {
      const int half = slot * T::slot + 4 * T::Copy::stride;
      product.load(1, x + half, y + half);
      product.step(0);
      if (++slot == T::slots) slot = 0;
      wait_for_copies<T::slots - 2>();
      __syncthreads();  // the next chunk has arrived, and the slot of this one is free
      product.load(0, x + slot * T::slot, y + slot * T::slot);
      product.step(1);
      fetch();
      if (at.whole && chunk < T::c_chunks) fetch_c(at, chunk);
      if (multiplies && chunk == 0) fetch_x(at);
      close_copies();
    }
    if constexpr (multiplies) {
      product.add_and_multiply(u, c_tile + warp_row + warp_col * T::c_stride, T::c_stride, at.row + warp_row,
                               at.col + warp_col, at.whole, x_tile + warp_row, x_tile + T::side + warp_col,
                               row_sums + warp_row + warp_col / T::warp_side * T::side,
                               col_sums + warp_col + warp_row / T::warp_side * T::side);
      __syncthreads();
      const int own = threadIdx.x % T::side;
      const bool on_diagonal = at.row == at.col, of_row = threadIdx.x < T::side;
      const std::int32_t row = (of_row ? at.row : at.col) + own;
      if (threadIdx.x < (on_diagonal ? T::side : 2 * T::side) && row >= u.first && row < u.end) {
        const double sum = over_warps((of_row ? row_sums : col_sums) + own);
        beside.sums[(of_row ? at.col : at.row) / T::side * beside.stride + row] =
            on_diagonal ? sum + over_warps(col_sums + own) : sum;
      }
    } else if (at.whole)
      product.add_to_held(u, c_tile + warp_row + warp_col * T::c_stride, T::c_stride, at.row + warp_row,
                          at.col + warp_col);
    else
      product.add_to(u, at.row + warp_row, at.col + warp_col, false);
  }
}

using Small = Tile<32, 16, 16, 4, 4>;
using Medium = Tile<64, 32, 32, 5, 4>;

// True if the kernels were compiled for compute capability 8.0 or later, which has tensor cores for double.
bool has_tensor_core() {
  cudaFuncAttributes attributes{};
  EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, syr2k_tile_kernel<Medium>));
  return attributes.ptxVersion >= 80;
}

template <class T>
void launch(const Queue& queue, const Update& u) {
  allow_shared_memory(syr2k_tile_kernel<T>, T::shared_bytes);
  const auto tiles = static_cast<unsigned>(tiles_before((u.end + T::side - 1) / T::side));
  syr2k_tile_kernel<T><<<tiles, T::threads, T::shared_bytes, queue.stream()>>>(u);
  EIGEN_G_LAUNCHED();
}

bool is_for_large_tiles(const Update& u, std::int64_t min_rows) {
  if (u.end - u.first < min_rows || 2 * ((u.columns + depth - 1) / depth) < LargeTile::min_chunks)
    return false;
  int device = 0, max_shared = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return max_shared >= static_cast<int>(LargeTile::shared_bytes(true));
}
template <bool multiplies>
void launch_large(const Queue& queue, const Update& u, const Beside& beside = {}) {
  const std::size_t shared = LargeTile::shared_bytes(multiplies);
  allow_shared_memory(syr2k_large_tile_kernel<multiplies>, shared);
  const std::int32_t tiles = tiles_before((u.end + LargeTile::side - 1) / LargeTile::side);
  const auto blocks = static_cast<unsigned>(std::min(tiles, queue.multiprocessors()));
  syr2k_large_tile_kernel<multiplies>
      <<<blocks, LargeTile::threads, shared, queue.stream()>>>(u, tiles, beside);
  EIGEN_G_LAUNCHED();
}

// y := for each row the sum over all tiles; dots := for each block its part of x^T y. Groups of threads share the sums of a
// row.
constexpr int sum_threads = 256, sum_batch = 8;
__global__ void __launch_bounds__(sum_threads)
    sum_tiles_kernel(std::int32_t first, std::int32_t end, std::int32_t tiles, Beside beside, double* y,
                     double* dots) {
  __shared__ double shared[sum_threads];
  const auto blocks = static_cast<std::int32_t>(gridDim.x);
  const std::int32_t slice = (end - first + blocks - 1) / blocks;
  const int lanes = min(sum_threads, (slice + 31) / 32 * 32), groups = sum_threads / lanes;
  const int group = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  double dot = 0;
  for (std::int32_t start = 0; start < slice; start += lanes) {
    const std::int32_t row = first + static_cast<std::int32_t>(blockIdx.x) * slice + start + lane;
    const bool has_row = group < groups && start + lane < slice && row < end;
    double sum = 0;
    for (std::int32_t tile = group; has_row && tile < tiles; tile += sum_batch * groups) {
      double value[sum_batch];
#pragma unroll
      for (int i = 0; i < sum_batch; ++i)
        value[i] =
            tile + i * groups < tiles ? __ldcg(beside.sums + (tile + i * groups) * beside.stride + row) : 0;
#pragma unroll
      for (int i = 0; i < sum_batch; ++i) sum += value[i];
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (has_row && group == 0) {
      for (int k = 1; k < groups; ++k) sum += shared[lane + k * lanes];
      y[row] = sum;
      dot = fma(beside.x[row], sum, dot);
    }
    __syncthreads();
  }
  shared[threadIdx.x] = dot;
  for (int half = sum_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  if (threadIdx.x == 0) dots[blockIdx.x] = shared[0];
}

std::int64_t rows_off_line(const double* p, std::int64_t bytes) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) % static_cast<std::uintptr_t>(bytes)) /
         static_cast<std::int64_t>(sizeof(double));
}

// Describes the update. False if the kernels of this file are not meant for the case.
bool update_for(double alpha, MatrixView<const double> a_dev, MatrixView<const double> b_dev,
                MatrixView<double> c_dev, Update& update) {
  const std::int64_t shift = rows_off_line(c_dev.data, 128);
  const bool equal_lines = rows_off_line(a_dev.data, 16) == shift % 2 &&
                           rows_off_line(b_dev.data, 16) == shift % 2 && a_dev.lda % 2 == 0 &&
                           b_dev.lda % 2 == 0 && c_dev.lda % 2 == 0;
  if (!equal_lines || a_dev.cols > product_tuning().rank_2k_max_columns || !has_tensor_core()) return false;
  update = {static_cast<std::int32_t>(shift),
            static_cast<std::int32_t>(shift + c_dev.rows),
            static_cast<std::int32_t>(a_dev.cols),
            alpha,
            a_dev.data - shift,
            b_dev.data - shift,
            a_dev.lda,
            b_dev.lda,
            c_dev.data - shift * (1 + c_dev.lda),
            c_dev.lda};
  return true;
}

}  // namespace

template <>
bool syr2k_lower_narrow<double>(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                                MatrixView<const double> b_dev, MatrixView<double> c_dev) {
  Update update;
  if (!update_for(alpha, a_dev, b_dev, c_dev, update)) return false;
  const ProductTuning& tuning = product_tuning();
  if (is_for_large_tiles(update, tuning.rank_2k_min_rows_large))
    launch_large<false>(queue, update);
  else if (c_dev.rows < tuning.rank_2k_min_rows_medium)
    launch<Small>(queue, update);
  else
    launch<Medium>(queue, update);
  return true;
}

template <>
std::int64_t syr2k_product_scratch<double>(std::int64_t rows) {
  const std::int64_t most = (rows + 15 + LargeTile::side - 1) / LargeTile::side;
  return rows < product_tuning().rank_2k_min_rows_product ? 0 : most * most * LargeTile::side;
}

template <>
bool syr2k_lower_and_product<double>(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                                     MatrixView<const double> b_dev, MatrixView<double> c_dev,
                                     const ProductBeside<double>& product) {
  Update update;
  if (!update_for(alpha, a_dev, b_dev, c_dev, update) ||
      !is_for_large_tiles(update, product_tuning().rank_2k_min_rows_product) ||
      rows_off_line(product.x_dev, 16) != update.first % 2)
    return false;
  const std::int32_t tiles = (update.end + LargeTile::side - 1) / LargeTile::side;
  const Beside beside{product.x_dev - update.first, product.scratch_dev,
                      std::int64_t{tiles} * LargeTile::side};
  launch_large<true>(queue, update, beside);
  sum_tiles_kernel<<<static_cast<unsigned>(product.dots), sum_threads, 0, queue.stream()>>>(
      update.first, update.end, tiles, beside, product.y_dev - update.first, product.dots_dev);
  EIGEN_G_LAUNCHED();
  return true;
}

// In float the tensor core reads operands with eleven bits only, so cuBLAS computes the update.
template <>
bool syr2k_lower_narrow<float>(const Queue&, float, MatrixView<const float>, MatrixView<const float>,
                               MatrixView<float>) {
  return false;
}
template <>
std::int64_t syr2k_product_scratch<float>(std::int64_t) {
  return 0;
}
template <>
bool syr2k_lower_and_product<float>(const Queue&, float, MatrixView<const float>, MatrixView<const float>,
                                    MatrixView<float>, const ProductBeside<float>&) {
  return false;
}

// Complex double: the update is in her2k.cu. Complex float: cuBLAS.
template <>
std::int64_t syr2k_product_scratch<std::complex<double>>(std::int64_t) {
  return 0;
}
template <>
bool syr2k_lower_and_product<std::complex<double>>(const Queue&, std::complex<double>,
                                                   MatrixView<const std::complex<double>>,
                                                   MatrixView<const std::complex<double>>,
                                                   MatrixView<std::complex<double>>,
                                                   const ProductBeside<std::complex<double>>&) {
  return false;
}
template <>
bool syr2k_lower_narrow<std::complex<float>>(const Queue&, std::complex<float>,
                                             MatrixView<const std::complex<float>>,
                                             MatrixView<const std::complex<float>>,
                                             MatrixView<std::complex<float>>) {
  return false;
}
template <>
std::int64_t syr2k_product_scratch<std::complex<float>>(std::int64_t) {
  return 0;
}
template <>
bool syr2k_lower_and_product<std::complex<float>>(const Queue&, std::complex<float>,
                                                  MatrixView<const std::complex<float>>,
                                                  MatrixView<const std::complex<float>>,
                                                  MatrixView<std::complex<float>>,
                                                  const ProductBeside<std::complex<float>>&) {
  return false;
}

}  // namespace eigen_g
