// The window of back_transform_chase_fused.cu for float: products on the tensor core in fp16 pairs (gemm_df/half_steps.cuh).
//
// The tensor core truncates its sums. Therefore the sums of a tile start from zero instead of from Z, and small products have
// sums of their own, apart from the large ones. T is enlarged by the average amount that is truncated (chase_halves.hpp).
//
// The accumulators of two 8 x 8 squares are one operand A of 16 x 16, without moving data between threads. V and -T of a tile are in
// the layout of chase_halves.hpp. Blocks of 16 rows that are zero in V's parallelogram are left out.
#pragma once

#include "gemm_df/half_steps.cuh"
#include "hybrid/pair.hpp"
#include "solver/back/back_transform_chase_window.cuh"
#include "solver/back/chase_halves.hpp"

namespace eigen_g::back_transform_chase_window {

struct InHalves {
  static constexpr int b = 64, x_squares = 8, band_squares = 8, squares = 16;
  static constexpr int v_size = chase_halves::v_size, t_size = chase_halves::t_size,
                       stage_bytes = 8 * (v_size + t_size);
  static constexpr int slots = 2, ahead = 1;
  static constexpr int warp_columns = 16, warps = 8, threads = 32 * warps, columns = warps * warp_columns;

  using Square = float[4];  // Z times z_scale
  struct Product {
    unsigned first[4][4], second[4][4];
  };

  template <bool edge>
  static __device__ __forceinline__ void load(const ColumnPair<float>& z, int k, float (&w)[4]) {
    back_transform_chase_window::load<edge>(z, k, w);
#pragma unroll
    for (int e = 0; e < 4; ++e) w[e] *= chase_halves::z_scale;
  }
  template <bool edge>
  static __device__ __forceinline__ void store(const ColumnPair<float>& z, int k, const float (&w)[4]) {
    const float to[4] = {w[0] / chase_halves::z_scale, w[1] / chase_halves::z_scale,
                         w[2] / chase_halves::z_scale, w[3] / chase_halves::z_scale};
    back_transform_chase_window::store<edge>(z, k, to);
  }

  // Two squares, times `scale`, as an operand A: the first and the second halves.
  static __device__ __forceinline__ void split(const float (&low)[4], const float (&high)[4], float scale,
                                               unsigned (&first)[4], unsigned (&second)[4]) {
    const Halves parts[4] = {{scale * low[0], scale * low[1]},
                             {scale * low[2], scale * low[3]},
                             {scale * high[0], scale * high[1]},
                             {scale * high[2], scale * high[3]}};
#pragma unroll
    for (int i = 0; i < 4; ++i) first[i] = parts[i].first, second[i] = parts[i].second;
  }

  static __device__ __forceinline__ void add(float (&sum)[4], const float (&small)[4]) {
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[e] += small[e];
  }

  // y := -W^T V T^T as fp16 pairs. Sums go from small terms to large ones.
  template <int moved>
  static __device__ __forceinline__ void multiply(float (&w)[squares][4], Product& y, const double* tile,
                                                  int lane, const Zeros&) {
    const int part = lane / 16, column = lane % 8, eight = lane / 8 % 2 * 8;
    const __half* const v = reinterpret_cast<const __half*>(tile) + part * chase_halves::v_part +
                            column * chase_halves::v_ld + eight;
    const __half* const t = reinterpret_cast<const __half*>(tile + v_size + chase_halves::head_bytes / 8) +
                            part * chase_halves::t_part + column * chase_halves::t_ld + eight;
    float x[x_squares][4] = {}, small[x_squares][4] = {};
#pragma unroll
    for (int q = squares / 2 - 1; q >= 0; --q) {
      unsigned first[4], second[4];
      split(w[(2 * q + moved) % squares], w[(2 * q + 1 + moved) % squares], 1, first, second);
#pragma unroll
      for (int j = 0; j < x_squares; j += 4) {  // four independent sums at a time
        unsigned of_v[4][4];
        const auto meets = [q](int column) { return q >= column / 2 && q <= column / 2 + band_squares / 2; };
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (meets(j + i))
            load_matrices(of_v[i], v + 8 * (j + i) * chase_halves::v_ld + 16 * (q - (j + i) / 2));
#pragma unroll
        for (int p = 0; p < 3; ++p)
#pragma unroll
          for (int i = 0; i < 4; ++i)
            if (meets(j + i)) half_step_of(p, p < 2 ? small[j + i] : x[j + i], first, second, of_v[i]);
      }
    }
#pragma unroll
    for (int j = 0; j < x_squares; ++j) add(x[j], small[j]);
    Product of_x;
#pragma unroll
    for (int k = 0; k < x_squares / 2; ++k)
      split(x[2 * k], x[2 * k + 1], chase_halves::x_scale, of_x.first[k], of_x.second[k]);
    const float y_scale = reinterpret_cast<const chase_halves::Head*>(tile + v_size)->y_scale;
#pragma unroll
    for (int i = 0; i < x_squares / 2; ++i) {
      float sum[2][4] = {}, small_sum[2][4] = {};
#pragma unroll
      for (int k = x_squares / 2 - 1; k >= i; --k) {
        unsigned of_t[2][4];
#pragma unroll
        for (int c = 0; c < 2; ++c) load_matrices(of_t[c], t + 8 * (2 * i + c) * chase_halves::t_ld + 16 * k);
#pragma unroll
        for (int p = 0; p < 3; ++p)
#pragma unroll
          for (int c = 0; c < 2; ++c)
            half_step_of(p, p < 2 ? small_sum[c] : sum[c], of_x.first[k], of_x.second[k], of_t[c]);
      }
#pragma unroll
      for (int c = 0; c < 2; ++c) add(sum[c], small_sum[c]);
      split(sum[0], sum[1], y_scale, y.first[i], y.second[i]);
    }
  }

  // W^T := W^T + Y V^T. A square that is complete is stored, and a square of the next window is loaded into its registers.
  template <int moved, bool edge, class Memory>
  static __device__ __forceinline__ void add_and_move(float (&w)[squares][4], Product& y, const double* tile,
                                                      int lane, const Zeros&, Memory& memory, bool last) {
    const ColumnPair<float> z = memory.place();
    const __half* const v = reinterpret_cast<const __half*>(tile) + lane / 16 * chase_halves::v_part +
                            lane % 16 * chase_halves::v_ld;
    const float w_scale = reinterpret_cast<const chase_halves::Head*>(tile + v_size)->w_scale;
#pragma unroll
    for (int pair = 0; pair < squares; pair += 2) {
      float sum[2][4] = {}, small[2][4] = {};
#pragma unroll
      for (int p = 0; p < x_squares / 2; ++p)
        if (2 * p <= pair && pair < 2 * p + band_squares + 2) {
          unsigned of_v[2][4];
#pragma unroll
          for (int i = 0; i < 2; ++i)
            load_matrices<true>(of_v[i], v + 16 * p * chase_halves::v_ld + 8 * (pair + i - 2 * p));
#pragma unroll
          for (int s = 0; s < 3; ++s)
#pragma unroll
            for (int i = 0; i < 2; ++i)
              half_step_of(s, s < 2 ? small[i] : sum[i], y.first[p], y.second[p], of_v[i]);
        }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int k = pair + i;
        float(&w_k)[4] = w[(k + moved) % squares];
#pragma unroll
        for (int e = 0; e < 4; ++e) w_k[e] = fmaf(w_scale, sum[i][e] + small[i][e], w_k[e]);
        if (k < x_squares) {
          store<edge>(z, k, w_k);
          if (!edge || !last) load<edge>(z, squares + k, w_k);
        }
      }
    }
  }
};

}  // namespace eigen_g::back_transform_chase_window
