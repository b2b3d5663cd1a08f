#include "solver/back/chase_halves.hpp"

#include <cuda_fp16.h>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/back/chase_factor.hpp"

namespace eigen_g {

namespace {

using namespace chase_halves;

constexpr int width = 64, threads = 256, lanes_of_a_row = threads / width;

__device__ void store(__half* to, int part, float x) {
  const __half first = __float2half_rn(x);
  to[0] = first;
  to[part] = __float2half_rn(x - __half2float(first));
}

__global__ void __launch_bounds__(threads)
    to_halves_kernel(ChaseTiles tiles, const double* all_v, const double* all_factors, double* all_v_halves,
                     double* all_t_halves) {
  const auto tile = static_cast<std::int64_t>(blockIdx.x);
  const double* const v = all_v + tile * tiles.tile_size();
  const double* const factor = all_factors + tile * chase_factor_size(width);
  auto* const v_to = reinterpret_cast<__half*>(all_v_halves + tile * v_size);
  auto* const head = reinterpret_cast<Head*>(all_t_halves + tile * t_size);
  auto* const t_to = reinterpret_cast<__half*>(all_t_halves + tile * t_size + head_bytes / 8);

  for (int at = threadIdx.x; at < v_part; at += threads) {
    // Relative to the first stored row of V's column.
    const int j = at / v_ld, row = at % v_ld + j / 16 * 16 - j / 8 * 8;
    store(v_to + at, v_part,
          row >= 0 && row < width + 8 ? v_scale * static_cast<float>(v[tiles.column(j) + row]) : 0);
  }

  __shared__ float largest_of[threads / 32], longest_of[threads / 32];
  const int i = threadIdx.x / lanes_of_a_row;
  float largest = 0, longest = 0;  // largest entry of T; largest sum of a row
  for (int k = i / 8 * 8 + threadIdx.x % lanes_of_a_row; k < width; k += lanes_of_a_row) {
    const float x = fabsf(static_cast<float>(factor[chase_factor_place(width, i, k)]));
    largest = fmaxf(largest, x);
    longest += x;
  }
#pragma unroll
  for (int lanes = 1; lanes < lanes_of_a_row; lanes *= 2) longest += __shfl_xor_sync(~0u, longest, lanes);
#pragma unroll
  for (int lanes = 1; lanes < 32; lanes *= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
    longest = fmaxf(longest, __shfl_xor_sync(~0u, longest, lanes));
  }
  if (threadIdx.x % 32 == 0) largest_of[threadIdx.x / 32] = largest, longest_of[threadIdx.x / 32] = longest;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < threads / 32; ++w)
    largest = fmaxf(largest, largest_of[w]), longest = fmaxf(longest, longest_of[w]);
  // With 2^e above the largest sum of a row, |X| < 16 gives |T X| < 2^(4 + e). Its scaled value is then below 2^14. As float16 goes to
  // 2^16, |X| < 32 is allowed.
  const int of_t = largest > 0 ? 13 - ilogbf(largest) : 0,
            of_y = 14 - 4 - (longest > 0 ? ilogbf(longest) + 1 : 0);
  if (threadIdx.x == 0) *head = {scalbnf(1, of_y - 10 - of_t), scalbnf(1, 12 - 14 - of_y)};
  const float t_scale = scalbnf(1, of_t);
  for (int at = threadIdx.x; at < t_part; at += threads) {
    const int row = at / t_ld, k = at % t_ld;
    store(t_to + at, t_part,
          k < width && row / 8 <= k / 8
              ? t_scale * static_cast<float>((1 + given_back) * factor[chase_factor_place(width, row, k)])
              : 0);
  }
}

}  // namespace

void chase_to_halves(const Queue& queue, std::int64_t count, const double* v_dev, const double* factors_dev,
                     double* v_halves_dev, double* t_halves_dev) {
  if (count == 0) return;
  to_halves_kernel<<<static_cast<unsigned>(count), threads, 0, queue.stream()>>>(
      ChaseTiles(0, width), v_dev, factors_dev, v_halves_dev, t_halves_dev);
  EIGEN_G_LAUNCHED();
}

}  // namespace eigen_g
