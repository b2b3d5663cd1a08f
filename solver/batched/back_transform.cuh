// Z = H_1 H_2 ... D U for complex matrices of order 33 to 128. A thread block has a strip, 32 columns of Z.
//
// Thread (c, h) has column c and the rows h, h + 4, .... Eight reflectors are applied at once, the last ones first:
//
//   Y = V^H Z,   y'_q = tau_q (y_q - sum over p > q of (v_q, v_p) y'_p),   Z := Z - V Y'
#pragma once

#include "solver/batched/rotations.cuh"

namespace eigen_g::batched {

template <class T, int NP>
struct StripPlan {
  static constexpr int columns = 32, groups = 4, threads = columns * groups;
  static constexpr int LD = columns + 1;  // values of a row of Z: few bank conflicts
  static constexpr int shared() {
    return (NP * LD + NP * 8 + groups * 8 * columns + 64) * static_cast<int>(sizeof(T)) +
           8 * static_cast<int>(sizeof(real_t<T>));
  }
};

//   strips   thread blocks of a matrix
template <class T, int NP>
__global__ void __launch_bounds__(128) back_transform_strip(Chunk<T> chunk, Work<T> work, int strips) {
  using R = real_t<T>;
  using Plan = StripPlan<T, NP>;
  constexpr int H = Plan::groups, C = Plan::columns, LD = Plan::LD, threads = Plan::threads;
  T* const z = reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());  // [row][LD]
  T* const v = z + NP * LD;                                               // [row][8]
  T* const part = v + NP * 8;                                             // [group][8][C]
  T* const gram = part + H * 8 * C;                                       // [8][8]: v_i^H v_j
  R* const tau8 = reinterpret_cast<R*>(gram + 64);
  const int tid = threadIdx.x, c = tid % C, h = tid / C, strip = blockIdx.x % strips;
  const std::int64_t matrix = blockIdx.x / strips, id = chunk.id(matrix), row = matrix * work.ld;
  const int n = chunk.order(id), first = strip * C, left = min(chunk.to, n) - chunk.from - first,
            here = left < C ? left : C;
  const Reflectors<T> vs(work, matrix);
  const R* const u = work.u + matrix * work.ld * work.ld + first * work.ld;
  for (int q = tid; q < here * n; q += threads) {
    const int column = q / n, r = q % n;
    z[r * LD + column] = u[column * work.ld + r] * work.phase[row + r];
  }
  for (int k0 = (n - 3) / 8 * 8; k0 >= 0; k0 -= 8) {
    __syncthreads();
    for (int r = tid; r < n; r += threads)
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        const int k = k0 + q;
        v[r * 8 + q] = k < n - 1 && r > k ? vs(r, k) : T(0);
      }
    if (tid < 8) tau8[tid] = k0 + tid < n - 1 ? work.tau[row + k0 + tid] : R(0);
    __syncthreads();
    {
      constexpr int lanes = 4;  // threads of a pair
      const int pair = tid / lanes, lane = tid % lanes;
      const auto [i, j] = pair_of_8(pair);
      T sum = T(0);
      if (pair < 28)
        for (int r = k0 + 1 + lane; r < n; r += lanes) sum = fma(conj_of(v[r * 8 + i]), v[r * 8 + j], sum);
#pragma unroll
      for (int mask = lanes / 2; mask > 0; mask /= 2) sum = sum + __shfl_xor_sync(all_lanes, sum, mask);
      if (pair < 28 && lane == 0) gram[i * 8 + j] = sum;
    }
    const int r0 = k0 + 1 + h;
    T y[8];
#pragma unroll
    for (int q = 0; q < 8; ++q) y[q] = T(0);
#pragma unroll 2
    for (int r = r0; r < n; r += H) {
      const T x = z[r * LD + c];
#pragma unroll
      for (int q = 0; q < 8; ++q) y[q] = fma(conj_of(v[r * 8 + q]), x, y[q]);
    }
#pragma unroll
    for (int q = 0; q < 8; ++q) part[(h * 8 + q) * C + c] = y[q];
    __syncthreads();
#pragma unroll
    for (int q = 7; q >= 0; --q) {
      y[q] = part[q * C + c];
#pragma unroll
      for (int g = 1; g < H; ++g) y[q] = y[q] + part[(g * 8 + q) * C + c];
#pragma unroll
      for (int p = 7; p > q; --p) y[q] = fma(-gram[q * 8 + p], y[p], y[q]);
      y[q] = tau8[q] * y[q];
    }
#pragma unroll 2
    for (int r = r0; r < n; r += H) {
      T x = z[r * LD + c];
#pragma unroll
      for (int q = 0; q < 8; ++q) x = fma(-y[q], v[r * 8 + q], x);
      z[r * LD + c] = x;
    }
  }
  __syncthreads();
  const bool valid = work.info[matrix] >= 0;
  const std::int64_t ldz = chunk.ldz.of(id);
  T* const to = chunk.z.of(id) + first * ldz;
  for (int q = tid; q < here * n; q += threads) {
    const int column = q / n, r = q % n;
    to[column * ldz + r] = valid ? z[r * LD + column] : not_a_number<T>();
  }
}

}  // namespace eigen_g::batched
