// C += alpha (A B^H + B A^H) = alpha [A B] [B A]^H, lower triangle. A and B have so few columns that the time for reading and
// writing C counts. X = [A B] has the operands of a tile's rows, Y = [B A] the operands of its columns. The method is that of
// the small tiles of syr2k.cu, and parts of it are shared.
//
// A complex number is two neighbours in memory. They take the place of the two neighbouring rows that a thread has in an mma
// (tensor_core.cuh). With x = (Re x, Im x) and x' = (Im x, -Re x), the two parts of x conj(y) are x Re y + x' Im y. Each number
// of Y is thus used in two mma. So this update reads half as much shared memory for a flop as the real one.
#include <complex>
#include <cstdint>

#include "gemm_df/rank_2k/syr2k.hpp"
#include "gemm_df/rank_2k/syr2k_tile.cuh"
#include "gemm_df/tensor_core.cuh"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g {

namespace {

using namespace rank_2k;

// The part of a tile that a warp computes: `rows` x `cols` complex numbers.
template <int rows, int cols>
struct WarpHermitian {
  static constexpr int down = rows / 8, across = cols / 8;
  double sum[down][across][4];  // for two columns: Re, Re, Im, Im
  double2 x[2][down], y[2][across];

  __device__ void clear() {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[r][c][e] = 0;
  }
  // Loads the operands of a step. The pointers are at this thread's first number: k = t, row g.
  __device__ void load(int buffer, const double* from_x, const double* from_y) {
#pragma unroll
    for (int r = 0; r < down; ++r) x[buffer][r] = *reinterpret_cast<const double2*>(from_x + 16 * r);
#pragma unroll
    for (int c = 0; c < across; ++c) y[buffer][c] = *reinterpret_cast<const double2*>(from_y + 16 * c);
  }
  __device__ void step(int buffer) {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c) mma(sum[r][c], x[buffer][r].x, x[buffer][r].y, y[buffer][c].x);
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c) mma(sum[r][c], x[buffer][r].y, -x[buffer][r].x, y[buffer][c].y);
  }
  // C += alpha sum. The warp's first number is (row, col). `whole`: the tile is in the stored triangle as a whole.
  __device__ void add_to(const Update& u, std::int32_t row, std::int32_t col, bool whole) const {
    row += threadIdx.x % 32 / 4;
    col += threadIdx.x % 4 * 2;
#pragma unroll
    for (int r = 0; r < down; ++r) {
      double2 v[across][2];
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const std::int32_t at_row = row + 8 * r, at_col = col + 8 * c + e;
          if (whole || is_stored(u, at_row, at_col)) v[c][e] = __ldcg(place(u, at_row, at_col));
        }
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const std::int32_t at_row = row + 8 * r, at_col = col + 8 * c + e;
          if (whole || is_stored(u, at_row, at_col))
            *place(u, at_row, at_col) = {
                fma(u.alpha, sum[r][c][e], v[c][e].x),
                !whole && at_row == at_col ? 0 : fma(u.alpha, sum[r][c][2 + e], v[c][e].y)};
        }
    }
  }

 private:
  static __device__ bool is_stored(const Update& u, std::int32_t row, std::int32_t col) {
    return col >= u.first && row >= col && row < u.end;
  }
  static __device__ double2* place(const Update& u, std::int32_t row, std::int32_t col) {
    return reinterpret_cast<double2*>(u.c + 2 * row + col * u.ldc);
  }
};

// A tile of `side` x `side` numbers. A warp computes `warp_rows` x `warp_cols` of it.
template <int side_, int warp_rows_, int warp_cols_, int slots_, int blocks_>
struct HermitianTile {
  static constexpr int side = side_, warp_rows = warp_rows_, warp_cols = warp_cols_;
  static constexpr int slots = slots_, blocks = blocks_;
  static constexpr int warps_down = side / warp_rows, threads = 32 * warps_down * (side / warp_cols);
  using Copy = Copier<2 * side, threads>;
  static constexpr int operand = depth * Copy::stride;
  static constexpr std::size_t shared_bytes = sizeof(double) * slots * 2 * operand;
};

// u.first and u.end count complex numbers; the leading dimensions in u count reals.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) her2k_tile_kernel(const __grid_constant__ Update u) {
  extern __shared__ double ring[];
  const TilePosition<T::side> at(u, static_cast<std::int32_t>(blockIdx.x));
  if (at.whole)
    for (int line = threadIdx.x; line < T::side * T::side / 8; line += T::threads)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(u.c + 2 * at.row + line % (T::side / 8) * 16 +
                                                    (at.col + line / (T::side / 8)) * u.ldc));

  const typename T::Copy x_copy(threadIdx.x, 2 * at.row, 2 * u.first, 2 * u.end),
      y_copy(threadIdx.x, 2 * at.col, 2 * u.first, 2 * u.end);
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
  WarpHermitian<T::warp_rows, T::warp_cols> product;
  product.clear();
  for (int chunk = 0; chunk < T::slots - 1; ++chunk) fetch(chunk);
  for (int chunk = 0; chunk < chunks.count(); ++chunk) {
    wait_for_copies<T::slots - 2>();
    __syncthreads();
    fetch(chunk + T::slots - 1);
    const double* const x = ring + chunk % T::slots * 2 * T::operand + t * T::Copy::stride + 2 * g;
#pragma unroll
    for (int k = 0; k < depth / 4; ++k)
      product.load(k % 2, x + 4 * k * T::Copy::stride + 2 * warp_row,
                   x + 4 * k * T::Copy::stride + T::operand + 2 * warp_col);
#pragma unroll
    for (int k = 0; k < depth / 4; ++k) product.step(k % 2);
  }
  product.add_to(u, at.row + warp_row, at.col + warp_col, at.whole);
}

using Small = HermitianTile<32, 16, 16, 4, 4>;
using Medium = HermitianTile<64, 16, 32, 4, 2>;

// True if the kernels were compiled for compute capability 8.0 or later, which has tensor cores for double.
bool has_tensor_core() {
  cudaFuncAttributes attributes{};
  EIGEN_G_CUDA(cudaFuncGetAttributes(&attributes, her2k_tile_kernel<Medium>));
  return attributes.ptxVersion >= 80;
}

template <class T>
void launch(const Queue& queue, const Update& u) {
  allow_shared_memory(her2k_tile_kernel<T>, T::shared_bytes);
  const auto tiles = static_cast<unsigned>(tiles_before((u.end + T::side - 1) / T::side));
  her2k_tile_kernel<T><<<tiles, T::threads, T::shared_bytes, queue.stream()>>>(u);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <>
bool syr2k_lower_narrow<std::complex<double>>(const Queue& queue, std::complex<double> alpha,
                                              MatrixView<const std::complex<double>> a_dev,
                                              MatrixView<const std::complex<double>> b_dev,
                                              MatrixView<std::complex<double>> c_dev) {
  const ProductTuning& tuning = product_tuning();
  if (alpha.imag() != 0 || a_dev.cols > tuning.rank_2k_max_columns || !has_tensor_core()) return false;
  // Rows are counted from an address that is aligned to 128 bytes, so that the tiles of C begin with whole cache lines.
  const auto shift = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(c_dev.data) % 128 /
                                               sizeof(std::complex<double>));
  const auto real = [](auto* p) { return reinterpret_cast<const double*>(p); };
  const Update update{static_cast<std::int32_t>(shift),
                      static_cast<std::int32_t>(shift + c_dev.rows),
                      static_cast<std::int32_t>(a_dev.cols),
                      alpha.real(),
                      real(a_dev.data - shift),
                      real(b_dev.data - shift),
                      2 * a_dev.lda,
                      2 * b_dev.lda,
                      reinterpret_cast<double*>(c_dev.data - shift * (1 + c_dev.lda)),
                      2 * c_dev.lda};
  if (c_dev.rows < tuning.rank_2k_min_rows_medium)
    launch<Small>(queue, update);
  else
    launch<Medium>(queue, update);
  return true;
}

}  // namespace eigen_g
