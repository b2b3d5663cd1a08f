// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "gemm_df/product_kernels.hpp"

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/tile_product.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

// Terms for which a tile's rows of A and its columns of B stay in a core's first cache.
constexpr std::int64_t terms = 256;
template <class R>
constexpr int most_rows = 128 / tile_rows<R>* tile_rows<R>;

// Rows of A times alpha as [tile][k][tile_rows]. Unused rows are zero.
template <class R>
EIGEN_G_INLINE void pack(const BlockProduct<R>& p, std::int64_t first, std::int64_t count, R* to) {
  constexpr int rows = tile_rows<R>;
  for (std::int64_t i = 0; i < p.rows; i += rows, to += count * rows) {
    const R* const from = p.a + i * p.a_row + first * p.a_inner;
    const std::int64_t here = p.rows - i < rows ? p.rows - i : rows;
    if (here < rows)
      for (std::int64_t k = 0; k < count * rows; ++k) to[k] = 0;
    if (here == rows && p.a_row == 1) {
      for (std::int64_t k = 0; k < count; ++k)
        for (int r = 0; r < rows; r += lanes<R>)
          store(to + k * rows + r, load(from + k * p.a_inner + r) * broadcast(p.alpha));
    } else if (here == rows) {
      for (std::int64_t k = 0; k < count; ++k)
#pragma GCC unroll 64
        for (int r = 0; r < rows; ++r) to[k * rows + r] = p.alpha * from[r * p.a_row + k * p.a_inner];
    } else {
      for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t r = 0; r < here; ++r)
          to[k * rows + r] = p.alpha * from[r * p.a_row + k * p.a_inner];
    }
  }
}

template <class R>
EIGEN_G_INLINE void multiply_tile(bool fresh, R* c, std::int64_t ldc, const R* a, const Operand<R>& b,
                                  std::int64_t count) {
  if (fresh)
    multiply_tile<R, Then::set>(c, ldc, 0, a, b, count);
  else
    multiply_tile<R, Then::add>(c, ldc, 0, a, b, count);
}

template <class R>
void multiply(const BlockProduct<R>& p) {
  constexpr int rows = tile_rows<R>, columns = tile_columns;
  alignas(64) R a[most_rows<R> * terms], b[terms * columns], edge[rows * columns];
  bool fresh = p.beta == 0;
  if (p.beta != 1 && (p.beta != 0 || p.inner == 0))
    for (std::int64_t j = 0; j < p.columns; ++j)
      for (std::int64_t i = 0; i < p.rows; ++i) {
        R& x = p.c[i + j * p.ldc];
        x = p.beta == 0 ? R(0) : p.beta * x;
      }
  for (std::int64_t k = 0; k < p.inner; k += terms, fresh = false) {
    const std::int64_t count = p.inner - k < terms ? p.inner - k : terms;
    pack(p, k, count, a);
    for (std::int64_t j = 0; j < p.columns; j += columns) {
      const std::int64_t wide = p.columns - j < columns ? p.columns - j : columns;
      const R* const from = p.b + k * p.b_inner + j * p.b_column;
      Operand<R> right{from, p.b_inner, p.b_column, 0};
      if (wide < columns || p.b_inner != 1) {
        for (std::int64_t l = 0; l < count; ++l)
          for (int c = 0; c < columns; ++c)
            b[l * columns + c] = c < wide ? from[l * p.b_inner + c * p.b_column] : R(0);
        right = {b, columns, 1, 0};
      }
      for (std::int64_t i = 0; i < p.rows; i += rows) {
        R* const c = p.c + i + j * p.ldc;
        const std::int64_t high = p.rows - i < rows ? p.rows - i : rows;
        if (high == rows && wide == columns) {
          multiply_tile(fresh, c, p.ldc, a + i * count, right, count);
          continue;
        }
        multiply_tile(true, edge, rows, a + i * count, right, count);
        for (std::int64_t col = 0; col < wide; ++col)
          for (std::int64_t row = 0; row < high; ++row) {
            R& x = c[row + col * p.ldc];
            x = fresh ? edge[row + col * rows] : x + edge[row + col * rows];
          }
      }
    }
  }
}

}  // namespace

template <class R>
ProductKernel<R> product_kernel() {
  return {most_rows<R>, tile_rows<R>, tile_columns, multiply<R>};
}

EIGEN_G_INSTANTIATE(real_types, product_kernel);

}  // namespace eigen_g::EIGEN_G_WIDTH
