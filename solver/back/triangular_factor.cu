// T of a block of reflectors, from S = V^T V. For 32 reflectors a column of T follows from the columns before it (dlarft):
//
//   T(i, i) = tau_i,    T(0:i, i) = -tau_i T(0:i, 0:i) S(0:i, i),    zero below the diagonal.
//
// A wider T consists of tiles of 32 x 32; the formula above gives the tiles on the diagonal. T^-1 is upper triangular and equals S
// above its diagonal. With T(k, s) and S(k, s) as tiles, column s of tiles therefore follows from its lowest tile T(s, s) upwards:
//
//   T(k, s) = -T(k, k) sum_{k < l <= s} S(k, l) T(l, s).
//
// The columns of tiles are independent, and each is computed by one thread block.
#include "gemm_df/tuning.hpp"
#include "solver/back/triangular_factor.hpp"

#include "gemm_df/adjoint.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/tensor_core.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/instantiate.hpp"
#include "hybrid/pair.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/two_stage/adjoint_product_of_few.hpp"

namespace eigen_g {

namespace {

constexpr int side = 32, tile = side * side;
constexpr int warps = 8, threads = 32 * warps;

// The first formula for one tile, by one warp. Reads S from s (leading dimension lds), writes T to t (ldt). Reflectors from `count`
// on do not exist: T gets zeros there, and S does not matter.
template <class T>
__device__ void factor_of_tile(const T* s, std::int64_t lds, const T* tau, int count, T* t,
                               std::int64_t ldt) {
  const int lane = threadIdx.x % 32;
  const T own_tau = lane < count ? tau[lane] : T(0);
  T row[side];  // row `lane` of T
#pragma unroll
  for (int i = 0; i < side; ++i) {
    const T tau_i = __shfl_sync(~0u, own_tau, i);
    T dot[2] = {};
#pragma unroll
    for (int l = 0; l < i; ++l) dot[l % 2] = fma(row[l], s[l + i * lds], dot[l % 2]);
    row[i] = i >= count || lane > i ? T(0) : lane == i ? tau_i : -tau_i * (dot[0] + dot[1]);
  }
#pragma unroll
  for (int i = 0; i < side; ++i) t[lane + i * ldt] = row[i];
}

// Blocks of 32 reflectors: one kernel computes S and T; each thread block has one block of reflectors.
template <class T>
__global__ void __launch_bounds__(threads)
    narrow_factor_kernel(std::int32_t n, const T* a, std::int64_t lda, const T* tau, T* all_t) {
  __shared__ T s[warps / 2][tile];
  const std::int32_t first = blockIdx.x * side, reflectors = n - 1;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;

  // S(16 i + ..., 8 j + ...) over the warp's rows. One set of registers is rows of V^T and columns of V.
  T sum[2][4][4] = {};
  for (std::int32_t row = first / 8 * 8 + 8 * warp; row < n; row += 8 * warps) {
    pair_t<T> v[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      v[j] = __ldg(
          reinterpret_cast<const pair_t<T>*>(a + row + 2 * t + min(first + 8 * j + g, reflectors - 1) * lda));
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        mma(sum[i][j], v[2 * i].x, v[2 * i + 1].x, v[j].x);
        mma(sum[i][j], v[2 * i].y, v[2 * i + 1].y, v[j].y);
      }
  }
  for (int half = 1; half >= 0; --half) {
    if (warp / (warps / 2) == half)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            T& to = s[warp % (warps / 2)][16 * i + g + e / 2 * 8 + (8 * j + 2 * t + e % 2) * side];
            to = half == 1 ? sum[i][j][e] : sum[i][j][e] + to;
          }
    __syncthreads();
  }
  for (int k = threadIdx.x; k < tile; k += threads) {
    T total = 0;
    for (int part = 0; part < warps / 2; ++part) total += s[part][k];
    s[0][k] = total;
  }
  __syncthreads();
  if (warp == 0)
    factor_of_tile(s[0], side, tau + first, min(side, reflectors - first), all_t + blockIdx.x * tile, side);
}

// The tiles on the diagonals of all T; each warp computes one.
template <class T>
__global__ void __launch_bounds__(32) diagonal_tiles_kernel(std::int32_t reflectors, std::int32_t width,
                                                            const T* tau, const T* all_s, T* all_t) {
  __shared__ T s[tile];
  const std::int32_t first = blockIdx.x * side, in_block = first % width;
  const std::int64_t place =
      first / width * static_cast<std::int64_t>(width) * width + in_block * (width + 1);
  for (int k = threadIdx.x; k < tile; k += 32) s[k] = all_s[place + k % side + k / side * width];
  __syncwarp();
  factor_of_tile(s, side, tau + first, min(side, reflectors - first), all_t + place, width);
}

// Column blockIdx.x of tiles of T number blockIdx.y. Warp w sums for the tiles k = w, w + warps, ... of the column.
template <class T>
__global__ void __launch_bounds__(threads)
    upper_tiles_kernel(std::int32_t reflectors, std::int32_t width, const T* all_s, T* all_t) {
  constexpr int max_own = static_cast<int>(triangular_factor_max_width) / side / warps;
  constexpr int stride = side + 32 / int{sizeof(T)};  // avoids bank conflicts
  __shared__ T t_ls[side * stride], sum_ks[side * stride];
  const int column = blockIdx.x, count = min(width, reflectors - static_cast<int>(blockIdx.y) * width);
  if (column * side >= count) return;
  const T* const s = all_s + blockIdx.y * static_cast<std::int64_t>(width) * width;
  T* const t_all = all_t + blockIdx.y * static_cast<std::int64_t>(width) * width;
  T* const t_column = t_all + static_cast<std::int64_t>(column) * side * width;
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;

  for (int k = threadIdx.x; k < side * width; k += threads)  // zeros below the diagonal
    if (k % width >= (column + 1) * side) t_column[k] = 0;
  for (int k = threadIdx.x; k < tile; k += threads)
    t_ls[k % side + k / side * stride] = t_column[column * side + k % side + k / side * width];
  __syncthreads();

  // d += a b. a: a tile of S or T in device memory; its columns from `columns` on count as zero. b: a tile in shared memory.
  // A thread has rows 2g and 2g + 1 of every 16.
  const auto multiply = [&](T(&d)[2][4][4], const T* a, int columns, const T* b) {
#pragma unroll 2
    for (int k = 0; k < side; k += 4) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const pair_t<T> rows = k + t < columns
                                   ? *reinterpret_cast<const pair_t<T>*>(a + 16 * i + 2 * g + (k + t) * width)
                                   : pair_t<T>{0, 0};
#pragma unroll
        for (int j = 0; j < 4; ++j) mma(d[i][j], rows.x, rows.y, b[k + t + (8 * j + g) * stride]);
      }
    }
  };
  const auto place = [&](int i, int j, int e, int ld) {
    return 16 * i + 2 * g + e / 2 + (8 * j + 2 * t + e % 2) * ld;
  };
  T sum[max_own][2][4][4] = {};
  for (int l = column; l > 0; --l) {  // t_ls holds T(l, column)
#pragma unroll
    for (int own = 0; own < max_own; ++own) {
      const int k = warp + own * warps;
      if (k < l) multiply(sum[own], s + k * side + l * side * width, count - l * side, t_ls);
      if (k == l - 1)
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) sum_ks[place(i, j, e, stride)] = -sum[own][i][j][e];
    }
    __syncthreads();
    if (warp == (l - 1) % warps) {
      T next[2][4][4] = {};
      multiply(next, t_all + (l - 1) * side * (width + 1), side, sum_ks);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            t_ls[place(i, j, e, stride)] = next[i][j][e];
            t_column[(l - 1) * side + place(i, j, e, width)] = next[i][j][e];
          }
    }
    __syncthreads();
  }
}

// S = V^T V of every block, in slices of the rows. V is zero above a block's own rows. Therefore one batched product treats the same
// slice of rows for all blocks that begin above the slice's end. The last block may have fewer columns and has a product of its own.
template <class T>
void form_products(const Queue& queue, const ReflectorBlocks& blocks, MatrixView<const same_t<T>> a_dev,
                   T* s_dev) {
  const std::int64_t slice = product_tuning().max_terms_of_a_sum;
  const std::int64_t n = blocks.n, width = blocks.width, last = blocks.count() - 1;
  const std::int64_t whole = blocks.columns(last) == width ? blocks.count() : last;
  const std::int64_t apart = width * a_dev.lda;
  EIGEN_G_CUDA(
      cudaMemsetAsync(s_dev, 0, sizeof(T) * static_cast<std::size_t>(blocks.elements()), queue.stream()));
  for (std::int64_t row = 0; row < n; row += slice) {
    const std::int64_t end = std::min(row + slice, n), reach = std::min(whole, (end - 1) / width + 1);
    const MatrixView<const T> v = a_dev.block(row, 0, end - row, width);
    gemm_batched<T>(queue, {reach, apart, apart, width * width}, adjoint<T>, Op::none, 1, v, v, 1,
                    {s_dev, width, width, width});
  }
  if (whole == blocks.count()) return;
  const MatrixView<const T> v =
      a_dev.block(blocks.first(last), blocks.first(last), blocks.rows(last), blocks.columns(last));
  gemm<T>(queue, adjoint<T>, Op::none, 1, v, v, 0, {s_dev + last * width * width, v.cols, v.cols, width});
}

// The tiles above the diagonal of every complex T. For two neighbouring triangles of `half` columns each, T_12 = -T_11 S_12 T_22; half is
// 32, 64, ... in turn. S_12 T_22 overwrites S_21.
template <class T>
void fill_above(const Queue& queue, std::int64_t width, std::int64_t count, T* s_dev, T* t_dev) {
  const std::int64_t apart = width * width;
  for (std::int64_t half = side; half < width; half *= 2)
    for (std::int64_t first = 0; first < width; first += 2 * half) {
      const auto part = [&](T* of, std::int64_t row, std::int64_t column) {
        return MatrixView<T>{of + first + row + (first + column) * width, half, half, width};
      };
      const MatrixView<T> product = part(s_dev, half, 0);
      gemm_batched<T>(queue, {count, apart, apart, apart}, Op::none, Op::none, 1, part(s_dev, 0, half),
                      part(t_dev, half, half), 0, product);
      gemm_batched<T>(queue, {count, apart, apart, apart}, Op::none, Op::none, -1, part(t_dev, 0, 0), product,
                      0, part(t_dev, 0, half));
    }
}

// T of `count` blocks from S: all steps after form_products().
template <class T>
void factors_of_products(const Queue& queue, std::int32_t reflectors, std::int32_t width, unsigned count,
                         const T* tau_dev, T* s_dev, T* t_dev) {
  if (is_complex<T>)
    EIGEN_G_CUDA(cudaMemsetAsync(
        t_dev, 0, sizeof(T) * static_cast<std::size_t>(std::int64_t{count} * width * width), queue.stream()));
  diagonal_tiles_kernel<<<static_cast<unsigned>((reflectors - 1) / side + 1), 32, 0, queue.stream()>>>(
      reflectors, width, on_device(tau_dev), on_device(s_dev), on_device(t_dev));
  EIGEN_G_LAUNCHED();
  if constexpr (is_complex<T>) {
    fill_above(queue, width, count, s_dev, t_dev);
  } else {
    upper_tiles_kernel<T><<<dim3(static_cast<unsigned>(width / side), count), threads, 0, queue.stream()>>>(
        reflectors, width, s_dev, t_dev);
    EIGEN_G_LAUNCHED();
  }
}

}  // namespace

template <class T>
void triangular_factors(const Queue& queue, const ReflectorBlocks& blocks, MatrixView<const same_t<T>> a_dev,
                        const same_t<T>* tau_dev, same_t<T>* s_dev, T* t_dev) {
  const auto n = static_cast<std::int32_t>(blocks.n), width = static_cast<std::int32_t>(blocks.width);
  const auto count = static_cast<unsigned>(blocks.count());
  if constexpr (!is_complex<T>)
    if (width == side) {
      narrow_factor_kernel<T>
          <<<count, threads, 0, queue.stream()>>>(n, a_dev.data, a_dev.lda, tau_dev, t_dev);
      EIGEN_G_LAUNCHED();
      return;
    }
  form_products<T>(queue, blocks, a_dev, s_dev);
  const MatrixView<const T> first = a_dev.block(0, 0, blocks.rows(0), blocks.columns(0));
  product_with_few<T>(queue, first, tau_dev, first, {s_dev, first.cols, first.cols, width});
  factors_of_products<T>(queue, n - 1, width, count, tau_dev, s_dev, t_dev);
}

template <class T>
void triangular_factor(const Queue& queue, std::int64_t width, MatrixView<const same_t<T>> v_dev,
                       const same_t<T>* tau_dev, same_t<T>* s_dev, T* t_dev) {
  const std::int64_t slice = product_tuning().max_terms_of_a_sum, k = v_dev.cols;
  EIGEN_G_CUDA(
      cudaMemsetAsync(s_dev, 0, sizeof(T) * static_cast<std::size_t>(width * width), queue.stream()));
  for (std::int64_t row = 0; row < v_dev.rows; row += slice) {
    const MatrixView<const T> v = v_dev.block(row, 0, std::min(slice, v_dev.rows - row), k);
    gemm<T>(queue, adjoint<T>, Op::none, 1, v, v, 1, {s_dev, k, k, width});
  }
  product_with_few<T>(queue, v_dev, tau_dev, v_dev, {s_dev, k, k, width});
  factors_of_products<T>(queue, static_cast<std::int32_t>(k), static_cast<std::int32_t>(width), 1, tau_dev,
                         s_dev, t_dev);
}

EIGEN_G_INSTANTIATE(all_types, triangular_factors, triangular_factor);

}  // namespace eigen_g
