// Parts of the rank-2k kernels: a warp's product and its addition to C, the copies to shared memory, the order of the tiles.
// syr2k.cu has the equation, X, Y and the numbering of the rows.
#pragma once

#include <cstdint>

#include "gemm_df/tensor_core.cuh"

namespace eigen_g::rank_2k {

struct Update {
  std::int32_t first, end;  // rows and columns of C
  std::int32_t columns;     // columns of A and of B
  double alpha;
  const double *a, *b;
  std::int64_t lda, ldb;
  double* c;
  std::int64_t ldc;
};

// The product y = C x that an update computes in addition. Row r of C x is the sum over k of sums[k * stride + r]. The tile in
// row i and column k of tiles writes sums[k * stride + r] for its rows r. By symmetry it writes sums[i * stride + r] for its
// columns r.
struct Beside {
  const double* x;
  double* sums;
  std::int64_t stride;
};

inline constexpr int depth = 8;  // columns of X and Y in a slot of the ring

// The part of a tile that a warp computes, `rows` x `cols`. The operands of the next mma are loaded while the current ones are
// multiplied.
template <int rows, int cols>
struct WarpProduct {
  static constexpr int down = rows / 16, across = cols / 8;
  static_assert(rows % 16 == 0 && cols % 16 == 0);
  double sum[down][across][4];
  double2 x[2][down], y[2][across / 2];

  __device__ void clear() {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[r][c][e] = 0;
  }
  // Loads the operands of a step. The pointers are at this thread's first element: k = t, row 2g.
  __device__ void load(int buffer, const double* from_x, const double* from_y) {
#pragma unroll
    for (int r = 0; r < down; ++r) x[buffer][r] = *reinterpret_cast<const double2*>(from_x + 16 * r);
#pragma unroll
    for (int c = 0; c < across / 2; ++c) y[buffer][c] = *reinterpret_cast<const double2*>(from_y + 16 * c);
  }
  __device__ void step(int buffer) {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
        mma(sum[r][c], x[buffer][r].x, x[buffer][r].y, c % 2 == 0 ? y[buffer][c / 2].x : y[buffer][c / 2].y);
  }
  // C += alpha sum. The warp's first element is (row, col). `whole`: the tile is in the stored triangle as a whole.
  __device__ void add_to(const Update& u, std::int32_t row, std::int32_t col, bool whole) const {
    row += threadIdx.x % 32 / 4 * 2;
    col += threadIdx.x % 4 * 4;
    if (whole)
      add_to_whole(u, row, col);
    else
      add_to_part(u, row, col);
  }
  // add_to() for a whole tile, if shared memory has this part of C, from (row, col) on, at `c`.
  __device__ void add_to_held(const Update& u, const double* c, int stride, std::int32_t row,
                              std::int32_t col) const {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    row += 2 * g;
    col += 4 * t;
    c += 2 * g + 4 * t * stride;
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int k = 0; k < across; ++k)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const double2 v = *reinterpret_cast<const double2*>(c + 16 * r + in_pair(k, e) * stride);
          *reinterpret_cast<double2*>(place(u, row, col, r, k, e)) = {fma(u.alpha, sum[r][k][e], v.x),
                                                                      fma(u.alpha, sum[r][k][2 + e], v.y)};
        }
  }

  // add_to() for any tile, and the products of the new C with x. For each of the warp's rows they are summed over its columns,
  // and for each column over its rows. A tile that is not whole is updated in C itself, and only its stored elements count. All
  // pointers are to the warp's first element; x and the sums are in shared memory.
  __device__ void add_and_multiply(const Update& u, const double* c, int stride, std::int32_t row,
                                   std::int32_t col, bool whole, const double* x_rows, const double* x_cols,
                                   double* row_sums, double* col_sums) const {
    static_assert(down == 2 && across == 4, "the sums over lanes are written out");
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    row += 2 * g;
    col += 4 * t;
    c += 2 * g + 4 * t * stride;
    double of_rows[2][2] = {}, of_cols[4][2];
#pragma unroll
    for (int k = 0; k < across; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const bool in = whole || col + in_pair(k, e) >= u.first;  // x is undefined before u.first
        const double x_col = in ? x_cols[4 * t + in_pair(k, e)] : 0;
        double of_col = 0;
#pragma unroll
        for (int r = 0; r < down; ++r) {
          const double2 x_row = *reinterpret_cast<const double2*>(x_rows + 2 * g + 16 * r);
          double* const at = place(u, row, col, r, k, e);
          double2 v;
          if (whole) {
            v = *reinterpret_cast<const double2*>(c + 16 * r + in_pair(k, e) * stride);
            v = {fma(u.alpha, sum[r][k][e], v.x), fma(u.alpha, sum[r][k][2 + e], v.y)};
            *reinterpret_cast<double2*>(at) = v;
            of_col = fma(v.y, x_row.y, fma(v.x, x_row.x, of_col));
          } else {
            const std::int32_t at_row = row + 16 * r, at_col = col + in_pair(k, e);
            const bool has_x = in && at_row >= at_col && at_row < u.end;
            const bool has_y = in && at_row + 1 >= at_col && at_row + 1 < u.end;
            v = {0, 0};
            if (has_x) at[0] = v.x = fma(u.alpha, sum[r][k][e], at[0]);
            if (has_y) at[1] = v.y = fma(u.alpha, sum[r][k][2 + e], at[1]);
            if (at_row > at_col) of_col = fma(v.x, x_row.x, of_col);
            if (at_row + 1 > at_col) of_col = fma(v.y, x_row.y, of_col);
          }
          of_rows[r][0] = fma(v.x, x_col, of_rows[r][0]);
          of_rows[r][1] = fma(v.y, x_col, of_rows[r][1]);
        }
        of_cols[k][e] = of_col;
      }
    // Each step halves the number of values in a lane. The lane's bit of the step chooses the half that it keeps.
    const auto halve = [](bool upper, double low, double high, int mask) {
      return (upper ? high : low) + __shfl_xor_sync(~0u, upper ? low : high, mask);
    };
    double two[2], four[2][2], last[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) two[e] = halve(t & 1, of_rows[0][e], of_rows[1][e], 1);
    row_sums[2 * g + 16 * (t & 1) + t / 2] = halve(t & 2, two[0], two[1], 2);
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) four[k][e] = halve(g & 4, of_cols[k][e], of_cols[2 + k][e], 16);
#pragma unroll
    for (int e = 0; e < 2; ++e) last[e] = halve(g & 2, four[0][e], four[1][e], 8);
    col_sums[4 * t + 16 * (g / 4) + g / 2 % 2 + 2 * (g & 1)] = halve(g & 1, last[0], last[1], 4);
  }

 private:
  static constexpr int batch = across < 4 ? across : 4;  // half the number of loads in flight
  __device__ void add_to_whole(const Update& u, std::int32_t row, std::int32_t col) const {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int first = 0; first < across; first += batch) {
        double2 v[batch][2];
#pragma unroll
        for (int c = 0; c < batch; ++c)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            v[c][e] = __ldcg(reinterpret_cast<const double2*>(place(u, row, col, r, first + c, e)));
#pragma unroll
        for (int c = 0; c < batch; ++c)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const double(&own)[4] = sum[r][first + c];
            *reinterpret_cast<double2*>(place(u, row, col, r, first + c, e)) = {
                fma(u.alpha, own[e], v[c][e].x), fma(u.alpha, own[2 + e], v[c][e].y)};
          }
      }
  }
  __device__ void add_to_part(const Update& u, std::int32_t row, std::int32_t col) const {
#pragma unroll
    for (int r = 0; r < down; ++r)
#pragma unroll
      for (int c = 0; c < across; ++c)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const std::int32_t at_row = row + 16 * r + e / 2, at_col = col + in_pair(c, e % 2);
          double* const at = place(u, row, col, r, c, e % 2) + e / 2;
          if (at_col >= u.first && at_row >= at_col && at_row < u.end) *at = fma(u.alpha, sum[r][c][e], *at);
        }
  }
  // Column of the tile, relative to the thread's first one, of sum[][c][e] and sum[][c][2 + e].
  static __device__ std::int32_t in_pair(int c, int e) {
    return c / 2 * 16 + 2 * e + c % 2;
  }
  static __device__ double* place(const Update& u, std::int32_t row, std::int32_t col, int r, int c, int e) {
    return u.c + row + 16 * r + (col + in_pair(c, e)) * u.ldc;
  }
};

// Copies `height` rows of `depth` columns to shared memory with `threads` threads. Each thread copies one pair of rows.
template <int height, int threads>
class Copier {
 public:
  static constexpr int stride = height + 4;  // 4 (mod 16): no bank conflicts
  static_assert(stride % 16 == 4 && threads % (height / 2) == 0);

  // The rows are `row` ... row + height - 1. Only rows first ... end - 1 are read, and the row that shares 16 bytes with one of
  // them; others become 0.
  __device__ Copier(int thread, std::int32_t row, std::int32_t first, std::int32_t end) {
    const int pair = thread % (height / 2);
    column_ = thread / (height / 2);
    place_ = column_ * stride + 2 * pair;
    row_ = row + 2 * pair;
    bytes_ = row_ + 1 < first || row_ >= end ? 0 : row_ + 1 == end ? 8 : 16;
    if (bytes_ == 0) row_ = first / 2 * 2;
  }
  __device__ void operator()(double* slot, const double* from, std::int64_t ld, std::int32_t column,
                             std::int32_t columns) const {
#pragma unroll
    for (int step = 0; step < depth; step += threads / (height / 2)) {
      const std::int32_t own = column + column_ + step;
      if (column_ + step < depth)
        copy_16_async(slot + place_ + step * stride, from + row_ + (own < columns ? own : 0) * ld,
                      own < columns ? bytes_ : 0);
    }
  }

 private:
  int column_, place_, bytes_;
  std::int32_t row_;
};

// Copies of the chunks of X = [A B] and Y = [B A]. A chunk is `depth` columns of A or of B.
struct Chunks {
  const Update& u;
  std::int32_t half;

  __device__ explicit Chunks(const Update& update) : u(update), half((u.columns + depth - 1) / depth) {}
  __device__ std::int32_t count() const { return 2 * half; }
  template <class C>
  __device__ void copy_x(const C& copier, double* to, std::int32_t chunk) const {
    copy(copier, to, chunk, chunk >= half);
  }
  template <class C>
  __device__ void copy_y(const C& copier, double* to, std::int32_t chunk) const {
    copy(copier, to, chunk, chunk < half);
  }

 private:
  template <class C>
  __device__ void copy(const C& copier, double* to, std::int32_t chunk, bool of_b) const {
    copier(to, of_b ? u.b : u.a, of_b ? u.ldb : u.lda, (chunk < half ? chunk : chunk - half) * depth,
           u.columns);
  }
};

// Tiles are numbered row by row; 1 + ... + i of them precede row i.
__host__ __device__ inline std::int32_t tiles_before(std::int32_t i) {
  return i * (i + 1) / 2;
}
__device__ inline std::int32_t row_of_tile(std::int32_t tile) {
  auto i = static_cast<std::int32_t>((sqrt(8.0 * tile + 1) - 1) / 2);
  while (tiles_before(i) > tile) --i;
  while (tiles_before(i + 1) <= tile) ++i;
  return i;
}

template <int side>
struct TilePosition {
  std::int32_t row, col;
  bool whole;  // the tile is in the stored triangle as a whole

  __device__ TilePosition(const Update& u, std::int32_t tile) {
    const std::int32_t i = row_of_tile(tile);
    row = i * side;
    col = (tile - tiles_before(i)) * side;
    whole = row >= col + side - 1 && col >= u.first && row + side <= u.end;
  }
};

}  // namespace eigen_g::rank_2k
