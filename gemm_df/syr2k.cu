// C += alpha (A B^T + B A^T) = alpha [A B] [B A]^T, lower triangle, for so few columns that reading and writing C costs
// as much as the product. X = [A B] are the columns of a tile's rows, Y = [B A] those of its columns.
//
// A thread block makes one small tile; many of them on a multiprocessor fill each other's gaps. Chunks of columns come
// through shared memory in a ring of stages, and the tile of C is called into L2 before the first of them. That is
// bound by L2, from which each small tile takes all of its X and Y. So large matrices get large tiles: one thread block
// a multiprocessor goes from one to the next, its ring runs on, and the tile of C comes to shared memory meanwhile.
// Rows are counted from an address that is aligned to 128 bytes in C, up to 15 rows before the first: copies of 16
// bytes need even rows, and whole lines of C are written. What the rows before the first hold is computed and dropped.
//
// Rejected, n = 20000 with 64 columns on an H200, where small tiles take 1.67 ms, large ones 1.50 (cuBLAS 3.5): small
// tiles by warps of 16 x 32, 1.9 ms; one thread block a tile of 128 x 64 or 96 x 96, 1.8 ms, of 128 x 128, 2.0; small
// tiles that run at the same time chosen such that they share X and Y, 1.60; one thread block a multiprocessor that
// keeps X of 128 rows in its shared memory while two groups of four warps go along the tiles of that row, 2.8 ms. Large
// tiles where a warp reads a chunk's operands only behind the barrier that ends the one before, 1.9 ms; two blocks of
// 128 x 64 in place of one of 128 x 128, 1.75; such that they share X and Y, 1.52; warps of 64 x 32, 2.2; bulk copies
// and a barrier a stage in place of copies by every thread, 2.3 to 2.4.
#include "gemm_df/syr2k.hpp"

#include <algorithm>
#include <cstdint>

#include "gemm_df/tensor_core.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/queue.hpp"

namespace eigen_g {

namespace {

struct Update {
  std::int32_t first, end;  // rows and columns of C
  std::int32_t columns;     // of A and of B
  double alpha;
  const double *a, *b;
  std::int64_t lda, ldb;
  double* c;
  std::int64_t ldc;
};

constexpr int depth = 8;  // columns of X and Y a stage

// What a warp makes of a tile: `rows` x `cols`, with the operands of one step while those of the next are on their way.
template <int rows, int cols>
struct WarpProduct {
  static constexpr int down = rows / 16, across = cols / 8;
  static_assert(rows % 16 == 0 && cols % 16 == 0);
  double sum[down][across][4];
  double2 x[2][down], y[2][across / 2];

  __device__ void clear() {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[r][c][e] = 0;
  }
  // Pointers to this thread's first element: k = t, row 2g.
  __device__ void load(int buffer, const double* from_x, const double* from_y) {
#pragma unroll
    for (int r = 0; r < down; ++r) x[buffer][r] = *reinterpret_cast<const double2*>(from_x + 16 * r);
#pragma unroll
    for (int c = 0; c < across / 2; ++c) y[buffer][c] = *reinterpret_cast<const double2*>(from_y + 16 * c);
  }
  __device__ void step(int buffer) {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
        tensor_step(sum[r][c], x[buffer][r].x, x[buffer][r].y,
                    c % 2 == 0 ? y[buffer][c / 2].x : y[buffer][c / 2].y);
  }
  // C += alpha sum; the warp's first element is (row, col). `whole`: all of the tile is to be written.
  __device__ void add_to(const Update& u, std::int32_t row, std::int32_t col, bool whole) const {
    row += threadIdx.x % 32 / 4 * 2;
    col += threadIdx.x % 4 * 4;
    if (whole)
      add_to_whole(u, row, col);
    else
      add_to_part(u, row, col);
  }
  // The same where all of the tile is written and C's part of it, from (row, col), is held at `c`.
  __device__ void add_to_held(const Update& u, const double* c, int stride, std::int32_t row,
                              std::int32_t col) const {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    row += 2 * g;
    col += 4 * t;
    c += 2 * g + 4 * t * stride;
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int k = 0; k < across; ++k)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const double2 v = *reinterpret_cast<const double2*>(c + 16 * r + in_pair(k, e) * stride);
          *reinterpret_cast<double2*>(place(u, row, col, r, k, e)) = {fma(u.alpha, sum[r][k][e], v.x),
                                                                      fma(u.alpha, sum[r][k][2 + e], v.y)};
        }
  }

 private:
  static constexpr int batch = across < 4 ? across : 4;  // loads on their way, twice
  __device__ void add_to_whole(const Update& u, std::int32_t row, std::int32_t col) const {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int first = 0; first < across; first += batch) {
        double2 v[batch][2];
#pragma unroll
        for (int c = 0; c < batch; ++c)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            v[c][e] = __ldcg(reinterpret_cast<const double2*>(place(u, row, col, r, first + c, e)));
#pragma unroll
        for (int c = 0; c < batch; ++c)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const double(&own)[4] = sum[r][first + c];
            *reinterpret_cast<double2*>(place(u, row, col, r, first + c, e)) = {
                fma(u.alpha, own[e], v[c][e].x), fma(u.alpha, own[2 + e], v[c][e].y)};
          }
      }
  }
  __device__ void add_to_part(const Update& u, std::int32_t row, std::int32_t col) const {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const std::int32_t at_row = row + 16 * r + e / 2, at_col = col + in_pair(c, e % 2);
          double* const at = place(u, row, col, r, c, e % 2) + e / 2;
          if (at_col >= u.first && at_row >= at_col && at_row < u.end) *at = fma(u.alpha, sum[r][c][e], *at);
        }
  }
  static __device__ std::int32_t in_pair(int c, int e) {
    return c / 2 * 16 + 2 * e + c % 2;
  }
  static __device__ double* place(const Update& u, std::int32_t row, std::int32_t col, int r, int c, int e) {
    return u.c + row + 16 * r + (col + in_pair(c, e)) * u.ldc;
  }
};

// Copies of `height` rows of `depth` columns to shared memory by `threads` threads; each keeps to one pair of rows.
template <int height, int threads>
class Copier {
 public:
  static constexpr int stride = height + 4;  // 4 (mod 16)
  static_assert(stride % 16 == 4 && threads % (height / 2) == 0);

  // Of the rows `row` ... only first ... end - 1 are read, and what shares 16 bytes with one of them; zeros for the rest.
  __device__ Copier(int thread, std::int32_t row, std::int32_t first, std::int32_t end) {
    const int pair = thread % (height / 2);
    column_ = thread / (height / 2);
    place_ = column_ * stride + 2 * pair;
    row_ = row + 2 * pair;
    bytes_ = row_ + 1 < first || row_ >= end ? 0 : row_ + 1 == end ? 8 : 16;
    if (bytes_ == 0) row_ = first / 2 * 2;
  }
  __device__ void operator()(double* stage, const double* from, std::int64_t ld, std::int32_t column,
                             std::int32_t columns) const {
#pragma unroll
    for (int step = 0; step < depth; step += threads / (height / 2)) {
      const std::int32_t own = column + column_ + step;
      if (column_ + step < depth)
        copy_16_async(stage + place_ + step * stride, from + row_ + (own < columns ? own : 0) * ld,
                      own < columns ? bytes_ : 0);
    }
  }

 private:
  int column_, place_, bytes_;
  std::int32_t row_;
};

// Chunk `chunk` of X or Y: of A's columns or of B's.
struct Chunks {
  const Update& u;
  std::int32_t half;

  __device__ explicit Chunks(const Update& update) : u(update), half((u.columns + depth - 1) / depth) {}
  __device__ std::int32_t count() const { return 2 * half; }
  template <class C>
  __device__ void copy_x(const C& copier, double* to, std::int32_t chunk) const {
    copy(copier, to, chunk, chunk >= half);
  }
  template <class C>
  __device__ void copy_y(const C& copier, double* to, std::int32_t chunk) const {
    copy(copier, to, chunk, chunk < half);
  }

 private:
  template <class C>
  __device__ void copy(const C& copier, double* to, std::int32_t chunk, bool of_b) const {
    copier(to, of_b ? u.b : u.a, of_b ? u.ldb : u.lda, (chunk < half ? chunk : chunk - half) * depth,
           u.columns);
  }
};

// Tiles row by row, 1 + ... + i of them before row i.
__host__ __device__ std::int32_t tiles_before(std::int32_t i) {
  return i * (i + 1) / 2;
}
__device__ std::int32_t row_of_tile(std::int32_t tile) {
  auto i = static_cast<std::int32_t>((sqrt(8.0 * tile + 1) - 1) / 2);
  while (tiles_before(i) > tile) --i;
  while (tiles_before(i + 1) <= tile) ++i;
  return i;
}

template <int side>
struct Place {
  std::int32_t row, col;
  bool whole;  // all of the tile is to be written

  __device__ Place(const Update& u, std::int32_t tile) {
    const std::int32_t i = row_of_tile(tile);
    row = i * side;
    col = (tile - tiles_before(i)) * side;
    whole = row >= col + side - 1 && col >= u.first && row + side <= u.end;
  }
};

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
  static constexpr int least_chunks = c_chunks + stages;  // C is there before the last
  static constexpr std::size_t shared_bytes = sizeof(double) * (stages * stage + c_stride * side);
  static_assert(c_copies * threads * c_chunks * 2 == side * side && depth == 8);
};

__global__ void __launch_bounds__(LargeTile::threads, 1)
    syr2k_large_tile_kernel(const __grid_constant__ Update u, std::int32_t tiles) {
  using T = LargeTile;
  extern __shared__ double ring[];
  double* const c_tile = ring + T::stages * T::stage;
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
      close_copies();
    }
    if (at.whole)
      product.add_to_held(u, c_tile + warp_row + warp_col * T::c_stride, T::c_stride, at.row + warp_row,
                          at.col + warp_col);
    else
      product.add_to(u, at.row + warp_row, at.col + warp_col, false);
  }
}

// From so many rows on the larger tiles are better; with more columns than `most_columns`, cuBLAS.
using Small = Tile<32, 16, 16, 4, 4>;
using Medium = Tile<64, 32, 32, 5, 4>;
constexpr std::int64_t least_rows_medium = 1500, least_rows_large = 8000, most_columns = 128;

// Compute capability that the kernels run for: the tensor core knows double from 8.0 on.
bool has_tensor_core() {
  cudaFuncAttributes attributes{};
  EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, syr2k_tile_kernel<Medium>));
  return attributes.ptxVersion >= 80;
}

template <class T>
void launch(const Queue& queue, const Update& u) {
  EIGEN_G_CUDA(cudaFuncSetAttribute(syr2k_tile_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(T::shared_bytes)));
  const auto tiles = static_cast<unsigned>(tiles_before((u.end + T::side - 1) / T::side));
  syr2k_tile_kernel<T><<<tiles, T::threads, T::shared_bytes, queue.stream()>>>(u);
  EIGEN_G_LAUNCHED();
}

bool is_for_large_tiles(const Update& u) {
  if (u.end - u.first < least_rows_large || 2 * ((u.columns + depth - 1) / depth) < LargeTile::least_chunks)
    return false;
  int device = 0, most_shared = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return most_shared >= static_cast<int>(LargeTile::shared_bytes);
}
void launch_large(const Queue& queue, const Update& u) {
  EIGEN_G_CUDA(cudaFuncSetAttribute(syr2k_large_tile_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(LargeTile::shared_bytes)));
  const std::int32_t tiles = tiles_before((u.end + LargeTile::side - 1) / LargeTile::side);
  const auto blocks = static_cast<unsigned>(std::min(tiles, queue.multiprocessors()));
  syr2k_large_tile_kernel<<<blocks, LargeTile::threads, LargeTile::shared_bytes, queue.stream()>>>(u, tiles);
  EIGEN_G_LAUNCHED();
}

std::int64_t rows_off_line(const double* p, std::int64_t bytes) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) % static_cast<std::uintptr_t>(bytes)) /
         static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

bool syr2k_lower_narrow(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                        MatrixView<const double> b_dev, MatrixView<double> c_dev) {
  const std::int64_t shift = rows_off_line(c_dev.data, 128);
  const bool equal_lines = rows_off_line(a_dev.data, 16) == shift % 2 &&
                           rows_off_line(b_dev.data, 16) == shift % 2 && a_dev.lda % 2 == 0 &&
                           b_dev.lda % 2 == 0 && c_dev.lda % 2 == 0;
  if (!equal_lines || a_dev.cols > most_columns || !has_tensor_core()) return false;
  const Update update{static_cast<std::int32_t>(shift),
                      static_cast<std::int32_t>(shift + c_dev.rows),
                      static_cast<std::int32_t>(a_dev.cols),
                      alpha,
                      a_dev.data - shift,
                      b_dev.data - shift,
                      a_dev.lda,
                      b_dev.lda,
                      c_dev.data - shift * (1 + c_dev.lda),
                      c_dev.lda};
  if (is_for_large_tiles(update))
    launch_large(queue, update);
  else if (c_dev.rows < least_rows_medium)
    launch<Small>(queue, update);
  else
    launch<Medium>(queue, update);
  return true;
}

}  // namespace eigen_g
