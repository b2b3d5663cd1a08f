// Z = H_1 H_2 ... D U for matrices of order 129 to 512. U has the eigenvectors of T and is stored in Work::q.
//
// 64 reflectors are one block I - V F V^H with an upper triangular F (LAPACK zlarft). factors_in_memory() computes F; a thread block has
// one block of reflectors. back_transform_in_memory() applies the blocks, the last one first, to 64 columns of Z in the caller's memory:
//
//   Y = V^H Z,   Y' = F Y,   Z := Z - V Y'
#pragma once

#include "solver/batched/arithmetic.cuh"
#include "solver/batched/tile.cuh"

namespace eigen_g::batched {

// Fetches 64 reflectors x `tile_depth` rows, or 64 rows, into registers and puts them into shared memory as [reflector][row].
template <class T>
struct ReflectorTile {
  static constexpr int LD = tile_depth + 4, own = tile_size * tile_depth / tile_threads;
  T values[own];
  __device__ __forceinline__ void fetch(const Reflectors<T>& vs, int n, int k0, int r0) {
    const int r = r0 + static_cast<int>(threadIdx.x) % tile_depth;
#pragma unroll
    for (int q = 0; q < own; ++q) {
      const int k = k0 + static_cast<int>(threadIdx.x) / tile_depth + q * (tile_threads / tile_depth);
      values[q] = k < n - 1 && r > k && r < n ? vs(r, k) : T(0);
    }
  }
  // With CONJUGATE their conjugates.
  template <bool CONJUGATE>
  __device__ __forceinline__ void put(T* to) const {
#pragma unroll
    for (int q = 0; q < own; ++q) {
      const int k = static_cast<int>(threadIdx.x) / tile_depth + q * (tile_threads / tile_depth);
      to[k * LD + static_cast<int>(threadIdx.x) % tile_depth] = CONJUGATE ? conj_of(values[q]) : values[q];
    }
  }
};

template <class T>
EIGEN_G_HOST_DEVICE constexpr int factors_shared() {
  return 2 * tile_size * (tile_size + 1) * static_cast<int>(sizeof(T));
}
template <class T>
__global__ void __launch_bounds__(tile_threads) factors_in_memory(Chunk<T> chunk, Work<T> work) {
  using R = real_t<T>;
  constexpr int LD = ReflectorTile<T>::LD, GD = tile_size + 1;
  T* const memory = reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());
  T* const as = memory;                // [reflector][row], conjugated
  T* const bs = as + tile_size * LD;   // [reflector][row]
  T* const gram = memory;              // [64][GD]: v_i^H v_j
  T* const f = gram + tile_size * GD;  // [64][GD]
  const int blocks = work.ld / tile_size, k0 = static_cast<int>(blockIdx.x % blocks) * tile_size,
            tid = threadIdx.x;
  const std::int64_t matrix = blockIdx.x / blocks;
  const int n = chunk.order(chunk.id(matrix));
  if (k0 >= n - 1) return;
  const Reflectors<T> vs(work, matrix);
  Tile<T, true> sum;
  sum.clear();
  ReflectorTile<T> next;
  next.fetch(vs, n, k0, k0);
#pragma unroll 1
  for (int r0 = k0; r0 < n; r0 += tile_depth) {
    __syncthreads();
    next.template put<true>(as);
    next.template put<false>(bs);
    __syncthreads();
    next.fetch(vs, n, k0, r0 + tile_depth);
    sum.template add<LD, 1, LD, 1, tile_depth>(as, bs);
  }
  __syncthreads();
  sum.each([&](int i, int j, T x) { gram[i * GD + j] = x; });
  __syncthreads();
  if (tid < tile_size) {  // row tid of F
    T* const mine = f + tid * GD;
#pragma unroll 1
    for (int j = 0; j < tile_size; ++j) {
      const R tau = k0 + j < n - 1 ? work.tau[matrix * work.ld + k0 + j] : R(0);
      T x = T(0);
      if (j == tid) x = T(tau);
      if (j > tid) {
#pragma unroll 4
        for (int p = tid; p < j; ++p) x = fma(mine[p], gram[p * GD + j], x);
        x = -tau * x;
      }
      mine[j] = x;
    }
  }
  __syncthreads();
  T* const to = work.factors + (matrix * blocks + k0 / tile_size) * tile_size * tile_size;
  for (int q = tid; q < tile_size * tile_size; q += tile_threads)
    to[q] = f[q / tile_size * GD + q % tile_size];
}

template <class T>
struct BackTransformPlan {
  static constexpr int LD = tile_size + 4;
  static constexpr int shared() { return 2 * tile_size * LD * static_cast<int>(sizeof(T)); }
};

//   strips   thread blocks of a matrix; each has 64 columns of Z
template <class T>
__global__ void __launch_bounds__(tile_threads)
    back_transform_in_memory(Chunk<T> chunk, Work<T> work, int strips) {
  using R = real_t<T>;
  constexpr int LD = BackTransformPlan<T>::LD, VD = ReflectorTile<T>::LD, KC = tile_depth;
  static_assert(2 * VD <= LD);
  T* const ys = reinterpret_cast<T*>(DynamicShared<pair_t<R>>::memory());  // [reflector][LD]
  T* const as = ys + tile_size * LD;  // [64][LD]: F, or reflectors; or [reflector][VD], conjugated
  T* const bs = as + tile_size * VD;  // [column][VD]: rows of Z
  const int tid = threadIdx.x, first = static_cast<int>(blockIdx.x % strips) * tile_size;
  const std::int64_t matrix = blockIdx.x / strips, id = chunk.id(matrix), row = matrix * work.ld,
                     ldz = chunk.ldz.of(id);
  const int n = chunk.order(id), here = min(tile_size, min(chunk.to, n) - chunk.from - first);
  if (here <= 0) return;
  T* const z = chunk.z.of(id) + first * ldz;
  const bool valid = work.info[matrix] >= 0;
  for (int c = tid / 32; c < here; c += tile_threads / 32) {
    const R* const u = work.q + (row + work.column[row + first + c]) * work.ld;
    for (int r = tid % 32; r < n; r += 32) {
      T x = not_a_number<T>();
      if (valid) {
        if constexpr (is_complex<T>)
          x = u[r] * work.phase[row + r];
        else
          x = u[r];
      }
      z[c * ldz + r] = x;
    }
  }
  if (!valid) return;
  const Reflectors<T> vs(work, matrix);
  constexpr int own = tile_size * KC / tile_threads;
  const int in = tid % KC, column0 = tid / KC;
  T next_z[own];
  const auto fetch_z = [&](int r0) {
#pragma unroll
    for (int q = 0; q < own; ++q) {
      const int c = column0 + q * (tile_threads / KC);
      next_z[q] = c < here && r0 + in < n ? z[c * ldz + r0 + in] : T(0);
    }
  };
#pragma unroll 1
  for (int k0 = (n - 2) / tile_size * tile_size; k0 >= 0; k0 -= tile_size) {
    __syncthreads();
    Tile<T, true> sum;
    sum.clear();
    {  // Y
      ReflectorTile<T> next;
      next.fetch(vs, n, k0, k0);
      fetch_z(k0);
#pragma unroll 1
      for (int r0 = k0; r0 < n; r0 += KC) {
        __syncthreads();
        next.template put<true>(as);
#pragma unroll
        for (int q = 0; q < own; ++q) bs[(column0 + q * (tile_threads / KC)) * VD + in] = next_z[q];
        __syncthreads();
        next.fetch(vs, n, k0, r0 + KC);
        fetch_z(r0 + KC);
        sum.template add<VD, 1, VD, 1, KC>(as, bs);
      }
    }
    __syncthreads();
    sum.each([&](int k, int c, T x) { ys[k * LD + c] = x; });
    const T* const f =
        work.factors + (matrix * (work.ld / tile_size) + k0 / tile_size) * tile_size * tile_size;
    for (int q = tid; q < tile_size * tile_size; q += tile_threads)
      as[q / tile_size * LD + q % tile_size] = f[q];
    __syncthreads();
    sum.clear();  // Y'
    sum.template add<LD, 1, 1, LD, tile_size>(as, ys);
    __syncthreads();
    sum.each([&](int k, int c, T x) { ys[k * LD + c] = x; });
#pragma unroll 1
    for (int r0 = k0; r0 < n; r0 += tile_size) {
      constexpr int rows = tile_threads / tile_size;
      T reflectors[tile_size / rows];
#pragma unroll
      for (int q = 0; q < tile_size / rows; ++q) {
        const int k = k0 + tid / tile_size + rows * q, r = r0 + tid % tile_size;
        reflectors[q] = k < n - 1 && r > k && r < n ? -vs(r, k) : T(0);
      }
      Tile<T> changed;
      changed.each([&](int r, int c, T& x) { x = r0 + r < n && c < here ? z[c * ldz + r0 + r] : T(0); });
      __syncthreads();
#pragma unroll
      for (int q = 0; q < tile_size / rows; ++q)
        as[(tid / tile_size + rows * q) * LD + tid % tile_size] = reflectors[q];
      __syncthreads();
      changed.template add<1, LD, 1, LD, tile_size>(as, ys);
      changed.each([&](int r, int c, T x) {
        if (r0 + r < n && c < here) z[c * ldz + r0 + r] = x;
      });
    }
  }
}

}  // namespace eigen_g::batched
