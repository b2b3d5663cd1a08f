// The window of back_transform_chase_fused.cu in double: what a warp does with the rows of Z that it holds as accumulators of the tensor core.
// (float in fp16 pairs: back_transform_chase_halves.cuh; complex double: back_transform_chase_planes.cuh.)
//
// An accumulator is used as operand A without moving data between threads. For this, rows 2t and 2t + 1 of each eight rows of V (columns
// of T) take the places t and t + 4 of the inner dimension. V is a parallelogram: its 8 x 8 squares that are zero are left out.
#pragma once

#include <cstdint>

#include "hybrid/pair.hpp"
#include "solver/back/chase_factor.hpp"

namespace eigen_g::back_transform_chase_window {

template <int b, int width>
struct Shape {
  static constexpr int x_squares = width / 8, band_squares = b / 8, squares = x_squares + band_squares;
  static constexpr int eight_columns = 8 * (b + 8) + 16;  // ChaseTiles::eight_columns
  static constexpr int v_size = x_squares * eight_columns, t_size = x_squares * (x_squares + 1) / 2 * 64;
  static constexpr int stage_bytes = 8 * (v_size + t_size);
  static constexpr int slots = 2, ahead = 1;
  static constexpr int warp_columns = 16, warps = b > 32 ? 8 : 12, threads = 32 * warps,
                       columns = warps * warp_columns;
};

// d += a b, one mma of 16 x 8 x 8. With g = lane / 4 and t = lane % 4 a thread has these four entries (row, column):
//   accumulator d   (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
//   operand a       (g, 2t), (g + 8, 2t), (g, 2t + 1), (g + 8, 2t + 1), after the reordering above
__device__ __forceinline__ void mma(double (&d)[4], const double (&a)[4], double b0, double b1) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#endif
}
__device__ __forceinline__ void clear(double (&x)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) x[e] = 0;
}
__device__ __forceinline__ void copy(double (&to)[4], const double (&from)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) to[e] = from[e];
}
__device__ __forceinline__ void add(double (&to)[4], const double (&x)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) to[e] += x[e];
}

// Four zeros that the compiler cannot see through. operand() XORs a number with one of them when it reorders registers, so that the
// result is a new value. With a known zero the compiler keeps one order and copies at every use, or keeps both orders in
// registers. With one zero for all it merges two reorderings; hence four.
struct Zeros {
  unsigned long long are[4];
};
// The accumulator x in the order of an operand a.
__device__ __forceinline__ void operand(const double (&x)[4], unsigned long long zero, double (&a)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) a[e] = __longlong_as_double(__double_as_longlong(x[e % 2 * 2 + e / 2]) ^ zero);
}
// Turns an accumulator into an operand a, in place.
__device__ __forceinline__ void turn(double (&x)[4], unsigned long long zero) {
  double turned[4];
  operand(x, zero, turned);
  copy(x, turned);
}

// The two columns of Z that a thread reads and writes: columns g and g + 8 of its warp's 16. `low` points to row 2t of the window in
// the first one; `rows` is the number of rows from there on. If a column does not exist, another one is read and nothing is written.
template <class T>
struct ColumnPair {
  T* low;
  std::int64_t high;  // offset from the first column to the second
  int rows;
  bool has_low, has_high;
};
// Loads square k of the window as an accumulator. edge: the matrix may end in this square; missing rows become zero.
template <bool edge, class T>
__device__ __forceinline__ void load(const ColumnPair<T>& z, int k, T (&w)[4]) {
  pair_t<T> low{0, 0}, high{0, 0};
  const T* const from = z.low + 8 * k;
  if (!edge || 8 * k + 1 < z.rows) {
    low = __ldcg(reinterpret_cast<const pair_t<T>*>(from));
    high = __ldcg(reinterpret_cast<const pair_t<T>*>(from + z.high));
  } else if (8 * k < z.rows) {
    low.x = __ldcg(from);
    high.x = __ldcg(from + z.high);
  }
  w[0] = low.x, w[1] = low.y, w[2] = high.x, w[3] = high.y;
}
template <bool edge, class T>
__device__ __forceinline__ void store(const ColumnPair<T>& z, int k, const T (&w)[4]) {
  T* const to = z.low + 8 * k;
  if (!edge || 8 * k + 1 < z.rows) {
    if (z.has_low) __stcg(reinterpret_cast<pair_t<T>*>(to), pair_t<T>{w[0], w[1]});
    if (z.has_high) __stcg(reinterpret_cast<pair_t<T>*>(to + z.high), pair_t<T>{w[2], w[3]});
  } else if (8 * k < z.rows) {
    if (z.has_low) __stcg(to, w[0]);
    if (z.has_high) __stcg(to + z.high, w[2]);
  }
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
// Reads from a tile in shared memory. Volatile like the mma: earlier reads would need registers that are not available.
__device__ __forceinline__ double2 read_pair(unsigned tile, int at) {
  double2 pair;
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(pair.x), "=d"(pair.y) : "r"(tile + 8 * at));
  return pair;
}
__device__ __forceinline__ double read_one(unsigned tile, int at) {
  double x;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(tile + 8 * at));
  return x;
}

// X^T := -W^T V T^T. v: the tile in shared memory, with -T behind V. Square k of W is the accumulator w[(k + moved) % squares].
// For accuracy, later squares of W^T V are added two at a time into separate sums. The largest terms come last: the squares that contain
// V's ones, and T's diagonal.
template <int b, int width, int moved>
__device__ __forceinline__ void multiply(double (&w)[Shape<b, width>::squares][4],
                                         double (&x)[Shape<b, width>::x_squares][4], const double* v,
                                         int lane, const Zeros& zeros) {
  using S = Shape<b, width>;
  const int g = lane / 4, t = lane % 4;
  const unsigned by_column =
      shared_address(v + g * (b + 8) + g / 2 * 4 + 2 * t);  // address of rows 2t, 2t + 1 of column g
#pragma unroll
  for (int j = 0; j < S::x_squares; ++j) clear(x[j]);
#pragma unroll
  for (int k = 1; k < S::squares; k += 2) {
    double of_w[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (k + i < S::squares) operand(w[(k + i + moved) % S::squares], zeros.are[0], of_w[i]);
    const auto apart = [&](int j) { return k > j + 2 && k < j + S::band_squares; };
    // Alternates between two columns of squares, because an mma waits for the previous one with the same accumulator.
#pragma unroll
    for (int j = 0; j < S::x_squares; j += 2) {
      double sums[2][4] = {};
#pragma unroll
      for (int row = k; row < k + 2; ++row)
#pragma unroll
        for (int l = 0; l < 2; ++l)
          if (row > j + l && row <= j + l + S::band_squares) {
            const double2 pair = read_pair(by_column, (j + l) * S::eight_columns + 8 * (row - j - l));
            mma(apart(j + l) ? sums[l] : x[j + l], of_w[row - k], pair.x, pair.y);
          }
#pragma unroll
      for (int l = 0; l < 2; ++l)
        if (apart(j + l)) add(x[j + l], sums[l]);
    }
  }
#pragma unroll
  for (int j = 0; j < S::x_squares; ++j) {
    double of_w[4];
    operand(w[(j + moved) % S::squares], zeros.are[1], of_w);
    const double2 pair = read_pair(by_column, j * S::eight_columns);
    mma(x[j], of_w, pair.x, pair.y);
  }
  // Two columns of squares at a time, in place: the result's column j needs only the columns k >= j of X^T.
  const unsigned factor = shared_address(v + S::v_size + 2 * lane);
#pragma unroll
  for (int j = 0; j < S::x_squares; j += 2) {
    double next[2][4] = {};
#pragma unroll
    for (int k = S::x_squares - 1; k >= j; --k) {
      if (j == 0) turn(x[k], zeros.are[2]);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (k >= j + i) {
          const double2 pair = read_pair(factor, chase_factor_square(width, j + i, k) * 64);
          mma(next[i], x[k], pair.x, pair.y);
        }
    }
    copy(x[j], next[0]);
    copy(x[j + 1], next[1]);
  }
}

// W^T := W^T + X^T V^T. A square that is complete is stored, and a square of the next window is loaded into its registers.
template <int b, int width, int moved, bool edge>
__device__ __forceinline__ void add_and_move(double (&w)[Shape<b, width>::squares][4],
                                             double (&x)[Shape<b, width>::x_squares][4], const double* v,
                                             int lane, unsigned long long zero, const ColumnPair<double>& z,
                                             bool last) {
  using S = Shape<b, width>;
  const int g = lane / 4, t = lane % 4;
  // Address of row g of columns 2t and 2t + 1.
  const unsigned by_row = shared_address(v + 2 * t * (b + 8) + t * 4 + g);
#pragma unroll
  for (int j = 0; j < S::x_squares; ++j) {
    turn(x[j], zero);
#pragma unroll
    for (int k = j; k <= j + S::band_squares; ++k) {
      double(&w_k)[4] = w[(k + moved) % S::squares];
      const int at = j * S::eight_columns + 8 * (k - j);
      mma(w_k, x[j], read_one(by_row, at), read_one(by_row, at + b + 8));
    }
    double(&done)[4] = w[(j + moved) % S::squares];
    store<edge>(z, j, done);
    if (!edge || !last) load<edge>(z, S::squares + j, done);
  }
}

// The window in double, with the interface that the kernel needs.
template <int b_, int width>
struct InDouble : Shape<b_, width> {
  using S = Shape<b_, width>;
  using Square = double[4];
  using Product = double[S::x_squares][4];
  static constexpr int b = b_;

  template <bool edge>
  static __device__ __forceinline__ void load(const ColumnPair<double>& z, int k, double (&w)[4]) {
    back_transform_chase_window::load<edge>(z, k, w);
  }
  template <bool edge>
  static __device__ __forceinline__ void store(const ColumnPair<double>& z, int k, const double (&w)[4]) {
    back_transform_chase_window::store<edge>(z, k, w);
  }
  template <int moved>
  static __device__ __forceinline__ void multiply(double (&w)[S::squares][4], Product& x, const double* tile,
                                                  int lane, const Zeros& zeros) {
    back_transform_chase_window::multiply<b, width, moved>(w, x, tile, lane, zeros);
  }
  template <int moved, bool edge, class Memory>
  static __device__ __forceinline__ void add_and_move(double (&w)[S::squares][4], Product& x,
                                                      const double* tile, int lane, const Zeros& zeros,
                                                      Memory& memory, bool last) {
    back_transform_chase_window::add_and_move<b, width, moved, edge>(w, x, tile, lane, zeros.are[0],
                                                                     memory.place(), last);
  }
};

}  // namespace eigen_g::back_transform_chase_window
