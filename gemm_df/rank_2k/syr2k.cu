// C += alpha (A B^T + B A^T) = alpha [A B] [B A]^T, lower triangle, for so few columns that reading and writing C costs
// as much as the product. X = [A B] are the columns of a tile's rows, Y = [B A] those of its columns.
//
// Small tiles: a thread block makes one; many on a multiprocessor fill each other's gaps. Chunks of columns come through
// shared memory in a ring of stages; the tile of C is prefetched into L2. L2 bounds them: each takes all of its X and Y from
// there. Large matrices get large tiles: one thread block a multiprocessor goes from one to the next, its ring runs on, and
// the tile of C comes to shared memory meanwhile. Rows are counted from an address that is aligned to 128 bytes in C, up to
// 15 rows before the first: copies of 16 bytes need even rows, and whole lines of C are written. Results for the rows
// before the first are dropped.
//
// The product y := C x on the way: a large tile's new elements are in registers. Their sums for its rows and columns are
// made over a warp's lanes, then its block's warps; a second kernel adds up the tiles'. The order depends on the sizes
// alone. It saves a pass over C, 0.9 % of the reduction of n = 20000.
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

// Small tiles, `side` x `side`; a warp makes `warp_rows` x `warp_cols` of one.
template <int side_, int warp_rows_, int warp_cols_, int stages_, int blocks_>
struct Tile {
  static constexpr int side = side_, warp_rows = warp_rows_, warp_cols = warp_cols_;
  static constexpr int stages = stages_, blocks = blocks_;
  static constexpr int warps_down = side / warp_rows, threads = 32 * warps_down * (side / warp_cols);
  using Copy = Copier<side, threads>;
  static constexpr int operand = depth * Copy::stride;
  static constexpr std::size_t shared_bytes = sizeof(double) * stages * 2 * operand;
};

template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) syr2k_tile_kernel(const __grid_constant__ Update u) {
  extern __shared__ double ring[];
  const Place<T::side> at(u, static_cast<std::int32_t>(blockIdx.x));
  if (at.whole)
    for (int line = threadIdx.x; line < T::side * T::side / 16; line += T::threads)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(u.c + at.row + line % (T::side / 16) * 16 +
                                                    (at.col + line / (T::side / 16)) * u.ldc));

  const typename T::Copy x_copy(threadIdx.x, at.row, u.first, u.end),
      y_copy(threadIdx.x, at.col, u.first, u.end);
  const Chunks chunks(u);
  const auto fetch = [&](int chunk) {
    double* const stage = ring + chunk % T::stages * 2 * T::operand;
    if (chunk < chunks.count()) {
      chunks.copy_x(x_copy, stage, chunk);
      chunks.copy_y(y_copy, stage + T::operand, chunk);
    }
    close_copies();
  };
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int warp_row = warp % T::warps_down * T::warp_rows, warp_col = warp / T::warps_down * T::warp_cols;
  WarpProduct<T::warp_rows, T::warp_cols> product;
  product.clear();
  for (int chunk = 0; chunk < T::stages - 1; ++chunk) fetch(chunk);
  for (int chunk = 0; chunk < chunks.count(); ++chunk) {
    wait_for_copies<T::stages - 2>();
    __syncthreads();
    fetch(chunk + T::stages - 1);
    const double* const x = ring + chunk % T::stages * 2 * T::operand + t * T::Copy::stride + 2 * g;
#pragma unroll
    for (int k = 0; k < depth / 4; ++k)
      product.load(k % 2, x + 4 * k * T::Copy::stride + warp_row,
                   x + 4 * k * T::Copy::stride + T::operand + warp_col);
#pragma unroll
    for (int k = 0; k < depth / 4; ++k) product.step(k % 2);
  }
  product.add_to(u, at.row + warp_row, at.col + warp_col, at.whole);
}

// Large tiles, one after the other. Operands are read half a chunk ahead of the products, across the barrier: those of
// a chunk's second half during its first, those of the next chunk's first half during this one's second.
struct LargeTile {
  static constexpr int side = 128, warp_side = 32, stages = 5;
  static constexpr int warps_down = side / warp_side, threads = 32 * warps_down * warps_down;
  using Copy = Copier<side, threads>;
  static constexpr int operand = depth * Copy::stride, stage = 2 * operand;
  static constexpr int c_stride = side + 2;
  static constexpr int c_chunks = 8;  // the tile of C comes with so many chunks
  static constexpr int c_copies = side * side / 2 / c_chunks / threads;
  static constexpr int min_chunks = c_chunks + stages;            // C is there before the last
  static constexpr int x_and_sums = 2 * side * (1 + warps_down);  // for the rows and for the columns
  static constexpr std::size_t shared_bytes(bool beside) {
    return sizeof(double) * (stages * stage + c_stride * side + (beside ? x_and_sums : 0));
  }
  static_assert(c_copies * threads * c_chunks * 2 == side * side && depth == 8 && 2 * side <= threads);
};

// The tile's sum for a row or a column, from those of its warps.
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
  double* const c_tile = ring + T::stages * T::stage;
  double* const x_tile = c_tile + T::c_stride * T::side;  // x at the tile's rows, then at its columns
  double *const row_sums = x_tile + 2 * T::side, *const col_sums = row_sums + T::warps_down * T::side;
  const auto blocks = static_cast<std::int32_t>(gridDim.x);
  const Chunks chunks(u);
  const std::int32_t count = chunks.count();

  std::int32_t fetched_tile = static_cast<std::int32_t>(blockIdx.x), fetched_chunk = 0;
  int fetched_stage = 0;
  typename T::Copy x_copy(threadIdx.x, 0, u.first, u.end), y_copy(threadIdx.x, 0, u.first, u.end);
  const auto fetch = [&] {
    if (fetched_tile >= tiles) return;
    if (fetched_chunk == 0) {
      const Place<T::side> at(u, fetched_tile);
      x_copy = typename T::Copy(threadIdx.x, at.row, u.first, u.end);
      y_copy = typename T::Copy(threadIdx.x, at.col, u.first, u.end);
    }
    double* const stage = ring + fetched_stage * T::stage;
    chunks.copy_x(x_copy, stage, fetched_chunk);
    chunks.copy_y(y_copy, stage + T::operand, fetched_chunk);
    if (++fetched_chunk == count) {
      fetched_chunk = 0;
      fetched_tile += blocks;
    }
    if (++fetched_stage == T::stages) fetched_stage = 0;
  };
  const auto fetch_c = [&](const Place<T::side>& at, std::int32_t chunk) {
#pragma unroll
    for (int k = 0; k < T::c_copies; ++k) {
      const int own = k * T::threads + threadIdx.x, row = own % (T::side / 2) * 2;
      const int col = own / (T::side / 2) + chunk * (T::side / T::c_chunks);
      copy_16_async(c_tile + row + col * T::c_stride, u.c + at.row + row + (at.col + col) * u.ldc, 16);
    }
  };
  const auto fetch_x = [&](const Place<T::side>& at) {
    if (threadIdx.x >= T::side) return;
    const int own = 2 * threadIdx.x;
    const std::int32_t from = own < T::side ? at.row + own : at.col + own - T::side;
    const bool any = from + 1 >= u.first && from < u.end;
    const int bytes = !any ? 0 : from + 1 == u.end ? 8 : 16;
    copy_16_async(x_tile + own, beside.x + (any ? from : u.first / 2 * 2), bytes);
  };
  for (int s = 0; s < T::stages; ++s) {
    fetch();
    close_copies();
  }
  wait_for_copies<T::stages - 1>();
  __syncthreads();

  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int warp_row = warp % T::warps_down * T::warp_side, warp_col = warp / T::warps_down * T::warp_side;
  const double* const x = ring + t * T::Copy::stride + warp_row + 2 * g;
  const double* const y = ring + T::operand + t * T::Copy::stride + warp_col + 2 * g;
  WarpProduct<T::warp_side, T::warp_side> product;
  product.load(0, x, y);
  int stage = 0;
  for (std::int32_t tile = static_cast<std::int32_t>(blockIdx.x); tile < tiles; tile += blocks) {
    const Place<T::side> at(u, tile);
    product.clear();
    for (std::int32_t chunk = 0; chunk < count; ++chunk) {
      const int half = stage * T::stage + 4 * T::Copy::stride;
      product.load(1, x + half, y + half);
      product.step(0);
      if (++stage == T::stages) stage = 0;
      wait_for_copies<T::stages - 2>();
      __syncthreads();  // the next chunk is there, and this one's stage free
      product.load(0, x + stage * T::stage, y + stage * T::stage);
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

// Compute capability that the kernels run for: the tensor core knows double from 8.0 on.
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

// y := the sums of all tiles for each row, and a part of x^T y a block. Some threads share the sums of a row.
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

// False where no kernel here is meant for the case.
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

// The tensor core's floats have eleven bits: cuBLAS.
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

// Complex: the update of double by her2k.cu, the others by cuBLAS.
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
