// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "solver/reduction/one_stage/tile_kernels.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/vector/packet.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

constexpr int order = tile_order, eight = tile_columns_of_panel;

// Values of eight columns of a tile, and of one group of its rows.
template <class T>
constexpr int eight_values = eight* order* planes<T>;
template <class T>
constexpr int rows_values = eight* group_values<T>;
template <class T>
constexpr int groups_of_tile = order / group_size<T>;

// The value of number i of an array in groups.
template <class T>
EIGEN_G_INLINE std::int64_t at(std::int64_t i) {
  return i / group_size<T> * group_values<T> + i % group_size<T>;
}

template <class T>
void pack(const TileMember<real_t<T>>& member, std::int64_t n, const T* a, std::int64_t lda, bool lower) {
  using R = real_t<T>;
  constexpr int size = group_size<T>;
  const R* const values = reinterpret_cast<const R*>(a);
  for (int k = 0; k < member.column_count; ++k) {
    const TileColumn& c = member.columns[k];
    R* to = member.tiles + c.offset;
    for (int c8 = 0; c8 < order / eight; ++c8)
      for (int t = 0; t < c.count; ++t)
        for (int g = 0; g < groups_of_tile<T>; ++g)
          for (int col = 0; col < eight; ++col, to += group_values<T>) {
            const std::int64_t column = std::int64_t{c.column} * order + c8 * eight + col;
            const std::int64_t row = std::int64_t{c.rows[t]} * order + g * size;
            for (int r = 0; r < size; ++r) {
              const bool outside = row + r >= n || column >= n, below = row + r >= column;
              const std::int64_t i = outside ? 0 : below ? row + r : column;
              const std::int64_t j = outside ? 0 : below ? column : row + r;
              const R* const from =
                  values + planes<T> * (lower ? i + j * lda : n - 1 - i + (n - 1 - j) * lda);
              to[r] = outside ? R(0) : from[0];
              if constexpr (is_complex<T>)
                to[size + r] = outside || i == j ? R(0) : below ? from[1] : -from[1];
            }
          }
  }
}

// The groups of rows of a tile, whose first row is `row`, that have rows from q to n - 1.
template <class T>
EIGEN_G_INLINE int rows_begin(std::int64_t row, std::int64_t q) {
  return q > row ? static_cast<int>(q - row) / group_size<T> : 0;
}
template <class T>
EIGEN_G_INLINE int rows_end(std::int64_t row, std::int64_t n) {
  return n - row < order ? (static_cast<int>(n - row) + group_size<T> - 1) / group_size<T>
                         : groups_of_tile<T>;
}

// Columns whose sums are in registers at the same time.
template <class T>
constexpr int columns_at_once = is_complex<T>&& vector_bytes < 64 ? 4 : 8;

// Vectors of rows that share a broadcast number.
template <class T>
constexpr int rows_at_once = is_complex<T> || vectors_of_group<T> == 1 ? 1 : 2;

// The numbers of x in columns_at_once columns. They stay in registers if there are enough of them; else they are read for each row.
template <class T>
class ColumnsOfX {
 public:
  EIGEN_G_INLINE explicit ColumnsOfX(const real_t<T>* x) : x_(x) {
    if constexpr (kept)
#pragma GCC unroll 8
      for (int col = 0; col < columns_at_once<T>; ++col)
        kept_[col].re = in_register<real_t<T>>(broadcast_packet<T>(x + col, group_size<T>).re);
  }
  EIGEN_G_INLINE Packet<T> operator[](int col) const {
    if constexpr (kept)
      return kept_[col];
    else
      return broadcast_packet<T>(x_ + col, group_size<T>);
  }

 private:
  static constexpr bool kept = registers == 32 && !is_complex<T>;
  const real_t<T>* x_;
  Packet<T> kept_[kept ? columns_at_once<T> : 1];
};

// y += A x over some columns of some rows. twice: also total += A^H x of these rows. p: the entries; xj, xi: x in the columns and the rows.
template <class T, bool twice>
EIGEN_G_INLINE void multiply_rows(const real_t<T>* p, const ColumnsOfX<T>& xj, const real_t<T>* xi,
                                  real_t<T>* y, Packet<T>* total) {
  constexpr int l = lanes<real_t<T>>, count = columns_at_once<T>, at_once = rows_at_once<T>;
  constexpr int chains = vector_bytes == 64 ? 2 : 1;  // sums that the processor forms side by side
  Packet<T> sum_[at_once][chains] = {}, xr[at_once];
#pragma GCC unroll 2
  for (int r = 0; r < at_once; ++r) {
    sum_[r][0] = load_packet<T>(y + r * l);
    xr[r] = load_packet<T>(xi + r * l);
  }
#pragma GCC unroll 8
  for (int col = 0; col < count; ++col) {
    const Packet<T> b = xj[col];
#pragma GCC unroll 2
    for (int r = 0; r < at_once; ++r) {
      const Packet<T> v = twice ? load_into_register<T>(p + col * group_values<T> + r * l)
                                : load_packet<T>(p + col * group_values<T> + r * l);
      add_product(sum_[r][col % chains], v, b);
      if constexpr (twice) add_adjoint_product(total[col], v, xr[r]);
    }
  }
#pragma GCC unroll 2
  for (int r = 0; r < at_once; ++r) {
    if constexpr (chains == 2) add(sum_[r][0], sum_[r][1]);
    store_packet(y + r * l, sum_[r][0]);
  }
}

// multiply_rows() for groups begin ... end - 1 of the rows of one tile, in columns_at_once columns.
//   tile   the first of these columns of the tile
//   x      x in the rows of the tile; y: the sums of these rows
template <class T, bool twice>
EIGEN_G_INLINE void multiply_tile(const real_t<T>* tile, int begin, int end, const ColumnsOfX<T>& xj,
                                  const real_t<T>* x, real_t<T>* y, Packet<T>* total) {
  constexpr int l = lanes<real_t<T>>, per = vectors_of_group<T>, at_once = rows_at_once<T>;
  for (int g = begin; g < end; ++g)
#pragma GCC unroll 2
    for (int u = 0; u < per; u += at_once) {
      const int here = g * group_values<T> + u * l;
      multiply_rows<T, twice>(tile + g * rows_values<T> + u * l, xj, x + here, y + here, total);
    }
}

// sums += A x over eight columns, from column jc on, of a column of tiles.
template <class T>
void multiply_eight(const TileColumn& c, const real_t<T>* a, int jc, std::int64_t n, int q,
                    const real_t<T>* x, real_t<T>* sums_) {
  using R = real_t<T>;
  constexpr int count = columns_at_once<T>;
  const R* const xj = x + at<T>(jc);
  const bool diagonal = c.rows[0] == c.column;
  for (int first = 0; first < eight; first += count) {
    Packet<T> total[count] = {};
    const ColumnsOfX<T> x_here(xj + first);
    const auto tile = [&](int t) { return a + std::int64_t{t} * eight_values<T> + first * group_values<T>; };
    const auto x_of = [&](int t) { return x + std::int64_t{c.rows[t]} * order * planes<T>; };
    const auto y_of = [&](int t) { return sums_ + std::int64_t{c.slots[t]} * order * planes<T>; };
    // The diagonal tile has a loop of its own: a condition in one loop would keep the totals out of the registers. All other tiles are below
    // row q, and only the last row of tiles may end early.
    const auto row = [&](int t) { return std::int64_t{c.rows[t]} * order; };
    if (diagonal)
      multiply_tile<T, false>(tile(0), rows_begin<T>(row(0), q), rows_end<T>(row(0), n), x_here, x_of(0),
                              y_of(0), total);
    int t = diagonal;
    for (; t < c.count && row(t) + order <= n; ++t)
      multiply_tile<T, true>(tile(t), 0, groups_of_tile<T>, x_here, x_of(t), y_of(t), total);
    if (t < c.count)
      multiply_tile<T, true>(tile(t), 0, rows_end<T>(row(t), n), x_here, x_of(t), y_of(t), total);
    R* const yj = sums_ + std::int64_t{c.slot_of_column} * order * planes<T> + at<T>(jc % order) + first;
    Vector<R> part[count];
#pragma GCC unroll 8
    for (int col = 0; col < count; ++col) part[col] = total[col].re;
    add_sums<R, count>(part, yj);
    if constexpr (is_complex<T>) {
#pragma GCC unroll 8
      for (int col = 0; col < count; ++col) part[col] = total[col].im;
      add_sums<R, count>(part, yj + group_size<T>);
    }
  }
}

// Bytes of a part of a member. The columns of tiles of a part are always read in ascending order, because processors read ahead along ascending
// addresses. A product that goes backwards takes the parts in descending order. A part is a fraction of a core's second cache. A member that is
// one part stays in that cache, and all of it is read backwards.
constexpr std::int64_t bytes_of_part = std::int64_t{256} << 10;

// The number of the part in which a column of tiles lies.
template <class T>
EIGEN_G_INLINE std::int64_t part_of(const TileColumn& c) {
  return c.offset / (bytes_of_part / static_cast<std::int64_t>(sizeof(real_t<T>)));
}

template <class T>
real_t<T> multiply(const TileMember<real_t<T>>& member, std::int64_t n, int q, const real_t<T>* x,
                   bool backwards) {
  using R = real_t<T>;
  constexpr int values = order * planes<T>;
  const int first = q / order;
  int from = 0;
  while (from < member.touched_count && member.touched[from] < first) ++from;
  for (int k = from; k < member.touched_count; ++k)  // other threads wrote x
    for (int r = 0; r < values; r += 64 / static_cast<int>(sizeof(R)))
      prefetch(x + std::int64_t{member.touched[k]} * values + r);
  const Vector<R> zero{};
  for (std::int64_t k = std::int64_t{from} * values; k < std::int64_t{member.touched_count} * values;
       k += lanes<R>)
    store(member.sums + k, zero);
  int active = 0;  // the first column of tiles that has columns from q on
  while (active < member.column_count && member.columns[active].column < first) ++active;
  const auto multiply_column = [&](const TileColumn& c, bool descending) {
    const int least = c.column == first ? q % order / eight : 0;
    const std::int64_t inside = n - std::int64_t{c.column} * order;
    const int most = inside < order ? (static_cast<int>(inside) + eight - 1) / eight : order / eight;
    for (int e = least; e < most; ++e) {
      const int c8 = descending ? least + most - 1 - e : e;
      multiply_eight<T>(c, member.tiles + c.offset + std::int64_t{c8} * c.count * eight_values<T>,
                        c.column * order + c8 * eight, n, q, x, member.sums);
    }
  };
  const int count = member.column_count;
  const bool small = count > 0 && part_of<T>(member.columns[count - 1]) == 0;
  for (int k = active; !backwards && k < count; ++k) multiply_column(member.columns[k], false);
  for (int end = count; backwards && end > active;) {
    int begin = end - 1;
    while (!small && begin > active &&
           part_of<T>(member.columns[begin - 1]) == part_of<T>(member.columns[begin]))
      --begin;
    for (int k = begin; k < end; ++k) multiply_column(member.columns[k], small);
    end = begin;
  }
  Vector<R> square{};
  for (int k = from; k < member.touched_count; ++k)
    for (int r = 0; r < values; r += lanes<R>)
      square += load(member.sums + std::int64_t{k} * values + r) *
                load(x + std::int64_t{member.touched[k]} * values + r);
  return sum<R>(square);
}

// The group of rows of a step that is the member's first one.
template <class T>
EIGEN_G_INLINE std::int64_t first_group(const TileStep<T>& step, int member) {
  const std::int64_t group = step.q / group_size<T>, turn = group / step.members * step.members + member;
  return turn < group ? turn + step.members : turn;
}

template <class T>
EIGEN_G_INLINE const real_t<T>* column_q(const TileStep<T>& step, std::int64_t group) {
  const TilePlace<real_t<T>>& place =
      step.places[group / groups_of_tile<T> + std::int64_t{step.q / order} * step.blocks];
  return place.first + step.q % order / eight * place.stride + group % groups_of_tile<T> * rows_values<T> +
         step.q % eight * group_values<T>;
}

// Sets the numbers of a group's rows up to q and from n on.
template <class T>
void mend(const TileStep<T>& step, std::int64_t group, real_t<T>* v, real_t<T>* w, real_t<T>* x) {
  constexpr int size = group_size<T>;
  for (int r = 0; r < size; ++r) {
    const std::int64_t row = group * size + r;
    if (row > step.q && row < step.n) continue;
    for (int p = 0; p < planes<T>; ++p) {
      v[p * size + r] = row == step.q && p == 0;
      w[p * size + r] = row == step.q ? step.w_q[p] : 0;
      x[p * size + r] = 0;
    }
  }
}

template <class T>
void form_rows(const TileStep<T>& step, int member, real_t<T>* dots) {
  using R = real_t<T>;
  constexpr int size = group_size<T>, values = group_values<T>, l = lanes<R>;
  const int inner = 2 * step.panel, columns = 2 * step.i;
  const std::int64_t first = first_group(step, member), last = std::int64_t{step.blocks} * groups_of_tile<T>;
  for (std::int64_t g = first; g < last; g += step.members) {  // called for in advance
    const std::int64_t block = g / groups_of_tile<T>, offset = g % groups_of_tile<T> * values;
    for (int k = step.source_begin[block]; k < step.source_begin[block + 1]; ++k)
      for (int p = 0; p < planes<T>; ++p) prefetch(step.sources[k] + offset + p * size);
    for (int p = 0; p < planes<T>; ++p) prefetch(column_q(step, g) + p * size);
  }
  const Packet<T> s = broadcast_packet<T>(step.s, 1), tau_s = broadcast_packet<T>(step.tau_s, 1);
  const R conj_w_q[2] = {step.w_q[0], -step.w_q[1]};
  const Packet<T> wq = broadcast_packet<T>(conj_w_q, 1);
  const Vector<R> beta = broadcast(step.beta), half = broadcast(step.half);
  // The sum of squares keeps its rounding errors in `lost`: reflectors of many nearly equal columns would add up their errors.
  Vector<R> square{}, lost{};
  for (std::int64_t g = first; g < last; g += step.members) {
    R* const p = step.vw + g * inner * values;
    R *const v_at = p + std::int64_t{columns} * values, *const w_at = v_at + values;
    R* const x_at = step.x + g * values;
    const std::int64_t block = g / groups_of_tile<T>, offset = g % groups_of_tile<T> * values;
    const R* const a_q = column_q(step, g);
    constexpr int at_once = rows_at_once<T>;
#pragma GCC unroll 4
    for (int u = 0; u < vectors_of_group<T>; u += at_once) {
      Packet<T> h[at_once][2] = {}, b[at_once][2] = {};
#pragma GCC unroll 2
      for (int r = 0; r < at_once; ++r) b[r][0] = load_packet<T>(a_q + (u + r) * l);
      for (int k = step.source_begin[block]; k < step.source_begin[block + 1]; ++k)
#pragma GCC unroll 2
        for (int r = 0; r < at_once; ++r)
          add(h[r][0], load_packet<T>(step.sources[k] + offset + (u + r) * l));
      for (int k = 0; k < columns; k += 2)
#pragma GCC unroll 2
        for (int odd = 0; odd < 2; ++odd) {
          const Packet<T> d = broadcast_packet<T>(step.ds + (k + odd) * planes<T>, 1),
                          f = broadcast_packet<T>(step.rq + (k + odd) * planes<T>, 1);
#pragma GCC unroll 2
          for (int r = 0; r < at_once; ++r) {
            const Packet<T> pk = load_packet<T>(p + std::int64_t{k + odd} * values + (u + r) * l);
            subtract_product(h[r][odd], pk, d);
            subtract_product(b[r][odd], pk, f);
          }
        }
#pragma GCC unroll 2
      for (int r = 0; r < at_once; ++r) {
        add(h[r][0], h[r][1]);
        add(b[r][0], b[r][1]);
        const int here = (u + r) * l;
        const Packet<T> x = load_packet<T>(x_at + here);
        Packet<T> v = {}, w = {}, next = b[r][0], rest = h[r][0];
        add_product(v, s, x);
        rest.re -= beta * b[r][0].re;
        if constexpr (is_complex<T>) rest.im -= beta * b[r][0].im;
        add_product(w, tau_s, rest);
        w.re -= half * v.re;
        if constexpr (is_complex<T>) w.im -= half * v.im;
        subtract_product(next, v, wq);
        next.re -= w.re;
        if constexpr (is_complex<T>) next.im -= w.im;
        store_packet(v_at + here, v);
        store_packet(w_at + here, w);
        store_packet(x_at + here, next);
      }
    }
    const std::int64_t row = g * size;
    if (row <= step.q || row + size > step.n) mend(step, g, v_at, w_at, x_at);
    R kept[planes<T>];  // row q + 1 is the next column's first
    const std::int64_t unit = step.q + 1 - row;
    const bool has_unit = unit >= 0 && unit < size;
    if (has_unit)
      for (int k = 0; k < planes<T>; ++k) {
        kept[k] = x_at[k * size + unit];
        x_at[k * size + unit] = 0;
      }
#pragma GCC unroll 8
    for (int k = 0; k < values; k += l) {
      const Vector<R> x = load(x_at + k), product = x * x, sum_ = square + product, added = sum_ - square;
      lost += ((square - (sum_ - added)) + (product - added)) + (x * x - product);
      square = sum_;
    }
    if (has_unit)
      for (int k = 0; k < planes<T>; ++k) x_at[k * size + unit] = kept[k];
    R* const out = reinterpret_cast<R*>(step.reflector);
    for (int r = 0; r < size; ++r)
      if (row + r > step.q && row + r < step.n)
        for (int k = 0; k < planes<T>; ++k)
          out[(row + r) * step.reflector_step * planes<T> + k] = v_at[k * size + r];
  }

  const bool ends = step.i + 1 == step.panel;
  const int count = ends ? 0 : columns + 2;
  constexpr int at_once = columns_at_once<T>;
  for (int k = 0; k < count; k += at_once) {
    Packet<T> total[at_once] = {};
    for (std::int64_t g = first; g < last; g += step.members)
#pragma GCC unroll 4
      for (int u = 0; u < vectors_of_group<T>; ++u) {
        const R* const p = step.vw + (g * inner + k) * values + u * l;
        const Packet<T> x = load_packet<T>(step.x + g * values + u * l);
#pragma GCC unroll 8
        for (int c = 0; c < at_once; ++c) add_adjoint_product(total[c], load_packet<T>(p + c * values), x);
      }
    R sums_[planes<T>][at_once] = {};
    Vector<R> part[at_once];
#pragma GCC unroll 8
    for (int c = 0; c < at_once; ++c) part[c] = total[c].re;
    add_sums<R, at_once>(part, sums_[0]);
    if constexpr (is_complex<T>) {
#pragma GCC unroll 8
      for (int c = 0; c < at_once; ++c) part[c] = total[c].im;
      add_sums<R, at_once>(part, sums_[1]);
    }
    for (int c = 0; c < at_once && k + c < count; ++c)
      for (int plane = 0; plane < planes<T>; ++plane) dots[(k + c) * planes<T> + plane] = sums_[plane][c];
  }
  // The lanes by halves, with the rounding error of each addition.
  R squares[lanes<R>], rest[lanes<R>];
  store(squares, square);
  store(rest, lost);
#pragma GCC unroll 4
  for (int span = lanes<R> / 2; span > 0; span /= 2)
#pragma GCC unroll 8
    for (int k = 0; k < span; ++k) {
      const R a = squares[k], b = squares[k + span], both = a + b, added = both - a;
      rest[k] += rest[k + span] + ((a - (both - added)) + (b - added));
      squares[k] = both;
    }
  dots[count * planes<T>] = squares[0];
  dots[count * planes<T> + 1] = rest[0];
  const std::int64_t next = step.q + 1, group = next / size;
  if (!ends && next < step.n && group % step.members == member) {
    const R* const p = step.vw + group * inner * values + next % size;
    for (int k = 0; k < count; ++k)
      for (int plane = 0; plane < planes<T>; ++plane)
        step.row_q[k * planes<T> + plane] = p[k * values + plane * size];
  }
}

// A := A - V W^H - W V^H in `vectors` vectors of rows of a tile, from vector e on, and in its columns from `from` on.
//   tile   the first eight columns of the tile, `stride` values before the next eight
//   row, column   first row and column of the tile
template <class T, int vectors>
void update_rows(real_t<T>* tile, std::int64_t stride, std::int64_t row, std::int64_t column, int e, int from,
                 int inner, const real_t<T>* vw) {
  using R = real_t<T>;
  constexpr int l = lanes<R>, per = vectors_of_group<T>, columns = tile_columns, values = group_values<T>;
  const R* left[vectors];
  std::int64_t rows[vectors];  // in eight columns of the tile
  for (int v = 0; v < vectors; ++v) {
    const int g = (e + v) / per, u = (e + v) % per;
    left[v] = vw + (row / group_size<T> + g) * inner * values + u * l;
    rows[v] = g * rows_values<T> + u * l;
  }
  for (int col = from; col < order; col += columns) {
    R* const here = tile + col / eight * stride + col % eight * values;
    const R* const right =
        vw + (column + col) / group_size<T> * inner * values + (column + col) % group_size<T>;
    Packet<T> total[vectors][columns];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) total[v][j] = load_packet<T>(here + rows[v] + j * values);
    for (int i = 0; i < inner; ++i) {
      const R* const r = right + std::int64_t{i ^ 1} * values;
      Packet<T> x[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) x[v] = load_packet<T>(left[v] + std::int64_t{i} * values);
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        const Packet<T> b = broadcast_packet<T>(r + j, group_size<T>);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) subtract_product_adjoint(total[v][j], x[v], b);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) store_packet(here + rows[v] + j * values, total[v][j]);
  }
}

template <class T>
void update(const TileMember<real_t<T>>& member, std::int64_t n, int next, int panel, const real_t<T>* vw) {
  constexpr int per = vectors_of_group<T>;
  // The accumulators fill the registers.
  constexpr int most = is_complex<T> ? 1 : vector_bytes == 32 ? 3 : 2;
  const int first = next / order;
  for (int k = 0; k < member.column_count; ++k) {
    const TileColumn& c = member.columns[k];
    if (c.column < first) continue;
    const int from = c.column == first ? next % order / eight * eight : 0;
    const std::int64_t stride = std::int64_t{c.count} * eight_values<T>,
                       column = std::int64_t{c.column} * order;
    for (int t = 0; t < c.count; ++t) {
      real_t<T>* const tile = member.tiles + c.offset + std::int64_t{t} * eight_values<T>;
      const std::int64_t row = std::int64_t{c.rows[t]} * order;
      int e = rows_begin<T>(row, next) * per;
      const int end = rows_end<T>(row, n) * per;
      for (; e + most <= end; e += most)
        update_rows<T, most>(tile, stride, row, column, e, from, 2 * panel, vw);
      if constexpr (most > 2)
        for (; e + 2 <= end; e += 2) update_rows<T, 2>(tile, stride, row, column, e, from, 2 * panel, vw);
      if constexpr (most > 1)
        for (; e < end; ++e) update_rows<T, 1>(tile, stride, row, column, e, from, 2 * panel, vw);
    }
  }
}

}  // namespace

template <class T>
TileKernels<T> tile_kernels() {
  return {pack<T>, multiply<T>, form_rows<T>, update<T>};
}

EIGEN_G_INSTANTIATE(all_types, tile_kernels);

}  // namespace eigen_g::EIGEN_G_WIDTH
