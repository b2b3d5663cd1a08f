// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/back/block_kernels.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/tile_product.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

static_assert(columns_multiple % tile_columns == 0);

template <class T>
void prepare(const PackedReflectors<T>& q, std::int64_t block, real_t<T>* scratch) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>;
  const int w = q.width;
  const std::int64_t first = block * w, padded = q.padded_rows(block), at = q.offset(block);
  R *const across = q.across + at, *const along = q.along + at;
  const R* const a = reinterpret_cast<const R*>(q.a);
  const R* const tau = reinterpret_cast<const R*>(q.tau);
  // across: [tile_rows rows][reflector][plane][row]; along: [tile_rows reflectors][row][plane][reflector], conjugated.
  const std::int64_t step = q.lower ? parts : -parts;
  for (std::int64_t i = 0; i < padded; i += rows)
    for (int k = 0; k < w; ++k) {
      const std::int64_t j = first + k, here = j < q.n - 1 ? q.n - 1 - first : 0;
      const R* const column =
          a + parts * (q.lower ? first + 1 + j * q.lda : q.n - 2 - first + (q.n - 1 - j) * q.lda);
      R* const al = along + (std::int64_t{k / rows} * padded + i) * parts * rows + k % rows;
      R* const ac = across + (i * w + std::int64_t{k} * rows) * parts;
      for (int p = 0; p < parts; ++p) {
        if (i > k && i + rows <= here)
          for (int r = 0; r < rows; ++r) ac[p * rows + r] = column[(i + r) * step + p];
        else
          for (int r = 0; r < rows; ++r)
            ac[p * rows + r] =
                i + r > k && i + r < here ? column[(i + r) * step + p] : R(p == 0 && i + r == k && here > 0);
        for (int r = 0; r < rows; ++r)
          al[(r * parts + p) * rows] = p == 0 ? ac[p * rows + r] : -ac[p * rows + r];
      }
    }
  // S = V^H V, upper triangle, by columns; imaginary parts apart.
  const std::int64_t plane = std::int64_t{w} * w;
  R* const s = scratch;
  for (int g = 0; g < w; g += rows)
    for (int c = 0; c < w; c += tile_columns)
      if (g < c + tile_columns)
        for (std::int64_t i = 0; i < padded; i += depth) {
          const Operand<T> other{along + (c / rows * padded + i) * parts * rows + c % rows, parts * rows, 1,
                                 rows};
          multiply_part<T, true>(s + g + std::int64_t{c} * w, w, plane,
                                 along + (g / rows * padded + i) * parts * rows, other, i, padded);
        }
  // T column by column (LAPACK's dlarft, forward), packed as [tile_rows rows][column][plane][row]: column j is -tau_j T s_j.
  R* const t = q.factors + block * plane * parts;
  const Vector<R> zero{};
  for (std::int64_t k = 0; k < plane * parts; k += lanes<R>) store(t + k, zero);
  for (int j = 0; j < w && first + j < q.n - 1; ++j) {
    const R* const x = tau + parts * (q.lower ? first + j : q.n - 2 - first - j);
    for (int g = 0; g <= j; g += rows) {
      Vector<R> sum[parts][vectors<T>] = {};
      const R* column = t + (std::int64_t{g} * w + std::int64_t{g} * rows) * parts;
      for (int k = g; k < j; ++k, column += rows * parts) {
        const Vector<R> re = broadcast(s[k + std::int64_t{j} * w]);
#pragma GCC unroll 2
        for (int i = 0; i < vectors<T>; ++i) {
          sum[0][i] += load(column + i * lanes<R>) * re;
          if constexpr (is_complex<T>) {
            const Vector<R> im = broadcast(s[k + std::int64_t{j} * w + plane]);
            sum[0][i] -= load(column + rows + i * lanes<R>) * im;
            sum[1][i] += load(column + i * lanes<R>) * im;
            sum[1][i] += load(column + rows + i * lanes<R>) * re;
          }
        }
      }
      R* const to = t + (std::int64_t{g} * w + std::int64_t{j} * rows) * parts;
      for (int i = 0; i < vectors<T>; ++i) {
        if constexpr (is_complex<T>) {
          store(to + i * lanes<R>, x[1] * sum[1][i] - x[0] * sum[0][i]);
          store(to + rows + i * lanes<R>, zero - x[0] * sum[1][i] - x[1] * sum[0][i]);
        } else {
          store(to + i * lanes<R>, zero - x[0] * sum[0][i]);
        }
      }
      if (j < g + rows)
        for (int p = 0; p < parts; ++p) to[p * rows + j - g] = x[p];
    }
  }
  if (!q.adjoint) return;
  for (std::int64_t k = 0; k < plane * parts; ++k) s[k] = t[k];
  for (int j = 0; j < w; ++j)
    for (int i = 0; i < w; ++i)
      for (int p = 0; p < parts; ++p) {
        const R x = s[(std::int64_t{i / rows * w + j} * parts + p) * rows + i % rows];
        t[(std::int64_t{j / rows * w + i} * parts + p) * rows + j % rows] = p == 0 ? x : -x;
      }
}

// The columns on which Q acts: columns of z, or by_rows the adjoints of its rows. The caller changes the sign of imaginary parts.
template <class T, bool by_rows>
struct Columns {
  real_t<T>* z;
  std::int64_t ldz;
  EIGEN_G_INLINE real_t<T>* at(std::int64_t i, std::int64_t j) const {
    return z + planes<T> * (by_rows ? j + i * ldz : i + j * ldz);
  }
};

// Calls for `count` values in advance, a share for each of `columns` columns.
template <class R>
class CallInAdvance {
 public:
  EIGEN_G_INLINE CallInAdvance(std::int64_t count, int columns) : share_((count / line << 16) / columns) {}
  // The share of columns j ... j + width - 1 of the values from p on.
  EIGEN_G_INLINE void operator()(const R* p, int j, int width) const {
    for (std::int64_t k = share_ * j >> 16; k < share_ * (j + width) >> 16; ++k) prefetch(p + k * line);
  }

 private:
  static constexpr int line = 64 / static_cast<int>(sizeof(R));
  std::int64_t share_;  // lines of a column, in 2^-16
};

template <class T, bool by_rows>
void apply(const PackedReflectors<T>& q, T* z, std::int64_t ldz, int columns, real_t<T>* buffer) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>, cols = tile_columns;
  const std::int64_t n = q.n, ld = buffer_stride<T>(n) * parts, plane = buffer_stride<T>(n);
  const std::int64_t w = q.width, ldx = w * parts;
  const int used = (columns + cols - 1) / cols * cols;
  R *const x = buffer + ld * used, *const y = x + ldx * used;
  const Columns<T, by_rows> of_z{reinterpret_cast<R*>(z), ldz};
  const std::int64_t next_along = depth * rows * parts, next_across = w * rows * parts;
  const CallInAdvance<R> call_along(next_along, used), call_across(next_across, used);
  for (int j = 0; j < used; ++j) {
    R* const to = buffer + j * ld;
    const std::int64_t here = j < columns ? n : 0;
    for (int p = 0; p < parts; ++p) {
      const R sign = by_rows && p == 1 ? -1 : 1;
      if (q.lower)
        for (std::int64_t i = 0; i < here; ++i) to[p * plane + i] = sign * of_z.at(i, j)[p];
      else
        for (std::int64_t i = 0; i < here; ++i) to[p * plane + i] = sign * of_z.at(n - 1 - i, j)[p];
      for (std::int64_t i = here; i < plane; ++i) to[p * plane + i] = 0;
    }
  }
  std::int64_t at = q.adjoint ? 0 : q.offset(q.blocks);
  for (std::int64_t step = 0; step < q.blocks; ++step) {
    const std::int64_t b = q.adjoint ? step : q.blocks - 1 - step, padded = q.padded_rows(b),
                       size = padded * w * parts;
    if (!q.adjoint) at -= size;
    R* const zb = buffer + b * w + 1;
    const R *const along = q.along + at, *const across = q.across + at,
                   *const t = q.factors + b * w * w * parts;
    for (std::int64_t i = 0; i < padded; i += depth)  // X = V^H Z
      for_tiles<T>(used, [&](int j, auto width) {
        for (std::int64_t g = 0; g < w; g += rows) {
          const R* const v = along + (g / rows * padded + i) * parts * rows;
          call_along(v + next_along, j, width());
          multiply_part<T, false, width()>(x + g + j * ldx, ldx, w, v, {zb + i + j * ld, 1, ld, plane}, i,
                                           padded);
        }
      });
    for_tiles<T>(used, [&](int j, auto width) {  // Y = T X; T is upper triangular, T^H lower
      for (std::int64_t g = 0; g < w; g += rows) {
        const std::int64_t first = q.adjoint ? 0 : g, end = q.adjoint ? g + rows : w;
        multiply_tile<T, Then::set, false, width()>(y + g + j * ldx, ldx, w,
                                                    t + (g / rows * w + first) * parts * rows,
                                                    {x + first + j * ldx, 1, ldx, w}, end - first);
      }
    });
    for (std::int64_t i = 0; i < padded; i += rows)  // Z := Z - V Y
      for_tiles<T>(used, [&](int j, auto width) {
        const R* const v = across + i * w * parts;
        call_across(v + next_across, j, width());
        multiply_tile<T, Then::subtract, false, width()>(zb + i + j * ld, ld, plane, v,
                                                         {y + j * ldx, 1, ldx, w}, w);
      });
    if (q.adjoint) at += size;
  }
  for (int j = 0; j < columns; ++j) {
    const R* const from = buffer + j * ld;
    for (int p = 0; p < parts; ++p) {
      const R sign = by_rows && p == 1 ? -1 : 1;
      if (q.lower)
        for (std::int64_t i = 0; i < n; ++i) of_z.at(i, j)[p] = sign * from[p * plane + i];
      else
        for (std::int64_t i = 0; i < n; ++i) of_z.at(n - 1 - i, j)[p] = sign * from[p * plane + i];
    }
  }
}

}  // namespace

template <class T>
BlockKernels<T> block_kernels() {
  return {rows_multiple<T>, prepare<T>, apply<T, false>, apply<T, true>};
}

EIGEN_G_INSTANTIATE(all_types, block_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
