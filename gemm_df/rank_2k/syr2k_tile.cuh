// The parts of the rank-2k update's kernels (syr2k.cu has the equation and the order of rows): a warp's product and its
// addition to C, the copies to shared memory, the order of the tiles.
#pragma once

#include <cstdint>

#include "gemm_df/tensor_core.cuh"

namespace eigen_g::rank_2k {

struct Update {
  std::int32_t first, end;  // rows and columns of C
  std::int32_t columns;     // of A and of B
  double alpha;
  const double *a, *b;
  std::int64_t lda, ldb;
  double* c;
  std::int64_t ldc;
};

// The product beside an update: sums[k * stride + r] is what tiles in row k, or in column k, of tiles give to row r of
// C x.
struct Beside {
  const double* x;
  double* sums;
  std::int64_t stride;
};

inline constexpr int depth = 8;  // columns of X and Y a stage

// What a warp makes of a tile: `rows` x `cols`, with the operands of one step while those of the next are on their way.
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
  // Pointers to this thread's first element: k = t, row 2g.
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
        tensor_step(sum[r][c], x[buffer][r].x, x[buffer][r].y,
                    c % 2 == 0 ? y[buffer][c / 2].x : y[buffer][c / 2].y);
  }
  // C += alpha sum; the warp's first element is (row, col). `whole`: all of the tile is to be written.
  __device__ void add_to(const Update& u, std::int32_t row, std::int32_t col, bool whole) const {
    row += threadIdx.x % 32 / 4 * 2;
    col += threadIdx.x % 4 * 4;
    if (whole)
      add_to_whole(u, row, col);
    else
      add_to_part(u, row, col);
  }
  // The same where all of the tile is written and C's part of it, from (row, col), is held at `c`.
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

  // The same for any tile, and the new C times x: sums over the warp's columns for its rows, over its rows for its columns.
  // Of a tile that is not whole, what is stored counts, from C itself. All pointers are to the warp's first element; x and
  // sums in shared memory.
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
        const bool in = whole || col + in_pair(k, e) >= u.first;  // what x is before that, nobody says
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
    // Each step halves the values of a lane: its bit of the step chooses the half that it keeps.
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
  static constexpr int batch = across < 4 ? across : 4;  // loads on their way, twice
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
  static __device__ std::int32_t in_pair(int c, int e) {
    return c / 2 * 16 + 2 * e + c % 2;
  }
  static __device__ double* place(const Update& u, std::int32_t row, std::int32_t col, int r, int c, int e) {
    return u.c + row + 16 * r + (col + in_pair(c, e)) * u.ldc;
  }
};

// Copies of `height` rows of `depth` columns to shared memory by `threads` threads; each keeps to one pair of rows.
template <int height, int threads>
class Copier {
 public:
  static constexpr int stride = height + 4;  // 4 (mod 16)
  static_assert(stride % 16 == 4 && threads % (height / 2) == 0);

  // Of the rows `row` ... only first ... end - 1 are read, and what shares 16 bytes with one of them; zeros for the rest.
  __device__ Copier(int thread, std::int32_t row, std::int32_t first, std::int32_t end) {
    const int pair = thread % (height / 2);
    column_ = thread / (height / 2);
    place_ = column_ * stride + 2 * pair;
    row_ = row + 2 * pair;
    bytes_ = row_ + 1 < first || row_ >= end ? 0 : row_ + 1 == end ? 8 : 16;
    if (bytes_ == 0) row_ = first / 2 * 2;
  }
  __device__ void operator()(double* stage, const double* from, std::int64_t ld, std::int32_t column,
                             std::int32_t columns) const {
#pragma unroll
    for (int step = 0; step < depth; step += threads / (height / 2)) {
      const std::int32_t own = column + column_ + step;
      if (column_ + step < depth)
        copy_16_async(stage + place_ + step * stride, from + row_ + (own < columns ? own : 0) * ld,
                      own < columns ? bytes_ : 0);
    }
  }

 private:
  int column_, place_, bytes_;
  std::int32_t row_;
};

// Chunk `chunk` of X or Y: of A's columns or of B's.
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

// Tiles row by row, 1 + ... + i of them before row i.
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
struct Place {
  std::int32_t row, col;
  bool whole;  // all of the tile is to be written

  __device__ Place(const Update& u, std::int32_t tile) {
    const std::int32_t i = row_of_tile(tile);
    row = i * side;
    col = (tile - tiles_before(i)) * side;
    whole = row >= col + side - 1 && col >= u.first && row + side <= u.end;
  }
};

}  // namespace eigen_g::rank_2k
