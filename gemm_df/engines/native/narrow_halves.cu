// C := alpha A op(B) + beta C for a B of at most 64 columns (complex: 32). The kernel reads A once, as it is stored. The fp16
// pairs of A are made in registers, in blocks of 32 rows and 32 terms, and each block has its own scale. The tensor core's sum
// over a block is added to a sum in float at once.
//
// A complex A is, in memory, a real matrix with twice the rows. The real parts of B and, next to them, its imaginary parts form
// a real B. The last kernel combines the four real products to the complex one.
//
// A thread block computes 128 rows of the sum over a part of the terms. The last kernel adds the parts in order.
#include <cuda_fp16.h>

#include <algorithm>
#include <complex>
#include <cstdint>

#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/half_steps.cuh"
#include "gemm_df/tensor_core.cuh"
#include "hybrid/cuda_check.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g {

namespace {

constexpr int columns = 64, rows_of_block = 128, warp_rows = 32, depth = 32, slots = 3;
constexpr int threads = 32 * rows_of_block / warp_rows;
constexpr int a_stride = rows_of_block + 4;  // in floats; 4 (mod 16): no bank conflicts
constexpr int b_stride = depth + 8;          // in halves
constexpr int a_stage = depth * a_stride, b_stage = 2 * columns * b_stride;
constexpr std::size_t slot_bytes = sizeof(float) * a_stage + sizeof(__half) * b_stage;
constexpr int max_parts = 16;

struct Narrow {
  const float* a;
  std::int64_t lda;
  std::int32_t rows, terms, part_terms;  // part_terms: a multiple of depth
  const __half* b;                       // X1 and X2 of 64 columns with `ldb` terms; zero outside B
  std::int64_t ldb;
  const std::uint32_t* largest;  // max |B|, as bits of a float
  float* sums;                   // for each part 64 columns of `lds` rows
  std::int64_t lds;
};

__device__ int exponent_for(float largest) {  // 2^14 <= 2^e largest < 2^15, if 2^e is a float
  return min(127, 14 + 127 - static_cast<int>(__float_as_uint(largest) >> 23));
}
__device__ float power_of_two(int e) {
  return __int_as_float((e + 127) << 23);
}

// Only `bytes` of 16 are read; the rest becomes zero.
__device__ void copy_16(void* to, const void* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
#endif
}

__global__ void __launch_bounds__(threads, 2) narrow_kernel(const __grid_constant__ Narrow u) {
  extern __shared__ float4 shared[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const std::int32_t row = blockIdx.x * rows_of_block, begin = blockIdx.y * u.part_terms,
                     end = min(u.terms, begin + u.part_terms);
  const int chunks = (end - begin + depth - 1) / depth;
  const auto a_at = [&](int slot) {
    return reinterpret_cast<float*>(reinterpret_cast<char*>(shared) + slot * slot_bytes);
  };
  const auto b_at = [&](int slot) { return reinterpret_cast<__half*>(a_at(slot) + a_stage); };

  const auto fetch = [&](int chunk) {
    if (chunk < chunks) {
      const int slot = chunk % slots;
      const std::int32_t term = begin + chunk * depth;
#pragma unroll
      for (int i = 0; i < rows_of_block / 4 * depth / threads; ++i) {
        const int own = i * threads + threadIdx.x, r = own % (rows_of_block / 4) * 4,
                  k = own / (rows_of_block / 4);
        const int bytes = term + k < end ? 4 * max(0, min(4, u.rows - row - r)) : 0;
        copy_16(a_at(slot) + k * a_stride + r,
                u.a + (bytes > 0 ? row + r + static_cast<std::int64_t>(term + k) * u.lda : 0), bytes);
      }
#pragma unroll
      for (int i = 0; i < 2 * columns * depth / 8 / threads; ++i) {
        const int own = i * threads + threadIdx.x, k = own % (depth / 8) * 8, c = own / (depth / 8);
        copy_16(b_at(slot) + c * b_stride + k, u.b + term + k + c * u.ldb, 16);
      }
    }
    close_copies();
  };

  float sum[2][columns / 8][4] = {};
  const int of_b = exponent_for(__uint_as_float(*u.largest));
#pragma unroll
  for (int s = 0; s < slots - 1; ++s) fetch(s);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    wait_for_copies<slots - 2>();
    __syncthreads();
    fetch(chunk + slots - 1);
    const float* const a = a_at(chunk % slots) + warp * warp_rows + 2 * g;
    const __half* const b =
        b_at(chunk % slots) + (lane / 16 * columns + lane % 8) * b_stride + lane / 8 % 2 * 8;
    // Rows g and g + 8 of an mma are rows 2g and 2g + 1 in memory.
    float2 x[2][2][4];
    float largest = 0;
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          x[m][k][i] =
              *reinterpret_cast<const float2*>(a + 16 * m + (16 * k + 2 * t + i % 2 + i / 2 * 8) * a_stride);
          largest = fmaxf(largest, fmaxf(fabsf(x[m][k][i].x), fabsf(x[m][k][i].y)));
        }
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
    const int of_a = exponent_for(largest);
    const float scale = power_of_two(of_a), back = scalbnf(1, -of_a - of_b);

    float block[2][columns / 8][4] = {};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      unsigned first[2][4], second[2][4];
#pragma unroll
      for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const Halves upper(scale * x[m][k][2 * i].x, scale * x[m][k][2 * i + 1].x),
              lower(scale * x[m][k][2 * i].y, scale * x[m][k][2 * i + 1].y);
          first[m][2 * i] = upper.first, second[m][2 * i] = upper.second;
          first[m][2 * i + 1] = lower.first, second[m][2 * i + 1] = lower.second;
        }
#pragma unroll
      for (int c = 0; c < columns / 8; ++c) {
        unsigned y[4];  // X1 of B (two registers), then X2
        load_matrices(y, b + 8 * c * b_stride + 16 * k);
#pragma unroll
        for (int p = 0; p < 3; ++p)
#pragma unroll
          for (int m = 0; m < 2; ++m) half_step_of(p, block[m][c], first[m], second[m], y);
      }
    }
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int c = 0; c < columns / 8; ++c)
#pragma unroll
        for (int i = 0; i < 4; ++i) sum[m][c][i] = fmaf(back, block[m][c][i], sum[m][c][i]);
  }
  float* const to = u.sums + blockIdx.y * columns * u.lds + row + warp * warp_rows + 2 * g;
#pragma unroll
  for (int m = 0; m < 2; ++m)
#pragma unroll
    for (int c = 0; c < columns / 8; ++c)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        *reinterpret_cast<float2*>(to + 16 * m + (8 * c + 2 * t + i) * u.lds) =
            make_float2(sum[m][c][i], sum[m][c][i + 2]);
}

// B as the caller gives it: the element of term k and column c is at [k * step_k + c * step_c]; complex matrices as pairs.
struct Given {
  const float* b;
  std::int64_t step_k, step_c;
  std::int32_t terms, cols;
  bool conjugate;
};

template <bool complex>
__global__ void largest_of_b_kernel(const __grid_constant__ Given b, std::uint32_t* bits) {
  float largest = 0;
  constexpr int reals = complex ? 2 : 1;
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < std::int64_t{b.terms} * b.cols;
       i += gridDim.x * blockDim.x) {
    const float* const x = b.b + reals * (i % b.terms * b.step_k + i / b.terms * b.step_c);
#pragma unroll
    for (int r = 0; r < reals; ++r) largest = fmaxf(largest, fabsf(x[r]));
  }
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
  if (threadIdx.x % 32 == 0) atomicMax(bits, __float_as_uint(largest));
}

// Column c of a complex B becomes two real columns: c with the real parts, 32 + c with the imaginary parts.
template <bool complex>
__global__ void halves_of_b_kernel(const __grid_constant__ Given b, const std::uint32_t* bits, __half* to,
                                   std::int64_t ldb) {
  const float scale = power_of_two(exponent_for(__uint_as_float(*bits)));
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < ldb * columns;
       i += gridDim.x * blockDim.x) {
    const std::int64_t k = i % ldb, c = i / ldb, of = complex ? c % (columns / 2) : c;
    float x = 0;
    if (k < b.terms && of < b.cols) {
      const std::int64_t at = k * b.step_k + of * b.step_c;
      x = complex ? b.b[2 * at + c / (columns / 2)] : b.b[at];
      if (complex && b.conjugate && c >= columns / 2) x = -x;
    }
    const __half first = __float2half_rn(scale * x);
    to[k + c * ldb] = first;
    to[k + (columns + c) * ldb] = __float2half_rn(scale * x - __half2float(first));
  }
}

template <bool complex>
__global__ void sum_kernel(const float* sums, std::int64_t lds, std::int32_t parts, float alpha, float beta,
                           float* c, std::int64_t ldc, std::int32_t rows) {
  const std::int32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const auto of = [&](std::int32_t r, std::int32_t col) {
    float sum = 0;
    for (std::int32_t p = 0; p < parts; ++p)
      sum += sums[(static_cast<std::int64_t>(p) * columns + col) * lds + r];
    return sum;
  };
  const std::int32_t col = blockIdx.y;
  if constexpr (complex) {
    float* const to = c + 2 * (row + col * ldc);
    const float re = of(2 * row, col) - of(2 * row + 1, columns / 2 + col),
                im = of(2 * row + 1, col) + of(2 * row, columns / 2 + col);
    to[0] = beta == 0 ? alpha * re : fmaf(alpha, re, beta * to[0]);
    to[1] = beta == 0 ? alpha * im : fmaf(alpha, im, beta * to[1]);
  } else {
    float* const to = c + row + col * ldc;
    *to = beta == 0 ? alpha * of(row, col) : fmaf(alpha, of(row, col), beta * *to);
  }
}

// Number of parts of the terms for which the last round of thread blocks, two for each multiprocessor, is nearly full.
std::int64_t parts_for(std::int64_t blocks, std::int64_t terms, int multiprocessors) {
  const std::int64_t places = 2 * multiprocessors;
  std::int64_t best = 1;
  double least = 1e30;
  for (std::int64_t parts = 1; parts <= std::clamp<std::int64_t>(terms / 256, 1, max_parts); ++parts) {
    const double rounds = static_cast<double>((blocks * parts + places - 1) / places);
    if (rounds / static_cast<double>(parts) < 0.97 * least) {
      best = parts;
      least = rounds / static_cast<double>(parts);
    }
  }
  return best;
}

}  // namespace

template <class T>
bool narrow_gemm_by_halves(const Queue& queue, Op op_b, float alpha, MatrixView<const same_t<T>> a_dev,
                           MatrixView<const same_t<T>> b_dev, float beta, MatrixView<T> c_dev,
                           std::span<std::byte> scratch_dev) {
  constexpr bool complex = is_complex<T>;
  constexpr int reals = complex ? 2 : 1;
  const std::int64_t rows = reals * c_dev.rows, terms = a_dev.cols;
  if (terms == 0 || reinterpret_cast<std::uintptr_t>(a_dev.data) % 16 != 0 || reals * a_dev.lda % 4 != 0 ||
      rows > INT32_MAX || terms > INT32_MAX - depth)
    return false;
  const std::int64_t blocks = (rows + rows_of_block - 1) / rows_of_block, lds = blocks * rows_of_block;
  const std::int64_t ldb = round_up(terms, depth);
  std::int64_t parts = parts_for(blocks, terms, queue.multiprocessors());
  const auto part_terms = static_cast<std::int32_t>(round_up((terms + parts - 1) / parts, depth));
  parts = (terms + part_terms - 1) / part_terms;
  const std::uint64_t of_b = sizeof(__half) * 2 * columns * static_cast<std::uint64_t>(ldb);
  if (256 + of_b + sizeof(float) * columns * static_cast<std::uint64_t>(lds * parts) > scratch_dev.size())
    return false;

  auto* const largest = reinterpret_cast<std::uint32_t*>(scratch_dev.data());
  auto* const halves = reinterpret_cast<__half*>(scratch_dev.data() + 256);
  auto* const sums = reinterpret_cast<float*>(scratch_dev.data() + 256 + of_b);
  const Given given{reinterpret_cast<const float*>(b_dev.data), op_b == Op::none ? 1 : b_dev.lda,
                    op_b == Op::none ? b_dev.lda : 1,           static_cast<std::int32_t>(terms),
                    static_cast<std::int32_t>(c_dev.cols),      op_b == Op::conjugate_transpose};
  const auto some =
      static_cast<unsigned>(std::clamp<std::int64_t>(ldb * columns / 1024, 1, 4 * queue.multiprocessors()));
  EIGEN_G_CUDA(cudaMemsetAsync(largest, 0, sizeof *largest, queue.stream()));
  largest_of_b_kernel<complex><<<some, 256, 0, queue.stream()>>>(given, largest);
  EIGEN_G_LAUNCHED();
  halves_of_b_kernel<complex><<<some, 256, 0, queue.stream()>>>(given, largest, halves, ldb);
  EIGEN_G_LAUNCHED();
  const Narrow narrow{reinterpret_cast<const float*>(a_dev.data),
                      reals * a_dev.lda,
                      static_cast<std::int32_t>(rows),
                      static_cast<std::int32_t>(terms),
                      part_terms,
                      halves,
                      ldb,
                      largest,
                      sums,
                      lds};
  allow_shared_memory(narrow_kernel, slots * slot_bytes);
  narrow_kernel<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(parts)), threads,
                  slots * slot_bytes, queue.stream()>>>(narrow);
  EIGEN_G_LAUNCHED();
  sum_kernel<complex>
      <<<dim3(static_cast<unsigned>((c_dev.rows + 255) / 256), static_cast<unsigned>(c_dev.cols)), 256, 0,
         queue.stream()>>>(sums, lds, static_cast<std::int32_t>(parts), alpha, beta,
                           reinterpret_cast<float*>(c_dev.data), c_dev.lda,
                           static_cast<std::int32_t>(c_dev.rows));
  EIGEN_G_LAUNCHED();
  return true;
}

template bool narrow_gemm_by_halves(const Queue&, Op, float, MatrixView<const float>, MatrixView<const float>,
                                    float, MatrixView<float>, std::span<std::byte>);
template bool narrow_gemm_by_halves(const Queue&, Op, float, MatrixView<const std::complex<float>>,
                                    MatrixView<const std::complex<float>>, float,
                                    MatrixView<std::complex<float>>, std::span<std::byte>);

}  // namespace eigen_g
