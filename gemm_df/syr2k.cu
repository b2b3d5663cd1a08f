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
// The tridiagonalization multiplies C with a vector after each update. A large tile's new elements are in registers, so the
// sums for its rows and for its columns are made there, over a warp's lanes and then its block's warps; a second kernel adds
// up the tiles'. All in an order that depends on the sizes alone. It saves the pass over C, 0.9 % of the reduction of
// n = 20000.
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

// The product beside an update: sums[k * stride + r] is what tiles in row k, or in column k, of tiles give to row r of
// C x.
struct Beside {
  const double* x;
  double* sums;
  std::int64_t stride;
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

  // The same for any tile, and the new C times x: sums over the warp's columns for its rows, over its rows for its columns.
  // Of a tile that is not whole, what is stored counts, from C itself. All pointers are to the warp's first element; x and
  // sums in shared memory.
  __device__ void add_and_multiply(const Update& u, const double* c, int stride, std::int32_t row,
                                   std::int32_t col, bool whole, const double* x_rows, const double* x_cols,
                                   double* row_sums, double* col_sums) const {
    static_assert(down == 2 && across == 4, "the sums over lanes are written out");
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    row += 2 * g;
    col += 4 * t;
    c += 2 * g + 4 * t * stride;
    double of_rows[2][2] = {}, of_cols[4][2];
#pragma unroll
    for (int k = 0; k < across; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const bool in = whole || col + in_pair(k, e) >= u.first;  // what x is before that, nobody says
        const double x_col = in ? x_cols[4 * t + in_pair(k, e)] : 0;
        double of_col = 0;
#pragma unroll
        for (int r = 0; r < down; ++r) {
          const double2 x_row = *reinterpret_cast<const double2*>(x_rows + 2 * g + 16 * r);
          double* const at = place(u, row, col, r, k, e);
          double2 v;
          if (whole) {
            v = *reinterpret_cast<const double2*>(c + 16 * r + in_pair(k, e) * stride);
            v = {fma(u.alpha, sum[r][k][e], v.x), fma(u.alpha, sum[r][k][2 + e], v.y)};
            *reinterpret_cast<double2*>(at) = v;
            of_col = fma(v.y, x_row.y, fma(v.x, x_row.x, of_col));
          } else {
            const std::int32_t at_row = row + 16 * r, at_col = col + in_pair(k, e);
            const bool has_x = in && at_row >= at_col && at_row < u.end;
            const bool has_y = in && at_row + 1 >= at_col && at_row + 1 < u.end;
            v = {0, 0};
            if (has_x) at[0] = v.x = fma(u.alpha, sum[r][k][e], at[0]);
            if (has_y) at[1] = v.y = fma(u.alpha, sum[r][k][2 + e], at[1]);
            if (at_row > at_col) of_col = fma(v.x, x_row.x, of_col);
            if (at_row + 1 > at_col) of_col = fma(v.y, x_row.y, of_col);
          }
          of_rows[r][0] = fma(v.x, x_col, of_rows[r][0]);
          of_rows[r][1] = fma(v.y, x_col, of_rows[r][1]);
        }
        of_cols[k][e] = of_col;
      }
    // Each step halves the values that a lane carries: it keeps those that its bit says, and gives the others away.
    const auto halve = [](bool upper, double low, double high, int mask) {
      return (upper ? high : low) + __shfl_xor_sync(~0u, upper ? low : high, mask);
    };
    double two[2], four[2][2], last[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) two[e] = halve(t & 1, of_rows[0][e], of_rows[1][e], 1);
    row_sums[2 * g + 16 * (t & 1) + t / 2] = halve(t & 2, two[0], two[1], 2);
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) four[k][e] = halve(g & 4, of_cols[k][e], of_cols[2 + k][e], 16);
#pragma unroll
    for (int e = 0; e < 2; ++e) last[e] = halve(g & 2, four[0][e], four[1][e], 8);
    col_sums[4 * t + 16 * (g / 4) + g / 2 % 2 + 2 * (g & 1)] = halve(g & 1, last[0], last[1], 4);
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
  static constexpr int least_chunks = c_chunks + stages;          // C is there before the last
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

// From so many rows on the larger tiles are better, with the product beside them sooner: it saves a pass over C. With more
// columns than `most_columns`, cuBLAS.
using Small = Tile<32, 16, 16, 4, 4>;
using Medium = Tile<64, 32, 32, 5, 4>;
constexpr std::int64_t least_rows_medium = 1500, least_rows_large = 8000, least_rows_product = 5000;
constexpr std::int64_t most_columns = 128;

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

bool is_for_large_tiles(const Update& u, std::int64_t least_rows) {
  if (u.end - u.first < least_rows || 2 * ((u.columns + depth - 1) / depth) < LargeTile::least_chunks)
    return false;
  int device = 0, most_shared = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return most_shared >= static_cast<int>(LargeTile::shared_bytes(true));
}
template <bool multiplies>
void launch_large(const Queue& queue, const Update& u, const Beside& beside = {}) {
  const std::size_t shared = LargeTile::shared_bytes(multiplies);
  EIGEN_G_CUDA(cudaFuncSetAttribute(syr2k_large_tile_kernel<multiplies>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
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
  if (!equal_lines || a_dev.cols > most_columns || !has_tensor_core()) return false;
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

bool syr2k_lower_narrow(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                        MatrixView<const double> b_dev, MatrixView<double> c_dev) {
  Update update;
  if (!update_for(alpha, a_dev, b_dev, c_dev, update)) return false;
  if (is_for_large_tiles(update, least_rows_large))
    launch_large<false>(queue, update);
  else if (c_dev.rows < least_rows_medium)
    launch<Small>(queue, update);
  else
    launch<Medium>(queue, update);
  return true;
}

std::int64_t syr2k_product_scratch(std::int64_t rows) {
  const std::int64_t most = (rows + 15 + LargeTile::side - 1) / LargeTile::side;
  return rows < least_rows_product ? 0 : most * most * LargeTile::side;
}

bool syr2k_lower_and_product(const Queue& queue, double alpha, MatrixView<const double> a_dev,
                             MatrixView<const double> b_dev, MatrixView<double> c_dev,
                             const ProductBeside& product) {
  Update update;
  if (!update_for(alpha, a_dev, b_dev, c_dev, update) || !is_for_large_tiles(update, least_rows_product) ||
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

}  // namespace eigen_g
