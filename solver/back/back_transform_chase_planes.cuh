// The window of back_transform_chase_fused.cu for complex double: real and imaginary parts are separate, and a complex product is three real ones
// (chase_planes.hpp). T is contained in Y = -T V^H, so a tile takes two products:
//
//   X^T = W^T Y^T;    W^T := W^T + X^T V^T
//
// This takes 142 mma instead of 180 with the real image. In memory, too, Z has its parts separated (chase_split_parts), in the order of
// accumulators.
#pragma once

#include "solver/back/back_transform_chase_window.cuh"
#include "solver/back/chase_planes.hpp"

namespace eigen_g::back_transform_chase_window {

struct InPlanes {
  static constexpr int x_squares = chase_planes::x_squares, band_squares = chase_planes::band_squares,
                       squares = chase_planes::squares;
  static constexpr int b = 64;  // real rows from one tile of a group to the next
  static constexpr int v_size = chase_planes::v_size, t_size = chase_planes::y_size,
                       stage_bytes = 8 * (v_size + t_size);
  static constexpr int slots = 2, ahead = 1;
  static constexpr int warp_columns = 16, warps = 8, threads = 32 * warps, columns = warps * warp_columns;

  using Square = double[2][4];  // real and imaginary parts of 8 rows
  using Product = Square[x_squares];

  // True if all eight rows of square k exist. Then their real parts come first; otherwise real and imaginary parts alternate.
  static __device__ __forceinline__ bool all_eight(const ColumnPair<double>& z, int k, int t) {
    return 16 * k + 16 - 2 * t <= z.rows;
  }
  template <bool edge>
  static __device__ __forceinline__ void load(const ColumnPair<double>& z, int k, Square& w) {
    const int t = threadIdx.x % 4;
    if (!edge || all_eight(z, k, t)) {
#pragma unroll
      for (int part = 0; part < 2; ++part) back_transform_chase_window::load<false>(z, 2 * k + part, w[part]);
    } else {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        double2 low{0, 0}, high{0, 0};
        const int at = 16 * k + 2 * t + 2 * i;
        if (at < z.rows) {
          low = __ldcg(reinterpret_cast<const double2*>(z.low + at));
          high = __ldcg(reinterpret_cast<const double2*>(z.low + at + z.high));
        }
        w[0][i] = low.x, w[1][i] = low.y, w[0][2 + i] = high.x, w[1][2 + i] = high.y;
      }
    }
  }
  template <bool edge>
  static __device__ __forceinline__ void store(const ColumnPair<double>& z, int k, const Square& w) {
    const int t = threadIdx.x % 4;
    if (!edge || all_eight(z, k, t)) {
#pragma unroll
      for (int part = 0; part < 2; ++part)
        back_transform_chase_window::store<false>(z, 2 * k + part, w[part]);
    } else {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int at = 16 * k + 2 * t + 2 * i;
        if (at >= z.rows) continue;
        double* const to = z.low + at;
        if (z.has_low) __stcg(reinterpret_cast<double2*>(to), double2{w[0][i], w[1][i]});
        if (z.has_high) __stcg(reinterpret_cast<double2*>(to + z.high), double2{w[0][2 + i], w[1][2 + i]});
      }
    }
  }

  // The sum of x's real and imaginary parts, as an operand A.
  static __device__ __forceinline__ void operand_sum(const Square& x, unsigned long long zero,
                                                     double (&a)[4]) {
    operand(x[0], zero, a);
#pragma unroll
    for (int e = 0; e < 4; ++e) a[e] += x[1][e % 2 * 2 + e / 2];
  }
  static __device__ __forceinline__ void step(double (&d)[4], const double (&a)[4], unsigned squares_at,
                                              int square, int plane) {
    const double2 pair = read_pair(squares_at, (square * chase_planes::planes + plane) * 64);
    mma(d, a, pair.x, pair.y);
  }

  // X^T := W^T Y^T. Sums go from small terms to large ones, from the last rows up. The products c (a + b) belong to both parts and come
  // first, because both sums start from them. The squares on Y's diagonal have the large numbers; they come last, by four products.
  template <int moved>
  static __device__ __forceinline__ void multiply(Square (&w)[squares], Product& x, const double* tile,
                                                  int lane, const Zeros& zeros) {
    using chase_planes::y_square;
    const unsigned y = shared_address(tile + v_size + 2 * lane);
    double a[4];
#pragma unroll
    for (int j = 0; j < x_squares; ++j) clear(x[j][0]);
#pragma unroll
    for (int k = squares - 1; k > 0; --k) {
      operand_sum(w[(k + moved) % squares], zeros.are[0], a);
#pragma unroll
      for (int j = 0; j < x_squares && j < k; ++j) step(x[j][0], a, y, y_square(j, k), 0);
    }
#pragma unroll
    for (int j = 0; j < x_squares; ++j) copy(x[j][1], x[j][0]);
#pragma unroll
    for (int k = squares - 1; k >= 0; --k)
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        operand(w[(k + moved) % squares][part], zeros.are[1], a);
#pragma unroll
        for (int j = 0; j < x_squares && j < k; ++j) step(x[j][1 - part], a, y, y_square(j, k), 1 + part);
        if (k >= x_squares) continue;
        step(x[k][0], a, y, y_square(k, k), 2 * part);
        step(x[k][1], a, y, y_square(k, k), 1 - part);
      }
  }

  // W^T := W^T + X^T V^T, two squares of W at a time. A square that is complete is stored, and a square of the next window is loaded.
  template <int moved, bool edge, class Memory>
  static __device__ __forceinline__ void add_and_move(Square (&w)[squares], Product& x, const double* tile,
                                                      int lane, const Zeros& zeros, Memory& memory,
                                                      bool last) {
    using chase_planes::v_square;
    const unsigned v = shared_address(tile + 2 * lane);
#pragma unroll
    for (int pair = 0; pair < squares; pair += 2) {
      double a[4], both[2][4];
      clear(both[0]);
      clear(both[1]);
#pragma unroll
      for (int j = 0; j < x_squares; ++j) {
        if (j > pair + 1 || pair > j + band_squares) continue;
        const bool meets[2] = {j <= pair, pair + 1 <= j + band_squares};
        // Makes X's parts and their sum new values for each pair.
        const unsigned long long zero = zeros.are[pair / 2];
        operand(x[j][0], zero, a);
#pragma unroll
        for (int l = 0; l < 2; ++l)
          if (meets[l]) step(w[(pair + l + moved) % squares][1], a, v, v_square(pair + l, j), 1);
        operand_sum(x[j], zero, a);
#pragma unroll
        for (int l = 0; l < 2; ++l)
          if (meets[l]) step(both[l], a, v, v_square(pair + l, j), 0);
        operand(x[j][1], zero, a);
#pragma unroll
        for (int l = 0; l < 2; ++l)
          if (meets[l]) step(w[(pair + l + moved) % squares][0], a, v, v_square(pair + l, j), 2);
      }
#pragma unroll
      for (int l = 0; l < 2; ++l) {
        Square& done = w[(pair + l + moved) % squares];
        add(done[0], both[l]);
        add(done[1], both[l]);
        if (pair >= x_squares) continue;
        store<edge>(memory.place(), pair + l, done);
        if (!edge || !last) load<edge>(memory.place(), squares + pair + l, done);
      }
    }
  }
};

}  // namespace eigen_g::back_transform_chase_window
