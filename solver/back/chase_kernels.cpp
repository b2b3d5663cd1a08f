// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/back/chase_kernels.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/tile_product.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

static_assert(chase_columns_multiple % tile_columns == 0);

// Reflectors of a block. Narrow blocks have fewer zeros, wide ones read and write Z less often.
template <class T>
constexpr int block_width = (tile_rows<T> < 12 ? (12 + tile_rows<T> - 1) / tile_rows<T> : 1) * tile_rows<T>;
static_assert(block_width<float> <= max_chase_columns &&
              block_width<std::complex<double>> <= max_chase_columns);

// The strictly upper triangle of S = V^H V by columns, imaginary parts apart; then T by LAPACK's larft: column k is -tau_k T s_k.
template <class T>
EIGEN_G_INLINE void form_factor(const ChaseBlock<T>& block, const ChaseVector<T>* reflectors, real_t<T>* t) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>, w = block_width<T>, l = lanes<R>;
  constexpr std::int64_t plane = std::int64_t{w} * w;
  alignas(64) R s[plane * parts];
  for (int g = 0; g < w; g += rows)
    for (int c = 0; c < w; c += tile_columns)
      if (g < c + tile_columns)
        for (std::int64_t i = 0; i < block.rows; i += depth) {
          const Operand<T> other{
              block.along + (c / rows * std::int64_t{block.rows} + i) * parts * rows + c % rows, parts * rows,
              1, rows};
          multiply_part<T, true>(s + g + std::int64_t{c} * w, w, plane,
                                 block.along + (g / rows * std::int64_t{block.rows} + i) * parts * rows,
                                 other, i, block.rows);
        }
  for (std::int64_t k = 0; k < plane * parts; k += l) store(t + k, Vector<R>{});
  for (int j = 0; j < w; ++j) {
    const R* const tau = reflectors[j].tau;
    Vector<R> sum[parts][w / l] = {};
    for (int k = 0; k < j; ++k) {
      const R* const column = t + k * w;
      const Vector<R> re = broadcast(s[k + j * w]);
#pragma GCC unroll 8
      for (int i = 0; i < w / l; ++i) {
        sum[0][i] += load(column + i * l) * re;
        if constexpr (is_complex<T>) {
          const Vector<R> im = broadcast(s[k + j * w + plane]);
          sum[0][i] -= load(column + plane + i * l) * im;
          sum[1][i] += load(column + i * l) * im;
          sum[1][i] += load(column + plane + i * l) * re;
        }
      }
    }
    R* const to = t + j * w;
    for (int i = 0; i < w / l; ++i) {
      if constexpr (is_complex<T>) {
        store(to + i * l, tau[1] * sum[1][i] - tau[0] * sum[0][i]);
        store(to + plane + i * l, Vector<R>{} - tau[0] * sum[1][i] - tau[1] * sum[0][i]);
      } else {
        store(to + i * l, Vector<R>{} - tau[0] * sum[0][i]);
      }
    }
    for (int p = 0; p < parts; ++p) to[p * plane + j] = tau[p];
  }
}

template <class T>
void pack(const ChaseBlock<T>& block, const ChaseVector<T>* reflectors) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>, w = block_width<T>;
  alignas(64) R v[max_chase_rows * w * parts], t[w * w * parts];  // V as `across`
  for (std::int64_t k = 0; k < std::int64_t{block.rows} * w * parts; k += lanes<R>) store(v + k, Vector<R>{});
  for (int k = 0; k < w; ++k) {
    const R* const from = reinterpret_cast<const R*>(reflectors[k].v);
    for (std::int64_t i = 0; i < reflectors[k].rows;) {  // the entries in one tile of rows at a time
      const std::int64_t row = k + i, left = reflectors[k].rows - i, in_tile = rows - row % rows,
                         count = left < in_tile ? left : in_tile;
      R* const to = v + (row / rows * w + k) * parts * rows + row % rows;
      for (int p = 0; p < parts; ++p)
        for (std::int64_t r = 0; r < count; ++r) to[p * rows + r] = from[(i + r) * parts + p];
      i += count;
    }
  }
  for (std::int64_t i = 0; i < block.rows; i += rows)
    for (int k = 0; k < w; ++k) {
      const R* const from = v + (i * w + std::int64_t{k} * rows) * parts;
      R* const to = block.along + (k / rows * std::int64_t{block.rows} + i) * parts * rows + k % rows;
#pragma GCC unroll 32
      for (int r = 0; r < rows; ++r) {
        to[r * parts * rows] = from[r];
        if constexpr (is_complex<T>) to[(r * parts + 1) * rows] = -from[rows + r];
      }
    }
  form_factor<T>(block, reflectors, t);
  for (std::int64_t i = 0; i < block.rows; i += rows)
    for (int c = 0; c < w; c += tile_columns) {
      const int end = c + tile_columns < w ? c + tile_columns : w;
      multiply_tile<T, Then::set>(block.across + (i * w + c * rows) * parts, parts * rows, rows,
                                  v + i * w * parts, {t + c * w, 1, w, std::int64_t{w} * w}, end);
    }
}

// The two vectors of a tile are taken apart, so that zeros of V and W are left out. With three vectors the parts are too small.
template <class T>
constexpr bool in_halves = vectors<T> == 2;

// X := V^H Z for the reflectors of a tile and a tile of columns. `along`, z: from the first row of the first one of these reflectors on.
template <class T, int cols>
EIGEN_G_INLINE void multiply_along(std::int64_t b, std::int64_t rows_left, const real_t<T>* along,
                                   const real_t<T>* z, std::int64_t ld, std::int64_t plane, real_t<T>* x,
                                   std::int64_t ldx) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, stride = planes<T> * rows, l = lanes<R>;
  constexpr std::int64_t w = block_width<T>;
  if constexpr (in_halves<T>) {
    // The reflectors of the first vector end before row b + l, the reflectors of the second one begin at row l.
    const std::int64_t end = b + l;
    multiply_tile<T, Then::set, false, cols, 1>(x, ldx, w, along, {z, 1, ld, plane}, l);
    multiply_tile<T, Then::set, false, cols, 1>(x + l, ldx, w, along + end * stride + l,
                                                {z + end, 1, ld, plane}, l - 1);
    for (std::int64_t i = l; i < end; i += depth)
      multiply_tile<T, Then::add, false, cols>(x, ldx, w, along + i * stride, {z + i, 1, ld, plane},
                                               end - i < depth ? end - i : depth);
  } else {
    const std::int64_t here = b + rows - 1 < rows_left ? b + rows - 1 : rows_left;
    for (std::int64_t i = 0; i < here; i += depth)
      multiply_part<T, false, cols>(x, ldx, w, along + i * stride, {z + i, 1, ld, plane}, i, here);
  }
}

template <class T>
void apply(const ChaseBlock<T>& block, real_t<T>* z, std::int64_t ld, std::int64_t plane, int columns) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>, w = block_width<T>, l = lanes<R>;
  constexpr std::int64_t ldx = w * parts;
  constexpr int line = 64 / static_cast<int>(sizeof(R));
  alignas(64) R x[ldx * wide_columns<T>];
  const std::int64_t lines = 2 * block.rows * ldx / line;
  const R* const next = block.along + lines * line;
  for_tiles<T>(columns, [&](int j, auto width) {
    R* const zj = z + j * ld;
    for (std::int64_t k = lines * j / columns; k < lines * (j + width()) / columns; ++k)
      __builtin_prefetch(next + k * line, 0,
                         2);  // the next block, of which each tile of columns calls a share
    for (int g = 0; g < w; g += rows)
      multiply_along<T, width()>(block.b, block.rows - g,
                                 block.along + (g / rows * std::int64_t{block.rows} + g) * parts * rows,
                                 zj + g, ld, plane, x + g, ldx);
    for (std::int64_t i = 0; i < block.rows; i += rows) {  // Z := Z - W X
      // Row i of W begins with column i - (b - 1).
      const std::int64_t begin = i - (block.b - 1), first = begin > 0 ? begin : 0;
      if (first >= w) break;
      const R* const across = block.across + i * w * parts;
      std::int64_t both = first;
      if constexpr (in_halves<T>)
        if (begin + l >= first + l / 2) {
          both = begin + l < w ? begin + l : w;
          multiply_tile<T, Then::subtract, false, width(), 1>(
              zj + i, ld, plane, across + first * rows * parts, {x + first, 1, ldx, w}, both - first);
        }
      if (both < w)
        multiply_tile<T, Then::subtract, false, width()>(zj + i, ld, plane, across + both * rows * parts,
                                                         {x + both, 1, ldx, w}, w - both);
    }
  });
}

}  // namespace

template <class T>
ChaseBackKernels<T> chase_back_kernels() {
  return {block_width<T>, tile_rows<T>, pack<T>, apply<T>};
}

EIGEN_G_INSTANTIATE(all_types, chase_back_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
