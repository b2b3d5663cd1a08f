// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/back/block_kernels.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/tile_product.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

static_assert(columns_multiple % tile_columns == 0);

// Rows of a chunk of Z: `depth` rows, rounded down to whole tiles.
template <class T>
inline constexpr int chunk_rows = static_cast<int>(depth) / tile_rows<T>* tile_rows<T>;
static_assert(chunk_rows<double> % rows_multiple<double> == 0 &&
              chunk_rows<float> % rows_multiple<float> == 0 &&
              chunk_rows<std::complex<double>> % rows_multiple<std::complex<double>> == 0 &&
              chunk_rows<std::complex<float>> % rows_multiple<std::complex<float>> == 0);
// The reflectors of which a chunk of V^H fills most of the L1 cache.
template <class T>
inline constexpr int reflectors_in_cache =
    (24 << 10) /
    (chunk_rows<T> * planes<T> * static_cast<int>(sizeof(real_t<T>))) / tile_rows<T>* tile_rows<T>;
static_assert(reflectors_in_cache<double> > 0 && reflectors_in_cache<float> > 0 &&
              reflectors_in_cache<std::complex<double>> > 0 && reflectors_in_cache<std::complex<float>> > 0);

EIGEN_G_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
EIGEN_G_INLINE std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a < b ? b : a;
}

// Calls for `count` values from p on, whole cache lines.
template <class R>
EIGEN_G_INLINE void call_for_values(const R* p, std::int64_t count) {
  constexpr int line = 64 / static_cast<int>(sizeof(R));
  for (std::int64_t k = 0; k < count; k += line) prefetch(p + k);
}

template <class T>
void prepare(const PackedReflectors<T>& q, std::int64_t block, real_t<T>* scratch) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>;
  const int w = q.width;
  const std::int64_t first = block * w, padded = q.padded_rows(block), at = q.offset(block);
  R *const across = q.across + at, *const along = q.along + at;
  const R* const a = reinterpret_cast<const R*>(q.a);
  const R* const tau = reinterpret_cast<const R*>(q.tau);
  const std::int64_t step = q.row_step * parts, plane = std::int64_t{w} * w;
  const int used = static_cast<int>(smaller(w, padded));
  const R sign = q.conjugate ? -1 : 1;
  R* const s = scratch;
  for (std::int64_t begin = 0; begin < padded; begin += chunk_rows<T>) {
    const std::int64_t end = smaller(begin + chunk_rows<T>, padded);
    // across: [tile_rows rows][reflector][plane][row]; along: [tile_rows reflectors][row][plane][reflector], conjugated. Nothing reads the
    // tiles above the reflectors' first entries.
    for (std::int64_t i = begin; i < end; i += rows)
      for (int k = 0; k < smaller(used, i + rows); ++k) {
        const std::int64_t j = first + k, here = j < q.order ? q.order - first : 0;
        const R* const column = a + parts * (first * q.row_step + j * q.column_step);
        R* const al = along + (std::int64_t{k / rows} * padded + i) * parts * rows + k % rows;
        R* const ac = across + (i * w + std::int64_t{k} * rows) * parts;
        if (q.row_step == 1)
          call_for_values(column + (i + chunk_rows<T>)*step, rows * parts);
        else if (q.row_step == -1)
          call_for_values(column + (i + chunk_rows<T> + rows - 1) * step, rows * parts);
        for (int p = 0; p < parts; ++p) {
          if (i > k && i + rows <= here)
            for (int r = 0; r < rows; ++r) ac[p * rows + r] = column[(i + r) * step + p];
          else
            for (int r = 0; r < rows; ++r)
              ac[p * rows + r] = i + r > k && i + r < here ? column[(i + r) * step + p]
                                                           : R(p == 0 && i + r == k && here > 0);
          if (p == 1)
            for (int r = 0; r < rows; ++r) ac[rows + r] *= sign;
          for (int r = 0; r < rows; ++r)
            al[(r * parts + p) * rows] = p == 0 ? ac[p * rows + r] : -ac[p * rows + r];
        }
      }
    // S = V^H V, upper triangle, by columns; imaginary parts apart.
    for (int g = 0; g < used; g += rows)
      for (int c = g; c < used; c += tile_columns) {
        const std::int64_t start = c / rows * rows, i = larger(start, begin);
        if (i >= end) break;
        const Operand<T> other{along + (c / rows * padded + i) * parts * rows + c % rows, parts * rows, 1,
                               rows};
        multiply_part<T, true>(s + g + std::int64_t{c} * w, w, plane,
                               along + (g / rows * padded + i) * parts * rows, other, i - start, end - start);
      }
  }
  // T column by column (LAPACK's dlarft, forward), packed as [tile_rows rows][column][plane][row]: column j is -tau_j T s_j.
  R* const t = q.factors + block * plane * parts;
  const Vector<R> zero{};
  for (std::int64_t k = 0; k < plane * parts; k += lanes<R>) store(t + k, zero);
  for (int j = 0; j < w && first + j < q.order; ++j) {
    const R* const x = tau + parts * (first + j) * q.tau_step;
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

// The packed block of one step, in the rows of Z that change: first ... last - 1.
template <class T>
struct Block {
  std::int64_t first, last, rows;
  int reflectors;  // without the empty columns of V
  const real_t<T>*across, *along, *factor;
  EIGEN_G_INLINE Block(const PackedReflectors<T>& q, std::int64_t step) {
    const std::int64_t b = q.adjoint ? step : q.blocks - 1 - step, at = q.offset(b);
    first = b * q.width;
    rows = q.padded_rows(b);
    last = first + rows;
    reflectors = static_cast<int>(smaller(q.width, rows));
    across = q.across + at;
    along = q.along + at;
    factor = q.factors + b * q.width * q.width * planes<T>;
  }
};

// A buffer with some columns of Z, in chunks: [chunk][column][plane][row]. x, y: V^H Z of one block, and T V^H Z of the one before, by columns.
template <class T>
struct ChunkedColumns {
  using R = real_t<T>;
  static constexpr int rows = tile_rows<T>, parts = planes<T>, high = chunk_rows<T>, ld = high * parts;
  const PackedReflectors<T>& q;
  int used;  // columns, a multiple of tile_columns
  bool far;  // the buffer does not stay in the L2 cache
  std::int64_t chunks, ldx;
  R *z, *x, *y;

  EIGEN_G_INLINE ChunkedColumns(const PackedReflectors<T>& q_, int columns, R* buffer)
      : q(q_), used((columns + tile_columns - 1) / tile_columns * tile_columns) {
    chunks = (q.order + high - 1) / high;
    ldx = q.width * parts;
    z = buffer;
    x = z + chunks * used * ld;
    y = x + ldx * used;
    far = chunks * used * ld * static_cast<std::int64_t>(sizeof(R)) > (3 << 19);
  }
  EIGEN_G_INLINE R* at(std::int64_t chunk, std::int64_t column) const {
    return z + (chunk * used + column) * ld;
  }

  // Z := Z - V Y in one chunk.
  EIGEN_G_INLINE void subtract(const Block<T>& b, std::int64_t chunk) const {
    const std::int64_t w = q.width, next = w * rows * parts, end = smaller((chunk + 1) * high, b.last);
    const CallInAdvance<R> call(next, used);
    for (std::int64_t r = larger(chunk * high, b.first); r < end; r += rows) {
      const R* const v = b.across + (r - b.first) * w * parts;
      const std::int64_t steps = smaller(b.reflectors, r - b.first + rows), row = r - chunk * high;
      for_tiles<T>(used, [&](int j, auto width) {
        call(v + next, j, width());
        if (far) call_for_values(at(chunk + 1, j) + row * width() * parts, width() * rows * parts);
        multiply_tile<T, Then::subtract, false, width()>(at(chunk, j) + row, ld, high, v,
                                                         {y + j * ldx, 1, ldx, w}, steps);
      });
    }
  }
  // X := V^H Z, the part of one chunk.
  EIGEN_G_INLINE void project(const Block<T>& b, std::int64_t chunk) const {
    const std::int64_t begin = larger(chunk * high, b.first) - b.first,
                       end = smaller((chunk + 1) * high, b.last) - b.first, offset = b.first - chunk * high;
    const CallInAdvance<R> call(high * rows * parts, used);
    for (int group = 0; group < smaller(b.reflectors, end); group += reflectors_in_cache<T>)
      for_tiles<T>(used, [&](int j, auto width) {
        const auto last = smaller(smaller(b.reflectors, end), group + reflectors_in_cache<T>);
        for (std::int64_t g = group; g < last; g += rows) {
          const std::int64_t i = larger(begin, g);
          const R* const v = b.along + (g / rows * b.rows + i) * parts * rows;
          call(v + (end - i) * rows * parts, j, width());
          multiply_part<T, false, width()>(x + g + j * ldx, ldx, q.width, v,
                                           {at(chunk, j) + i + offset, 1, ld, high}, i - g, end - g);
        }
      });
  }
  // Y := T X; T is upper triangular, T^H lower.
  EIGEN_G_INLINE void multiply_by_factor(const Block<T>& b) const {
    const std::int64_t w = q.width;
    for_tiles<T>(used, [&](int j, auto width) {
      for (std::int64_t g = 0; g < b.reflectors; g += rows) {
        const std::int64_t first = q.adjoint ? 0 : g, end = q.adjoint ? g + rows : b.reflectors;
        multiply_tile<T, Then::set, false, width()>(y + g + j * ldx, ldx, w,
                                                    b.factor + (g / rows * w + first) * parts * rows,
                                                    {x + first + j * ldx, 1, ldx, w}, end - first);
      }
    });
  }
};

template <class T, bool by_rows>
void apply(const PackedReflectors<T>& q, T* z, std::int64_t ldz, int columns, real_t<T>* buffer) {
  using R = real_t<T>;
  constexpr int parts = planes<T>, high = chunk_rows<T>;
  const ChunkedColumns<T> own(q, columns, buffer);
  const Columns<T, by_rows> of_z{reinterpret_cast<R*>(z), ldz};
  const std::int64_t row_of_z = q.reversed ? q.order - 1 : q.n - q.order, step = q.reversed ? -1 : 1;
  for (int j = 0; j < own.used; ++j)
    for (std::int64_t chunk = 0; chunk < own.chunks; ++chunk) {
      const std::int64_t first = chunk * high, here = j < columns ? smaller(q.order - first, high) : 0;
      for (int p = 0; p < parts; ++p) {
        const R sign = by_rows && p == 1 ? -1 : 1;
        R* const to = own.at(chunk, j) + p * high;
        for (std::int64_t i = 0; i < here; ++i) to[i] = sign * of_z.at(row_of_z + step * (first + i), j)[p];
        for (std::int64_t i = here; i < high; ++i) to[i] = 0;
      }
    }
  // A chunk is changed by one block and then multiplied by the V^H of the next one, while it is in the cache.
  for (std::int64_t k = 0; k <= q.blocks; ++k) {
    const Block<T> next(q, k < q.blocks ? k : k - 1), last(q, k > 0 ? k - 1 : k);
    for (std::int64_t chunk = smaller(next.first, last.first) / high; chunk < own.chunks; ++chunk) {
      if (k > 0) own.subtract(last, chunk);
      if (k < q.blocks) own.project(next, chunk);
    }
    if (k < q.blocks) own.multiply_by_factor(next);
  }
  for (int j = 0; j < columns; ++j)
    for (std::int64_t chunk = 0; chunk < own.chunks; ++chunk) {
      const std::int64_t first = chunk * high, here = smaller(q.order - first, high);
      for (int p = 0; p < parts; ++p) {
        const R sign = by_rows && p == 1 ? -1 : 1;
        const R* const from = own.at(chunk, j) + p * high;
        for (std::int64_t i = 0; i < here; ++i) of_z.at(row_of_z + step * (first + i), j)[p] = sign * from[i];
      }
    }
}

}  // namespace

template <class T>
BlockKernels<T> block_kernels() {
  return {rows_multiple<T>, chunk_rows<T>, prepare<T>, apply<T, false>, apply<T, true>};
}

EIGEN_G_INSTANTIATE(all_types, block_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
