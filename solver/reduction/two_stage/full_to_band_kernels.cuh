// The small kernels of full_to_band(): copies, and the correction that makes Z of A W.
#pragma once

#include <cstdint>

#include "hybrid/device_complex.cuh"
#include "hybrid/scalar.hpp"
#include "hybrid/stream/dynamic_shared.cuh"

namespace eigen_g::full_to_band_kernels {

// The part of the band that no panel's R contains: the lower triangles of the blocks on the diagonal. Column c is in a block of b columns that
// begins at a multiple of b, or from column `last` on in the last block, which has all columns up to n - 1.
template <class T>
static __global__ void diagonal_blocks_kernel(std::int32_t n, std::int32_t b, std::int32_t last, const T* a,
                                              std::int64_t lda, T* band, std::int64_t ldb) {
  const std::int32_t col = blockIdx.x, end = col < last ? (col / b + 1) * b : n;
  for (std::int32_t row = col + threadIdx.x; row < end; row += blockDim.x)
    band[row - col + col * ldb] = a[row + col * lda];
}

// Index of the column, or row, that is exchanged with k: two blocks of b form a pair.
__device__ inline std::int64_t exchanged(std::int64_t k, std::int32_t b) {
  return k / b % 2 == 0 ? k + b : k - b;
}

// Y := X with the two blocks of b columns of each pair exchanged.
template <class T>
static __global__ void swap_pairs_kernel(std::int32_t b, std::int64_t rows, const T* x, std::int64_t ldx,
                                         T* y, std::int64_t ldy) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t col = blockIdx.y;
  if (row < rows) y[row + col * ldy] = x[row + exchanged(col, b) * ldx];
}

// The correction M of Z = A W - [pending V] M, from [C; .; Y]:
//   D  C with its blocks of b rows exchanged in pairs
//   M  [D; 1/2 (Y^H - C^H D)]
//   c  width + 2 b rows, b columns: C, b rows that are not read, Y
//   m  width + b rows, b columns, out
// A block computes a square of the last b rows of M, and copies a part of the same columns of D. Four groups of threads have a quarter of the terms
// of the square's entries each. Grid: (b / 8)^2 squares.
constexpr int correction_side = 8, correction_groups = 4,
              correction_threads = correction_groups * correction_side * correction_side;
constexpr int correction_shared = 18 << 10;
template <class T>
constexpr int correction_terms = sizeof(T) > sizeof(double)
                                     ? 64
                                     : 128;  // number of the sums' terms in shared memory
template <class T>
static __global__ void __launch_bounds__(correction_threads)
    correction_kernel(std::int32_t b, std::int32_t width, const T* c, std::int64_t ldc, T* m,
                      std::int64_t ldm) {
  constexpr int side = correction_side, groups = correction_groups, terms = correction_terms<T>,
                rows_at_once = correction_threads / side, part = terms / rows_at_once, stride = terms + 1;
  static_assert(2 * side * stride * sizeof(T) <= correction_shared && groups * side <= terms);
  T* const of_c = DynamicShared<T>::memory();
  T* const of_d = of_c + side * stride;
  const int thread = threadIdx.x, group = thread / (side * side), i = thread % side, j = thread / side % side;
  const std::int32_t squares = b / side, block_row = blockIdx.x % squares, block_col = blockIdx.x / squares;
  const std::int32_t row = block_row * side + i, col = block_col * side + j;
  const T y = c[width + b + col + row * ldc];
  // The thread loads rows at_row + k rows_at_once of one column of C and of one of D.
  const int at_row = thread % rows_at_once, at_column = thread / rows_at_once;
  const std::int32_t column_of_d = block_col * side + at_column;
  const T* const own_c = c + (block_row * side + at_column) * ldc;
  const T* const own_d = c + column_of_d * ldc;
  T sum{}, values[2][part];
  const auto load = [&](std::int32_t first) {
#pragma unroll
    for (int k = 0; k < part; ++k) {
      const std::int32_t at = first + k * rows_at_once + at_row;
      values[0][k] = at < width ? own_c[at] : T{};
      values[1][k] = at < width ? own_d[exchanged(at, b)] : T{};
    }
  };
  load(0);
  for (std::int32_t first = 0; first < width; first += terms) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < part; ++k) {
      const std::int32_t at = first + k * rows_at_once + at_row;
      of_c[at_column * stride + k * rows_at_once + at_row] = values[0][k];
      of_d[at_column * stride + k * rows_at_once + at_row] = values[1][k];
      if (at < width && at / side % squares == block_row) m[at + column_of_d * ldm] = values[1][k];
    }
    __syncthreads();
    load(first + terms);
#pragma unroll 8
    for (int k = group * terms / groups; k < (group + 1) * terms / groups; ++k)
      sum = fma(conj_of(of_c[i * stride + k]), of_d[j * stride + k], sum);
  }
  __syncthreads();
  of_c[thread] = sum;
  __syncthreads();
  if (group > 0) return;
  const T* const sums = of_c + thread;
  sum = (sums[0] + sums[side * side]) + (sums[2 * side * side] + sums[3 * side * side]);
  m[width + row + col * ldm] = real_t<T>(0.5) * (conj_of(y) - sum);
}

}  // namespace eigen_g::full_to_band_kernels
