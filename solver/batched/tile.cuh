// Tile<T>: the sum of products of 64 x 64 entries that a block of 256 threads has in registers. Doubles are multiplied on the tensor cores.
#pragma once

#include "hybrid/multiply_8x8x4.cuh"
#include "solver/batched/piece.cuh"

namespace eigen_g::batched {

inline constexpr int tile_size = 64, tile_threads = 256, tile_depth = 16;

// A thread has four columns and four rows. The columns follow each other. Without ROWS_APART the rows follow each other too, so that a column is
// stored in whole lines of memory. With ROWS_APART the rows are 16 apart, for an A whose rows are far from each other in memory.
template <class T, bool ROWS_APART = false>
class Tile {
 public:
  static constexpr int depth = tile_depth;
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum_[i][j] = T(0);
  }
  // Adds the sum over k < DEPTH of a[r AR + k AK] b[c BC + k BK] to entry (r, c). One of AR and AK is 1, and one of BC and BK. The other
  // strides and the arrays are aligned to 16 bytes.
  template <int AR, int AK, int BC, int BK, int DEPTH>
  __device__ __forceinline__ void add(const T* a, const T* b) {
    static_assert(ROWS_APART == (AR != 1));
    a += (ROWS_APART ? threadIdx.x % 16 : threadIdx.x % 16 * 4) * AR;
    b += threadIdx.x / 16 * 4 * BC;
#pragma unroll 1
    for (int k0 = 0; k0 < DEPTH; k0 += 4) {
      T x[4][4], y[4][4];  // [k][row], [k][column]
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        if constexpr (AR == 1)
          load(x[q], a + (k0 + q) * AK);
        else
          load_across(x, q, a + 16 * q * AR + k0);
        if constexpr (BC == 1)
          load(y[q], b + (k0 + q) * BK);
        else
          load_across(y, q, b + q * BC + k0);
      }
#pragma unroll
      for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) sum_[i][j] = fma(x[q][i], y[q][j], sum_[i][j]);
    }
  }
  // Calls act(row, column, entry) for the thread's entries, which act() may change.
  template <class Act>
  __device__ __forceinline__ void each(const Act& act) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        act(ROWS_APART ? static_cast<int>(threadIdx.x) % 16 + 16 * i
                       : static_cast<int>(threadIdx.x) % 16 * 4 + i,
            static_cast<int>(threadIdx.x) / 16 * 4 + j, sum_[i][j]);
  }

 private:
  static __device__ __forceinline__ void load(T (&to)[4], const T* from) {
    constexpr int E = Piece<T>::values;
#pragma unroll
    for (int p = 0; p < 4 / E; ++p) {
      const Piece<T> piece = *reinterpret_cast<const Piece<T>*>(from + p * E);
#pragma unroll
      for (int e = 0; e < E; ++e) to[p * E + e] = piece.of[e];
    }
  }
  static __device__ __forceinline__ void load_across(T (&to)[4][4], int at, const T* from) {
    T values[4];
    load(values, from);
#pragma unroll
    for (int q = 0; q < 4; ++q) to[q][at] = values[q];
  }
  T sum_[4][4];
};

// A warp has 32 x 16 entries. No two lanes of half a warp use the same bank if the larger of the strides of A, and of B, is 4 modulo 16.
template <bool ROWS_APART>
class Tile<double, ROWS_APART> {
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
  __device__ __forceinline__ void each(const Act& act) {
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
