// C += alpha (A B^T + B A^T) = alpha [A B] [B A]^T, lower triangle, for so few columns that reading and writing C costs
// as much as the product.
//
// A thread block makes one tile of C, in registers; blocks above the diagonal do not exist. Chunks of columns of
// X = [A B] (the tile's rows) and Y = [B A] (its columns) come through shared memory in a ring of stages; the tile of C
// is called into L2 before the first of them and met at the end, and the blocks that share a multiprocessor fill each
// other's gaps there.
//
// Rows are counted from an address that is aligned to 128 bytes in C, up to 15 rows before the first: copies of 16
// bytes need even rows, and whole lines of C are written. What the rows before the first hold is computed and dropped.
#include <cstdint>

#include "gemm_df/syr2k.hpp"
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

// Tiles of `rows` x `cols`, a warp makes `warp_rows` x `warp_cols` of one; `depth` columns of X and Y a stage.
template <int rows_, int cols_, int warp_rows_, int warp_cols_, int depth_, int stages_, int blocks_>
struct Tile {
  static constexpr int rows = rows_, cols = cols_, warp_rows = warp_rows_, warp_cols = warp_cols_;
  static constexpr int depth = depth_, stages = stages_, blocks = blocks_;
  static constexpr int warps_down = rows / warp_rows, warps = warps_down * (cols / warp_cols);
  static constexpr int threads = 32 * warps;
  static constexpr int row_stride = rows + 4, col_stride = cols + 4;
  static constexpr int stage_doubles = depth * (row_stride + col_stride);
  static constexpr std::size_t shared_bytes = sizeof(double) * stages * stage_doubles;
  static_assert(rows % cols == 0 && warp_rows % 16 == 0 && warp_cols % 16 == 0 && depth % 8 == 0);
  static_assert(row_stride % 16 == 4 && col_stride % 16 == 4, "banks");
  static_assert(threads % (rows / 2) == 0 && threads % (cols / 2) == 0);
};

// `height` rows of `depth` columns to shared memory; each thread keeps to one pair of rows.
template <int height, int stride, int depth, int threads>
class Copier {
 public:
  // Of the rows `row` ... only first ... end - 1 are read, and what shares 16 bytes with one of them.
  __device__ Copier(std::int32_t row, std::int32_t first, std::int32_t end) {
    const int pair = threadIdx.x % (height / 2);
    column_ = threadIdx.x / (height / 2);
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

template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) syr2k_kernel(const __grid_constant__ Update u) {
  extern __shared__ double stages[];
  constexpr int wide = T::rows / T::cols;  // tiles in the first row

  // Tile (i, j), row by row: wide (1 + ... + i) tiles lie before row i.
  const auto block = static_cast<std::int32_t>(blockIdx.x);
  auto i = static_cast<std::int32_t>((sqrt(8.0 * (block / wide) + 1) - 1) / 2);
  while (wide * (i * (i + 1) / 2) > block) --i;
  while (wide * ((i + 1) * (i + 2) / 2) <= block) ++i;
  const std::int32_t row = i * T::rows, col = (block - wide * (i * (i + 1) / 2)) * T::cols;
  if (col >= u.end) return;
  const bool whole = row >= col + T::cols - 1 && col >= u.first && row + T::rows <= u.end;

  if (whole)
    for (int line = threadIdx.x; line < T::rows * T::cols / 16; line += T::threads)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(u.c + row + line % (T::rows / 16) * 16 +
                                                    (col + line / (T::rows / 16)) * u.ldc));

  const Copier<T::rows, T::row_stride, T::depth, T::threads> copy_x(row, u.first, u.end);
  const Copier<T::cols, T::col_stride, T::depth, T::threads> copy_y(col, u.first, u.end);
  const int half = (u.columns + T::depth - 1) / T::depth, chunks = 2 * half;
  const auto fetch = [&](int chunk) {
    if (chunk < chunks) {
      double* const stage = stages + chunk % T::stages * T::stage_doubles;
      const bool second = chunk >= half;
      const std::int32_t column = (second ? chunk - half : chunk) * T::depth;
      copy_x(stage, second ? u.b : u.a, second ? u.ldb : u.lda, column, u.columns);
      copy_y(stage + T::depth * T::row_stride, second ? u.a : u.b, second ? u.lda : u.ldb, column, u.columns);
    }
    close_copies();
  };

  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int warp_row = warp % T::warps_down * T::warp_rows, warp_col = warp / T::warps_down * T::warp_cols;
  constexpr int down = T::warp_rows / 16, across = T::warp_cols / 8;
  double sum[down][across][4] = {};

#pragma unroll
  for (int chunk = 0; chunk < T::stages - 1; ++chunk) fetch(chunk);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    wait_for_copies<T::stages - 2>();
    __syncthreads();
    fetch(chunk + T::stages - 1);
    const double* const x =
        stages + chunk % T::stages * T::stage_doubles + t * T::row_stride + warp_row + 2 * g;
    const double* const y = stages + chunk % T::stages * T::stage_doubles + T::depth * T::row_stride +
                            t * T::col_stride + warp_col + 2 * g;
#pragma unroll
    for (int k = 0; k < T::depth; k += 8) {
      double xs[down][4], ys[across][2];
#pragma unroll
      for (int part = 0; part < 2; ++part) {
#pragma unroll
        for (int r = 0; r < down; ++r) {
          const double2 v = *reinterpret_cast<const double2*>(x + (k + 4 * part) * T::row_stride + 16 * r);
          xs[r][2 * part] = v.x;
          xs[r][2 * part + 1] = v.y;
        }
#pragma unroll
        for (int c = 0; c < across; c += 2) {
          const double2 v = *reinterpret_cast<const double2*>(y + (k + 4 * part) * T::col_stride + 8 * c);
          ys[c][part] = v.x;
          ys[c + 1][part] = v.y;
        }
      }
#pragma unroll
      for (int r = 0; r < down; ++r)
#pragma unroll
        for (int c = 0; c < across; ++c) tensor_step(sum[r][c], xs[r], ys[c]);
    }
  }

#pragma unroll
  for (int r = 0; r < down; ++r)
#pragma unroll
    for (int c = 0; c < across; ++c)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const std::int32_t at_row = row + warp_row + 16 * r + 2 * g;
        const std::int32_t at_col = col + warp_col + 16 * (c / 2) + 4 * t + 2 * e + c % 2;
        double* const at = u.c + at_row + at_col * u.ldc;
        if (whole) {
          double2 v = *reinterpret_cast<const double2*>(at);
          v.x = fma(u.alpha, sum[r][c][e], v.x);
          v.y = fma(u.alpha, sum[r][c][2 + e], v.y);
          *reinterpret_cast<double2*>(at) = v;
        } else if (at_col >= u.first) {
          if (at_row >= at_col && at_row < u.end) at[0] = fma(u.alpha, sum[r][c][e], at[0]);
          if (at_row + 1 >= at_col && at_row + 1 < u.end) at[1] = fma(u.alpha, sum[r][c][2 + e], at[1]);
        }
      }
}

template <class T>
void launch(const Queue& queue, const Update& u) {
  EIGEN_G_CUDA(cudaFuncSetAttribute(syr2k_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(T::shared_bytes)));
  const unsigned rows = (static_cast<unsigned>(u.end) + T::rows - 1) / T::rows;
  syr2k_kernel<T>
      <<<T::rows / T::cols*(rows * (rows + 1) / 2), T::threads, T::shared_bytes, queue.stream()>>>(u);
  EIGEN_G_LAUNCHED();
}

using Large = Tile<128, 128, 32, 64, 8, 4, 1>;
using Small = Tile<64, 64, 32, 32, 8, 4, 3>;

// Compute capability that the kernels run for.
bool has_tensor_core() {
  cudaFuncAttributes attributes{};
  EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, syr2k_kernel<Large>));
  return attributes.ptxVersion >= 80;
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
  if (!equal_lines || !has_tensor_core()) return false;
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
  if (c_dev.rows > 4000)
    launch<Large>(queue, update);
  else
    launch<Small>(queue, update);
  return true;
}

}  // namespace eigen_g
