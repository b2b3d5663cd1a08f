// Tile<T>: the sum of products of 64 x 64 entries that a block of 256 threads has in registers. Doubles are multiplied on the tensor cores.
#pragma once

#include <type_traits>

#include "solver/batched/multiply_8x8x4.cuh"

namespace eigen_g::batched {

inline constexpr int tile_size = 64, tile_threads = 256, tile_depth = 16;

// A thread has 4 x 4 entries, 16 rows and 16 columns apart.
template <class T>
class Tile {
 public:
  static constexpr int depth = tile_depth;
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum_[i][j] = T(0);
  }
  // Adds the sum over k < DEPTH of a[r AR + k AK] b[c BC + k BK] to entry (r, c).
  template <int AR, int AK, int BC, int BK, int DEPTH>
  __device__ __forceinline__ void add(const T* a, const T* b) {
    a += threadIdx.x / 16 * AR;
    b += threadIdx.x % 16 * BC;
#pragma unroll 4
    for (int k = 0; k < DEPTH; ++k) {
      T x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x[i] = a[16 * i * AR + k * AK];
        y[i] = b[16 * i * BC + k * BK];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum_[i][j] = fma(x[i], y[j], sum_[i][j]);
    }
  }
  // act(row, column, entry) for the thread's entries
  template <class Act>
  __device__ __forceinline__ void each(const Act& act) const {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        act(static_cast<int>(threadIdx.x) / 16 + 16 * i, static_cast<int>(threadIdx.x) % 16 + 16 * j,
            sum_[i][j]);
  }

 private:
  T sum_[4][4];
};

// A warp has 32 x 16 entries. No two lanes of half a warp use the same bank if the larger of the strides of A, and of B, is 4 modulo 16.
template <>
class Tile<double> {
 public:
  static constexpr int depth = tile_depth;
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) sum_[i][j].x = sum_[i][j].y = 0;
  }
  template <int AR, int AK, int BC, int BK, int DEPTH>
  __device__ __forceinline__ void add(const double* a, const double* b) {
    const int lane = threadIdx.x % 32;
    a += (first_row() + lane / 4) * AR + lane % 4 * AK;
    b += (first_column() + lane / 4) * BC + lane % 4 * BK;
#pragma unroll 4
    for (int k = 0; k < DEPTH; k += 4) {
      double x[4], y[2];
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = a[8 * i * AR + k * AK];
#pragma unroll
      for (int j = 0; j < 2; ++j) y[j] = b[8 * j * BC + k * BK];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) multiply_8x8x4(sum_[i][j], x[i], y[j]);
    }
  }
  template <class Act>
  __device__ __forceinline__ void each(const Act& act) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = first_row() + 8 * i + lane / 4, c = first_column() + 8 * j + 2 * (lane % 4);
        act(r, c, sum_[i][j].x);
        act(r, c + 1, sum_[i][j].y);
      }
  }

 private:
  static __device__ __forceinline__ int first_row() {
    return threadIdx.x / 32 % 2 * 32;
  }
  static __device__ __forceinline__ int first_column() {
    return threadIdx.x / 64 * 16;
  }
  double2 sum_[4][2];
};

}  // namespace eigen_g::batched
