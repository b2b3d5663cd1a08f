// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/sparse/front_kernels.hpp"

#include "hybrid/vector/lanes.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

// Four values of a row. The compiler divides it into two registers where the processor's are shorter.
typedef double Row __attribute__((vector_size(32)));

EIGEN_G_INLINE Row row_at(const double* p) {
  Row x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
EIGEN_G_INLINE void store_row(double* p, Row x) {
  __builtin_memcpy(p, &x, sizeof x);
}
EIGEN_G_INLINE Row all(double x) {
  return Row{x, x, x, x};
}

// Y := Y - L W for `tiles` tiles of four rows, which begin at l and follow each other.
template <int tiles, int blocks>
EIGEN_G_INLINE void subtract_tiles(std::int64_t columns, const double* l, const double* w, double* y) {
  constexpr int width = 4 * blocks;
  Row sum[tiles][4][blocks] = {};
  for (std::int64_t j = 0; j < columns; ++j)
#pragma GCC unroll 2
    for (int b = 0; b < blocks; ++b) {
      const Row x = row_at(w + j * width + 4 * b);
#pragma GCC unroll 4
      for (int t = 0; t < tiles; ++t)
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) sum[t][r][b] += all(l[4 * (t * columns + j) + r]) * x;
    }
#pragma GCC unroll 4
  for (int t = 0; t < tiles; ++t)
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) {
        double* const at = y + (4 * t + r) * width + 4 * b;
        store_row(at, row_at(at) - sum[t][r][b]);
      }
}

template <int blocks>
EIGEN_G_INLINE void forward(std::int64_t columns, std::int64_t rows, const double* l, double* w) {
  constexpr int width = 4 * blocks, together = 4 / blocks;
  std::int64_t first = 0;
  for (; first < columns; first += 4, l += 16) {
    double* const y = w + first * width;
    subtract_tiles<1, blocks>(first, l, w, y);
    l += 4 * first;
    Row x[4][blocks];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) x[r][b] = row_at(y + r * width + 4 * b);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j)
#pragma GCC unroll 4
      for (int r = j + 1; r < 4; ++r)
#pragma GCC unroll 2
        for (int b = 0; b < blocks; ++b) x[r][b] -= all(l[4 * j + r]) * x[j][b];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) store_row(y + r * width + 4 * b, x[r][b]);
  }
  for (; first + 4 * together <= rows; first += 4 * together, l += 4 * together * columns)
    subtract_tiles<together, blocks>(columns, l, w, w + first * width);
  for (; first < rows; first += 4, l += 4 * columns)
    subtract_tiles<1, blocks>(columns, l, w, w + first * width);
}

// W := W - L^T Y for `tiles` tiles of four rows.
template <int tiles, int blocks>
EIGEN_G_INLINE void subtract_transposed(std::int64_t columns, const double* l, const double* y, double* w) {
  constexpr int width = 4 * blocks;
  Row x[tiles][4][blocks];
#pragma GCC unroll 4
  for (int t = 0; t < tiles; ++t)
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) x[t][r][b] = row_at(y + (4 * t + r) * width + 4 * b);
  for (std::int64_t j = 0; j < columns; ++j)
#pragma GCC unroll 2
    for (int b = 0; b < blocks; ++b) {
      Row sum[tiles] = {};
#pragma GCC unroll 4
      for (int t = 0; t < tiles; ++t)
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) sum[t] += all(l[4 * (t * columns + j) + r]) * x[t][r][b];
      Row value = row_at(w + j * width + 4 * b);
#pragma GCC unroll 4
      for (int t = 0; t < tiles; ++t) value -= sum[t];
      store_row(w + j * width + 4 * b, value);
    }
}

template <int blocks>
EIGEN_G_INLINE void backward(std::int64_t columns, std::int64_t rows, const double* l, double* w) {
  constexpr int width = 4 * blocks, together = 4 / blocks;
  // First the rows below the columns of the front, in the order of memory.
  std::int64_t first = (columns + 3) / 4 * 4;
  const double* of_columns = l + first * (first - 4) / 2 + 4 * first;
  l = of_columns;
  for (; first + 4 * together <= rows; first += 4 * together, l += 4 * together * columns)
    subtract_transposed<together, blocks>(columns, l, w + first * width, w);
  for (; first < rows; first += 4, l += 4 * columns)
    subtract_transposed<1, blocks>(columns, l, w + first * width, w);
  l = of_columns;
  for (first = (columns - 1) / 4 * 4; first >= 0; first -= 4) {
    double* const y = w + first * width;
    Row x[4][blocks];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) x[r][b] = row_at(y + r * width + 4 * b);
    l -= 16;
#pragma GCC unroll 4
    for (int j = 3; j >= 0; --j)
#pragma GCC unroll 4
      for (int r = j + 1; r < 4; ++r)
#pragma GCC unroll 2
        for (int b = 0; b < blocks; ++b) x[j][b] -= all(l[4 * j + r]) * x[r][b];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
      for (int b = 0; b < blocks; ++b) store_row(y + r * width + 4 * b, x[r][b]);
    l -= 4 * first;
    subtract_transposed<1, blocks>(first, l, y, w);
  }
}

}  // namespace

void subtract_columns(std::int64_t rows, std::int64_t count, const double* l, std::int64_t ld,
                      const double* w, std::int64_t ldw, double* y) {
  std::int64_t p = 0;
  for (; p + 4 <= count; p += 4) {
    const double *const l0 = l + p * ld, *const l1 = l0 + ld, *const l2 = l1 + ld, *const l3 = l2 + ld;
    const double w0 = w[p * ldw], w1 = w[(p + 1) * ldw], w2 = w[(p + 2) * ldw], w3 = w[(p + 3) * ldw];
    std::int64_t i = 0;
    for (; i + lanes<double> <= rows; i += lanes<double>) {
      Vector<double> sum = load(l0 + i) * broadcast(w0);
      sum += load(l1 + i) * broadcast(w1);
      sum += load(l2 + i) * broadcast(w2);
      sum += load(l3 + i) * broadcast(w3);
      store(y + i, load(y + i) - sum);
    }
    for (; i < rows; ++i) {
      double sum = l0[i] * w0;
      sum += l1[i] * w1;
      sum += l2[i] * w2;
      sum += l3[i] * w3;
      y[i] -= sum;
    }
  }
  for (; p < count; ++p) {
    const double* const l0 = l + p * ld;
    const double w0 = w[p * ldw];
    std::int64_t i = 0;
    for (; i + lanes<double> <= rows; i += lanes<double>)
      store(y + i, load(y + i) - load(l0 + i) * broadcast(w0));
    for (; i < rows; ++i) y[i] -= l0[i] * w0;
  }
}

void forward_tiles(std::int64_t columns, std::int64_t rows, std::int64_t blocks, const double* l, double* w) {
  blocks == 1 ? forward<1>(columns, rows, l, w) : forward<2>(columns, rows, l, w);
}
void backward_tiles(std::int64_t columns, std::int64_t rows, std::int64_t blocks, const double* l,
                    double* w) {
  blocks == 1 ? backward<1>(columns, rows, l, w) : backward<2>(columns, rows, l, w);
}

}  // namespace eigen_g::EIGEN_G_WIDTH
