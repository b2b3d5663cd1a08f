// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/reduction/two_stage/band_tile_kernels.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/tile_product.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

// A tile of this order is at most 32 KiB in double, so that it stays in a core's caches.
constexpr int order = vector_bytes == 64 ? 64 : 48;
static_assert(band_step % tile_columns == 0);
static_assert(order % tile_rows<double> == 0 && order % tile_rows<std::complex<double>> == 0 &&
              order % tile_rows<float> == 0 && order % tile_rows<std::complex<float>> == 0);

EIGEN_G_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
EIGEN_G_INLINE std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}

// Values of a column of a strip, and of a row of `along`.
template <class T>
constexpr int strip_column = tile_rows<T>* planes<T>;

template <class T>
void pack(const BandPanel<T>& p, std::int64_t i, std::int64_t j, const T* a, std::int64_t lda) {
  using R = real_t<T>;
  const R* const values = reinterpret_cast<const R*>(a);
  R* const to = p.tile(i, j);
  const std::int64_t height = smaller(order, p.n - i * order);
  for (int plane = 0; plane < planes<T>; ++plane)
    for (int c = 0; c < order; ++c) {
      R* const column = to + (plane * order + c) * order;
      const std::int64_t of_a = j * order + c, used = of_a < p.n ? height : 0;
      const R* const from = values + planes<T> * (i * order + of_a * lda) + plane;
      const std::int64_t above = i == j ? smaller(c, used) : 0;
      for (std::int64_t r = 0; r < above; ++r) {
        const R x = values[planes<T> * (of_a + (i * order + r) * lda) + plane];
        column[r] = plane == 0 ? x : -x;
      }
      for (std::int64_t r = above; r < used; ++r) column[r] = from[planes<T> * r];
      for (std::int64_t r = used; r < order; ++r) column[r] = 0;
      if (i == j && plane == 1) column[c] = 0;
    }
}

template <class T>
void take_panel(const BandPanel<T>& p, std::int64_t begin, std::int64_t end) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, l = lanes<R>;
  for (std::int64_t s = begin; s < end; ++s) {
    R* const to = p.left + s * p.strip_values();
    const std::int64_t row = s * rows, above = smaller(rows, p.first - row);
    for (int c = 0; c < p.width; ++c)
      for (int plane = 0; plane < planes<T>; ++plane) {
        R* const x = to + (c * planes<T> + plane) * rows;
        const std::int64_t of_a = p.column + c;
        if (c < p.b) {
          const R* const from =
              p.tile(row / order, of_a / order) + (plane * order + of_a % order) * order + row % order;
          for (int r = 0; r < rows; r += l) store(x + r, load(from + r));
          for (std::int64_t r = 0; r < above; ++r) x[r] = 0;
        } else {
          for (int r = 0; r < rows; ++r) x[r] = 0;
        }
      }
  }
}

// Moves number `place` of a strip's column to `to`.
template <class T>
EIGEN_G_INLINE void move_row(real_t<T>* x, std::int64_t place, real_t<T>* to) {
  for (int plane = 0; plane < planes<T>; ++plane) {
    to[plane] = x[plane * tile_rows<T> + place];
    x[plane * tile_rows<T> + place] = 0;
  }
}

// Subtracts v f from `count` columns from k on, and adds their dot products with column c + 1.
template <class T, bool updates, int count>
void eliminate_columns(const BandPanel<T>& p, const BandColumn<T>& z, std::int64_t begin, std::int64_t end,
                       int k, real_t<T>* dots) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, l = lanes<R>, v = vectors<T>, parts = planes<T>;
  const std::int64_t stride = p.strip_values(), special = z.next >= 0 ? z.next / rows : -1;
  const bool with_itself = k == z.c + 1;
  Vector<R> total[parts][count] = {};
  R* at = p.left + begin * stride;
  for (std::int64_t s = begin; s < end; ++s, at += stride) {
    Vector<R> reflector[parts][v], y[parts][v];
#pragma GCC unroll 2
    for (int plane = 0; plane < parts; ++plane)
#pragma GCC unroll 4
      for (int u = 0; u < v; ++u) {
        if constexpr (updates) reflector[plane][u] = load(at + z.c * strip_column<T> + plane * rows + u * l);
        if (!with_itself) y[plane][u] = load(at + (z.c + 1) * strip_column<T> + plane * rows + u * l);
      }
#pragma GCC unroll 8
    for (int j = 0; j < count; ++j) {
      R* const x_at = at + (k + j) * strip_column<T>;
      Vector<R> x[parts][v];
#pragma GCC unroll 2
      for (int plane = 0; plane < parts; ++plane)
#pragma GCC unroll 4
        for (int u = 0; u < v; ++u) x[plane][u] = load(x_at + plane * rows + u * l);
      if constexpr (updates) {
        const Vector<R> re = broadcast(z.f[(k + j) * parts]);
#pragma GCC unroll 4
        for (int u = 0; u < v; ++u) {
          x[0][u] -= reflector[0][u] * re;
          if constexpr (is_complex<T>) {
            const Vector<R> im = broadcast(z.f[(k + j) * parts + 1]);
            x[1][u] -= reflector[1][u] * re;
            x[0][u] += reflector[1][u] * im;
            x[1][u] -= reflector[0][u] * im;
          }
        }
#pragma GCC unroll 2
        for (int plane = 0; plane < parts; ++plane)
#pragma GCC unroll 4
          for (int u = 0; u < v; ++u) store(x_at + plane * rows + u * l, x[plane][u]);
      }
      if (s == special) {
        move_row<T>(x_at, z.next % rows, z.row + (k + j) * parts);
#pragma GCC unroll 2
        for (int plane = 0; plane < parts; ++plane)
#pragma GCC unroll 4
          for (int u = 0; u < v; ++u) x[plane][u] = load(x_at + plane * rows + u * l);
      }
#pragma GCC unroll 4
      for (int u = 0; u < v; ++u) {
        const Vector<R> y_re = with_itself ? x[0][u] : y[0][u];
        total[0][j] += y_re * x[0][u];
        if constexpr (is_complex<T>) {
          const Vector<R> y_im = with_itself ? x[1][u] : y[1][u];
          total[1][j] += y_re * x[1][u];
          total[0][j] += y_im * x[1][u];
          total[1][j] -= y_im * x[0][u];
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int plane = 0; plane < parts; ++plane) {
    R sums_[count] = {};
    add_sums<R, count>(total[plane], sums_);
    for (int j = 0; j < count; ++j) dots[(k + j) * parts + plane] = sums_[j];
  }
}

template <class T, bool updates>
EIGEN_G_INLINE void eliminate_all(const BandPanel<T>& p, const BandColumn<T>& z, std::int64_t begin,
                                  std::int64_t end, real_t<T>* dots) {
  int k = z.c + 1;
  if (k >= z.end) return;
  eliminate_columns<T, updates, 1>(p, z, begin, end, k++, dots);
  for (; k + tile_columns <= z.end; k += tile_columns)
    eliminate_columns<T, updates, tile_columns>(p, z, begin, end, k, dots);
  if constexpr (tile_columns > 4)
    for (; k + 4 <= z.end; k += 4) eliminate_columns<T, updates, 4>(p, z, begin, end, k, dots);
  for (; k + 2 <= z.end; k += 2) eliminate_columns<T, updates, 2>(p, z, begin, end, k, dots);
  for (; k < z.end; ++k) eliminate_columns<T, updates, 1>(p, z, begin, end, k, dots);
}

template <class T>
void eliminate(const BandPanel<T>& p, const BandColumn<T>& z, std::int64_t begin, std::int64_t end,
               real_t<T>* dots) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, l = lanes<R>;
  if (z.starts) return eliminate_all<T, false>(p, z, begin, end, dots);
  const Vector<R> re = broadcast(z.s[0]), im = broadcast(z.s[1]);
  R* const first = p.left + z.c * strip_column<T>;
  for (std::int64_t s = begin; s < end; ++s) {
    R* const x_at = first + s * p.strip_values();
    for (int r = 0; r < rows; r += l) {
      const Vector<R> x = load(x_at + r);
      if constexpr (is_complex<T>) {
        const Vector<R> y = load(x_at + rows + r);
        store(x_at + r, x * re - y * im);
        store(x_at + rows + r, x * im + y * re);
      } else {
        store(x_at + r, x * re);
      }
    }
  }
  eliminate_all<T, true>(p, z, begin, end, dots);
  if (z.has_unit && z.pivot / rows >= begin && z.pivot / rows < end)
    first[z.pivot / rows * p.strip_values() + z.pivot % rows] = 1;
}

template <class T>
void project(const BandPanel<T>& p, int c, std::int64_t begin, std::int64_t end, real_t<T>* dots) {
  using R = real_t<T>;
  constexpr int l = lanes<R>, parts = planes<T>;
  // The accumulators fill half of the registers.
  constexpr int of_v = registers == 32 ? 4 : 2, of_x = is_complex<T> ? 2 : 4;
  static_assert(band_step % of_v == 0 && tile_columns % of_x == 0);
  const std::int64_t stride = p.strip_values();
  for (int k = c; k < p.width; k += of_x)
    for (int i = 0; i < band_step; i += of_v) {
      Vector<R> total[parts][of_v][of_x] = {};
      const R* v_at = p.left + begin * stride + (c + i) * strip_column<T>;
      const R* x_at = p.left + begin * stride + k * strip_column<T>;
      for (std::int64_t s = begin; s < end; ++s, v_at += stride, x_at += stride)
#pragma GCC unroll 4
        for (int u = 0; u < vectors<T>; ++u) {
          Vector<R> x[parts][of_x];
#pragma GCC unroll 2
          for (int plane = 0; plane < parts; ++plane)
#pragma GCC unroll 4
            for (int j = 0; j < of_x; ++j)
              x[plane][j] = load(x_at + (j * parts + plane) * tile_rows<T> + u * l);
#pragma GCC unroll 4
          for (int q = 0; q < of_v; ++q) {
            const Vector<R> re = load(v_at + q * strip_column<T> + u * l);
#pragma GCC unroll 4
            for (int j = 0; j < of_x; ++j) {
              total[0][q][j] += re * x[0][j];
              if constexpr (is_complex<T>) {
                const Vector<R> im = load(v_at + q * strip_column<T> + tile_rows<T> + u * l);
                total[1][q][j] += re * x[1][j];
                total[0][q][j] += im * x[1][j];
                total[1][q][j] -= im * x[0][j];
              }
            }
          }
        }
#pragma GCC unroll 2
      for (int plane = 0; plane < parts; ++plane)
#pragma GCC unroll 4
        for (int q = 0; q < of_v; ++q) {
          R* const to = dots + ((i + q) * parts + plane) * p.width + k;
          for (int j = 0; j < of_x; ++j) to[j] = 0;
          add_sums<R, of_x>(total[plane][q], to);
        }
    }
}

// Row i of f is conj(tau_i) (v_i^H X - sum over j < i of v_i^H v_j f_j).
template <class T>
void form_factors(const BandPanel<T>& p, int c, const T* tau, const real_t<T>* dots, real_t<T>* f) {
  using R = real_t<T>;
  constexpr int parts = planes<T>;
  const std::int64_t ld = parts * p.width;
  const int first = c + band_step;
  for (int i = 0; i < band_step; ++i) {
    R* const to = f + i * ld;
    const R* const row = dots + i * ld;
    for (int k = first; k < p.width; ++k)
      for (int plane = 0; plane < parts; ++plane) to[plane * p.width + k] = row[plane * p.width + k];
    for (int j = 0; j < i; ++j) {
      const R* const of_j = f + j * ld;
      const R re = row[c + j];
      if constexpr (is_complex<T>) {
        const R im = row[p.width + c + j];
        for (int k = first; k < p.width; ++k) {
          to[k] -= re * of_j[k] - im * of_j[p.width + k];
          to[p.width + k] -= re * of_j[p.width + k] + im * of_j[k];
        }
      } else {
        for (int k = first; k < p.width; ++k) to[k] -= re * of_j[k];
      }
    }
    const R* const x = reinterpret_cast<const R*>(tau + c + i);
    for (int k = first; k < p.width; ++k) {
      if constexpr (is_complex<T>) {
        const R re = to[k], im = to[p.width + k];
        to[k] = x[0] * re + x[1] * im;
        to[p.width + k] = x[0] * im - x[1] * re;
      } else {
        to[k] *= x[0];
      }
    }
  }
}

template <class T>
void apply(const BandPanel<T>& p, int c, const real_t<T>* f, std::int64_t begin, std::int64_t end) {
  for (std::int64_t s = begin; s < end; ++s) {
    real_t<T>* const strip = p.left + s * p.strip_values();
    for (int k = c + band_step; k < p.width; k += tile_columns)
      multiply_tile<T, Then::subtract>(strip + k * strip_column<T>, strip_column<T>, tile_rows<T>,
                                       strip + c * strip_column<T>, {f + k, planes<T> * p.width, 1, p.width},
                                       band_step);
  }
}

template <class T>
void give_v(const BandPanel<T>& p, std::int64_t begin, std::int64_t end, T* a, std::int64_t lda) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>, l = lanes<R>;
  for (std::int64_t s = begin; s < end; ++s) {
    const R* const v = p.left + s * p.strip_values();
    R* const right = p.right + s * p.strip_values() + p.width * strip_column<T>;
    for (std::int64_t k = 0; k < p.width * strip_column<T>; k += l) store(right + k, load(v + k));
    for (int c = 0; c < p.groups * rows; ++c) {
      R* const along = p.along + (c / rows * p.padded_rows() + s * rows) * strip_column<T> + c % rows;
      const R* const x = v + c * strip_column<T>;
      for (int plane = 0; plane < parts; ++plane)
        for (int r = 0; r < rows; ++r)
          along[(r * parts + plane) * rows] = c < p.width ? x[plane * rows + r] : R(0);
    }
    for (int c = 0; c < p.b; ++c) {
      const R* const x = v + c * strip_column<T>;
      R* const to = reinterpret_cast<R*>(a + (p.column + c) * lda + s * rows);
      const std::int64_t from = larger(0, p.first + c + 1 - s * rows), until = smaller(rows, p.n - s * rows);
      for (int plane = 0; plane < parts; ++plane)
        for (std::int64_t r = from; r < until; ++r) to[r * parts + plane] = x[plane * rows + r];
    }
  }
}

// Calls for the lines of `columns` columns of `height` values in advance, some at a time.
template <class R>
class CallForTile {
 public:
  EIGEN_G_INLINE CallForTile(const R* p, std::int64_t columns, std::int64_t height, std::int64_t calls)
      : p_(p), columns_(p ? columns : 0), height_(height) {
    constexpr std::int64_t line = 64 / static_cast<int>(sizeof(R));
    share_ = ((height + line - 1) / line * columns + calls - 1) / calls;
  }
  EIGEN_G_INLINE void operator()() {
    for (std::int64_t k = 0; k < share_ && columns_ > 0; ++k) {
      __builtin_prefetch(p_ + at_, 0, 2);
      at_ += 64 / static_cast<int>(sizeof(R));
      if (at_ >= height_) at_ = 0, --columns_, p_ += order;
    }
  }

 private:
  const R* p_;
  std::int64_t columns_, height_, at_ = 0, share_;
};

// W^T(g, i) := or += V_J^T A^T for the rows of V from k on.
template <class T, bool conjugate, int count, int v>
EIGEN_G_INLINE void add_to_w(const BandPanel<T>& p, std::int64_t i, int g, std::int64_t k, std::int64_t steps,
                             bool sets, const Operand<T>& a) {
  real_t<T>* const to = p.w + i * planes<T> * p.row_of_w() + g * tile_rows<T>;
  const real_t<T>* const along = p.along + (g * p.padded_rows() + k) * strip_column<T>;
  const std::int64_t ld = planes<T> * p.row_of_w();
  if (sets)
    multiply_tile<T, Then::set, conjugate, count, v>(to, ld, p.row_of_w(), along, a, steps);
  else
    multiply_tile<T, Then::add, conjugate, count, v>(to, ld, p.row_of_w(), along, a, steps);
}

// The product of one tile of A, of which row i begins at a.p + (i - begin) * a.outer.
template <class T, bool conjugate>
void multiply_one(const BandPanel<T>& p, std::int64_t begin, std::int64_t end, std::int64_t k,
                  std::int64_t steps, bool sets, const Operand<T>& a, CallForTile<real_t<T>>& call) {
  constexpr int v = vectors<T>, l = lanes<real_t<T>>;
  for (int g = 0; g < p.groups; ++g) {
    const int used = (p.width - g * tile_rows<T> + l - 1) / l;
    for_tiles<T>(static_cast<int>(end - begin), [&](int j, auto count) {
      call();
      const Operand<T> of_a{a.p + j * a.outer, a.inner, a.outer, a.plane};
      if (v == 1 || used >= v)
        add_to_w<T, conjugate, count(), v>(p, begin + j, g, k, steps, sets, of_a);
      else if (v == 2 || used == 1)
        add_to_w<T, conjugate, count(), 1>(p, begin + j, g, k, steps, sets, of_a);
      else
        add_to_w<T, conjugate, count(), (v > 2 ? 2 : 1)>(p, begin + j, g, k, steps, sets, of_a);
    });
  }
}

template <class T>
void multiply(const BandPanel<T>& p, std::int64_t begin, std::int64_t end) {
  using R = real_t<T>;
  constexpr std::int64_t plane = std::int64_t{order} * order;
  const std::int64_t i = begin / order, row = begin % order, first = p.first / order;
  const auto part_of = [&](std::int64_t j) -> const R* {
    return j >= p.blocks ? nullptr : j <= i ? p.tile(i, j) + row : p.tile(j, i) + row * order;
  };
  for (std::int64_t j = first; j < p.blocks; ++j) {
    const std::int64_t k = larger(p.first, j * order), steps = smaller(p.n, (j + 1) * order) - k;
    const R* const tile = part_of(j);
    const std::int64_t height = end - begin;
    const bool turned =
        j + 1 > i;  // only the real parts are called for if a part of a tile is read as an adjoint
    CallForTile<R> call(part_of(j + 1), turned && height < order ? height : order * planes<T>,
                        turned ? order : height, p.groups * ((height + tile_columns - 1) / tile_columns));
    if (j <= i)
      multiply_one<T, false>(p, begin, end, k, steps, j == first, {tile + k % order * order, order, 1, plane},
                             call);
    else
      multiply_one<T, true>(p, begin, end, k, steps, j == first, {tile + k % order, 1, order, plane}, call);
  }
}

template <class T>
void gram(const BandPanel<T>& p, bool with_w, int g, int c, std::int64_t begin, std::int64_t end,
          real_t<T>* sums_) {
  constexpr int rows = tile_rows<T>;
  const std::int64_t ld = p.row_of_w(), plane = p.width * ld;
  real_t<T>* const to = sums_ + g * rows + c * ld;
  for (std::int64_t i = begin; i < end; i += depth) {
    const std::int64_t steps = smaller(depth, end - i);
    const real_t<T>* const along = p.along + (g * p.padded_rows() + i) * strip_column<T>;
    const Operand<T> other =
        with_w ? Operand<T>{p.w + i * planes<T> * ld + c, planes<T> * ld, 1, ld}
               : Operand<T>{p.along + (c / rows * p.padded_rows() + i) * strip_column<T> + c % rows,
                            strip_column<T>, 1, rows};
    if (i == begin)
      multiply_tile<T, Then::set, true>(to, ld, plane, along, other, steps);
    else
      multiply_tile<T, Then::add, true>(to, ld, plane, along, other, steps);
  }
}

// Row by row from the last one on: T(r, :) = tau_r (e_r - sum over k > r of (V^H V)(r, k) T(k, :)).
template <class T>
void form_t(const BandPanel<T>& p, const real_t<T>* sums_, const T* tau, real_t<T>* t) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, l = lanes<R>, v = vectors<T>, parts = planes<T>;
  const std::int64_t ld = p.row_of_w(), plane = p.width * ld;
  for (int g = 0; g < p.groups; ++g) {
    R* const group = t + std::int64_t{g} * p.width * strip_column<T>;
    const int used = static_cast<int>(smaller(p.b, (g + 1) * rows));
    for (std::int64_t k = used * strip_column<T>; k < p.width * strip_column<T>; ++k) group[k] = 0;
    for (int r = used; r-- > 0;) {
      Vector<R> sum_[parts][v] = {};
      for (int k = r + 1; k < used; ++k) {
        const R* const row = group + k * strip_column<T>;
        const Vector<R> re = broadcast(sums_[r + k * ld]);
#pragma GCC unroll 4
        for (int u = 0; u < v; ++u) {
          sum_[0][u] += load(row + u * l) * re;
          if constexpr (is_complex<T>) {
            const Vector<R> im = broadcast(sums_[r + k * ld + plane]);
            sum_[1][u] += load(row + rows + u * l) * re;
            sum_[0][u] += load(row + rows + u * l) * im;
            sum_[1][u] -= load(row + u * l) * im;
          }
        }
      }
      R* const to = group + r * strip_column<T>;
      const R* const x = reinterpret_cast<const R*>(tau + r);
      const Vector<R> zero{};
#pragma GCC unroll 4
      for (int u = 0; u < v; ++u) {
        if constexpr (is_complex<T>) {
          store(to + u * l, x[1] * sum_[1][u] - x[0] * sum_[0][u]);
          store(to + rows + u * l, zero - x[0] * sum_[1][u] - x[1] * sum_[0][u]);
        } else {
          store(to + u * l, zero - x[0] * sum_[0][u]);
        }
      }
      if (r >= g * rows)
        for (int k = 0; k < parts; ++k) to[k * rows + r - g * rows] = x[k];
    }
  }
}

template <class T>
void multiply_by_t(const BandPanel<T>& p, const real_t<T>* t, const real_t<T>* sums_, int r, real_t<T>* g) {
  constexpr int rows = tile_rows<T>;
  const std::int64_t ld = p.row_of_w();
  for (int k = 0; k < p.groups; ++k)
    multiply_tile<T, Then::set, true>(g + (std::int64_t{k} * p.width + r) * strip_column<T>, strip_column<T>,
                                      rows, t + std::int64_t{k} * p.width * strip_column<T>,
                                      {sums_ + r, ld, 1, p.width * ld}, smaller(p.width, (k + 1) * rows));
}

template <class T>
void form_z(const BandPanel<T>& p, const real_t<T>* t, const real_t<T>* g, int r, real_t<T>* z) {
  constexpr int rows = tile_rows<T>;
  const Operand<T> of_t{t + std::int64_t{r / rows} * p.width * strip_column<T> + r % rows, strip_column<T>, 1,
                        rows};
  for (int k = 0; k < p.groups; ++k) {
    real_t<T>* const to = z + (std::int64_t{k} * p.width + r) * strip_column<T>;
    multiply_tile<T, Then::set, true>(to, strip_column<T>, rows,
                                      g + std::int64_t{k} * p.width * strip_column<T>, of_t,
                                      smaller(p.width, r + tile_columns));
    for (int c = 0; c < tile_columns * strip_column<T>; ++c) to[c] *= real_t<T>(0.5);
  }
}

template <class T>
void form_x(const BandPanel<T>& p, const real_t<T>* t, const real_t<T>* z, std::int64_t begin,
            std::int64_t end) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>;
  const std::int64_t ld = parts * p.row_of_w();
  for (std::int64_t s = begin; s < end; ++s) {
    R* const v = p.left + s * p.strip_values();
    R* const left = v + p.width * strip_column<T>;
    R* const right = p.right + s * p.strip_values();
    for (int j = 0; j < rows; j += tile_columns) {
      const std::int64_t i = s * rows + j;
      R* const w = p.w + i * ld;
      const bool used = i + tile_columns > p.first && i < p.n;
      // In place, from the last columns of X on: columns of X need no later columns of W.
      for (int g = used ? p.groups : 0; g-- > 0;) {
        const std::int64_t packed = std::int64_t{g} * p.width * strip_column<T>;
        multiply_tile<T, Then::set>(w + g * rows, ld, p.row_of_w(), t + packed, {w, 1, ld, p.row_of_w()},
                                    smaller(p.width, (g + 1) * rows));
        multiply_tile<T, Then::subtract>(w + g * rows, ld, p.row_of_w(), z + packed,
                                         {v + j, strip_column<T>, 1, rows}, p.width);
      }
      for (int c = 0; c < p.width; ++c)
        for (int plane = 0; plane < parts; ++plane)
          for (int r = 0; r < tile_columns; ++r) {
            const R x = used && i + r >= p.first ? w[r * ld + plane * p.row_of_w() + c] : R(0);
            left[(c * parts + plane) * rows + j + r] = x;
            right[(c * parts + plane) * rows + j + r] = x;
          }
    }
  }
}

template <class T>
void update(const BandPanel<T>& p, std::int64_t i, std::int64_t j) {
  using R = real_t<T>;
  constexpr int rows = tile_rows<T>, parts = planes<T>;
  const std::int64_t first_row = larger(i * order, p.first) / rows * rows,
                     first_column = larger(j * order, p.first) / tile_columns * tile_columns,
                     last_row = smaller((i + 1) * order, p.n), last_column = smaller((j + 1) * order, p.n);
  R* const tile = p.tile(i, j);
  CallForTile<R> call(i + 1 < p.blocks ? p.tile(i + 1, j) : nullptr, order * parts, order,
                      order / rows * (order / tile_columns));
  for (std::int64_t row = first_row; row < last_row; row += rows) {
    const R* const left = p.left + row / rows * p.strip_values();
    for (std::int64_t column = first_column; column < last_column; column += tile_columns) {
      call();
      const R* const right = p.right + column / rows * p.strip_values() + column % rows;
      multiply_tile<T, Then::subtract, true>(tile + row % order + column % order * order, order,
                                             std::int64_t{order} * order, left,
                                             {right, strip_column<T>, 1, rows}, 2 * p.width);
    }
  }
}

}  // namespace

template <class T>
BandTileKernels<T> band_tile_kernels() {
  return {order,      tile_rows<T>,     tile_columns, pack<T>,   take_panel<T>, eliminate<T>,
          project<T>, form_factors<T>,  apply<T>,     give_v<T>, multiply<T>,   gram<T>,
          form_t<T>,  multiply_by_t<T>, form_z<T>,    form_x<T>, update<T>};
}

EIGEN_G_INSTANTIATE(all_types, band_tile_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
