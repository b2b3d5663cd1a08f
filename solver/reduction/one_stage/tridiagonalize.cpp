#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "hybrid/instantiate.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/team.hpp"
#include "solver/reduction/one_stage/tile_kernels.hpp"
#include "solver/reduction/reduction_progress.hpp"

namespace eigen_g {

namespace {

// Measured: data/perf/DECISIONS.md, "Reduction on a team of threads". They depend on n alone, because results depend on them.
int members_of(std::int64_t n) {
  return n < 150 ? 1 : n < 300 ? 4 : n < 1500 ? 16 : n < 3000 ? 32 : 64;
}
int panel_of(std::int64_t n) {
  return n < 1500 ? 16 : 32;
}
constexpr int max_panel = 32, max_members = 64;

// The arrays of a reduction.
template <class T>
struct Tiles {
  using R = real_t<T>;
  std::int64_t n;
  int blocks, members, grid_rows, grid_columns, panel;
  // Numbers of values of R: dot products that a member sums, values that it publishes (these sums and its part of x^H A x), and the
  // distance between the members' parts of all dot products.
  int dots_of_member, published, dots_stride;
  TileMember<R>* member;
  TilePlace<R>* places;
  TileColumn* columns;
  int *owner, *rows, *slots, *touched, *source_begin, *ends;
  const R** sources;
  R *x, *vw, *dots, *pub, *row_q, *squares, *tiles;

  Tiles(Arena& arena, std::int64_t n_)
      : n(n_),
        blocks(static_cast<int>((n_ + tile_order - 1) / tile_order)),
        members(members_of(n_)),
        panel(panel_of(n_)) {
    grid_rows = members == 32 ? 4 : members == 1 ? 1 : members == 4 ? 2 : members == 16 ? 4 : 8;
    grid_columns = members / grid_rows;
    // A cache line for what a member publishes, if the members are many enough.
    const int most = (2 * panel + 1) * planes<T>, line = 64 / static_cast<int>(sizeof(R));
    dots_of_member = most <= (line - 1) * members
                         ? line - 1
                         : static_cast<int>(round_up((most + members - 1) / members, line));
    published = static_cast<int>(round_up(dots_of_member + 1, 2 * line));
    dots_stride = static_cast<int>(round_up(most + 1, line)) + line;

    const std::int64_t count = std::int64_t{blocks} * (blocks + 1) / 2,
                       touchable = std::int64_t{members} * blocks;
    const std::int64_t padded = std::int64_t{blocks} * tile_order * planes<T>;
    member = arena.take<TileMember<R>>(members);
    places = arena.take<TilePlace<R>>(std::int64_t{blocks} * blocks);
    columns = arena.take<TileColumn>(touchable);
    owner = arena.take<int>(std::int64_t{blocks} * blocks);
    rows = arena.take<int>(count);
    slots = arena.take<int>(count);
    touched = arena.take<int>(touchable);
    source_begin = arena.take<int>(blocks + 1);
    ends = arena.take<int>(blocks);
    sources = arena.take<const R*>(touchable);
    x = arena.take<R>(padded);
    vw = arena.take<R>(padded * 2 * panel);
    dots = arena.take<R>(std::int64_t{members} * dots_stride);
    pub = arena.take<R>(std::int64_t{members} * published);
    row_q = arena.take<R>((2 * panel + 2) * planes<T>);
    squares = arena.take<R>(n);
    // The members' parts lie side by side. If each began on a page of its own, equal offsets would be in the same sets of the caches.
    tiles = arena.take<R>(count * tile_order * tile_order * planes<T> + touchable * tile_order * planes<T> +
                          std::int64_t{members} * 2 * gap);
  }
  static constexpr int gap = 64;

  // Deals out the tiles: in turns over a grid of the members, from the last column on. A tile goes to the member of its row or column of the
  // grid that has the least, if its own member has `slack` tiles more. So the loads are even at all times.
  void deal_out() {
    constexpr int slack = 3;
    int load[max_members] = {};
    for (int j = blocks; j-- > 0;)
      for (int i = blocks; i-- > j;) {
        const int row = i % grid_rows * grid_columns, column = j % grid_columns;
        int best = row + column, least = load[best] - slack;
        for (int k = 0; k < grid_rows + grid_columns; ++k) {
          const int m = k < grid_columns ? row + k : (k - grid_columns) * grid_columns + column;
          if (load[m] < least) least = load[m], best = m;
        }
        ++load[best];
        owner[i + std::int64_t{j} * blocks] = best;
      }

    TileColumn* next_column = columns;
    int *next_row = rows, *next_slot = slots, *next_touched = touched;
    R* next_value = tiles;
    int* const slot_of = ends;  // place of a row of tiles among the member's sums; -1: none
    for (int m = 0; m < members; ++m) {
      TileMember<R>& me = member[m];
      me.columns = next_column;
      me.touched = next_touched;
      std::fill_n(slot_of, blocks, -1);
      std::int64_t offset = 0;
      for (int j = 0; j < blocks; ++j) {
        const int* const from = next_row;
        for (int i = j; i < blocks; ++i)
          if (owner[i + std::int64_t{j} * blocks] == m) {
            *next_row++ = i;
            slot_of[i] = 0;
          }
        const int tiles_here = static_cast<int>(next_row - from);
        if (tiles_here == 0) continue;
        slot_of[j] = 0;
        *next_column++ = {j, tiles_here, from, next_slot, 0, offset};
        next_slot += tiles_here;
        offset += std::int64_t{tiles_here} * tile_order * tile_order * planes<T>;
      }
      for (int i = 0; i < blocks; ++i)
        if (slot_of[i] == 0) {
          slot_of[i] = static_cast<int>(next_touched - me.touched);
          *next_touched++ = i;
        }
      me.column_count = static_cast<int>(next_column - me.columns);
      me.touched_count = static_cast<int>(next_touched - me.touched);
      me.sums = next_value;
      me.tiles = me.sums + std::int64_t{me.touched_count} * tile_order * planes<T> + gap;
      next_value = me.tiles + offset + gap;
      for (TileColumn* c = next_column - me.column_count; c < next_column; ++c) {
        int* const to = slots + (c->slots - slots);
        for (int k = 0; k < c->count; ++k) {
          to[k] = slot_of[c->rows[k]];
          places[c->rows[k] + std::int64_t{c->column} * blocks] = {
              me.tiles + c->offset + std::int64_t{k} * tile_columns_of_panel * tile_order * planes<T>,
              std::int64_t{c->count} * tile_columns_of_panel * tile_order * planes<T>};
        }
        c->slot_of_column = slot_of[c->column];
      }
    }

    // The members that have sums of a row of tiles, in their order.
    std::fill_n(source_begin, blocks + 1, 0);
    for (const int* t = touched; t < next_touched; ++t) ++source_begin[*t + 1];
    for (int i = 0; i < blocks; ++i) source_begin[i + 1] += source_begin[i];
    std::copy_n(source_begin, blocks, ends);
    for (int m = 0; m < members; ++m)
      for (int k = 0; k < member[m].touched_count; ++k)
        sources[ends[member[m].touched[k]]++] = member[m].sums + std::int64_t{k} * tile_order * planes<T>;
  }
};

template <class T>
class TileReduction {
 public:
  using R = real_t<T>;
  TileReduction(Uplo uplo, MatrixView<T> a, R* d, R* e, T* tau, Arena scratch)
      : lower_(uplo == Uplo::lower),
        a_(a),
        d_(d),
        e_(e),
        tau_(tau),
        s_(scratch, a.rows),
        kernels_(EIGEN_G_OF_WIDTH(tile_kernels<T>)()) {}

  void run(const std::function<void(double)>& progress) {
    const std::int64_t n = s_.n;
    const int threads = std::min(team_threads(n), s_.members);
    d_[place(0)] = std::real(a_(place(0), place(0)));
    progress_.emplace(n, 3, progress);
    run_team(threads, [&](TeamThread& me) { work(me); });
    progress_->rethrow();
    for (std::int64_t i = 0; i < n; ++i) a_(i, i) = d_[i];
    for (std::int64_t i = 0; i + 1 < n; ++i) (lower_ ? a_(i + 1, i) : a_(i, i + 1)) = e_[i];
  }

 private:
  // Where row i of the reduction is in A, d, e and tau: the upper triangle is reduced from its last column on.
  std::int64_t place(std::int64_t i) const { return lower_ ? i : s_.n - 1 - i; }

  // The number in row i of an array in groups.
  static std::int64_t at(std::int64_t i) { return i / group_size<T> * group_values<T> + i % group_size<T>; }
  T in_groups(const R* p, std::int64_t i) const {
    if constexpr (is_complex<T>)
      return {p[at(i)], p[at(i) + group_size<T>]};
    else
      return p[i];
  }

  // Packs the member's tiles. Its groups of rows of x become column 0 of A below the diagonal.
  void load(int m) {
    const TileMember<R>& me = s_.member[m];
    kernels_.pack(me, s_.n, a_.data, a_.lda, lower_);
    std::fill_n(me.sums, std::int64_t{me.touched_count} * tile_order * planes<T>, R(0));
    const std::int64_t groups = std::int64_t{s_.blocks} * tile_order / group_size<T>;
    R square = 0;
    for (std::int64_t g = m; g < groups; g += s_.members) {
      R* const to = s_.x + g * group_values<T>;
      for (int r = 0; r < group_size<T>; ++r) {
        const std::int64_t i = g * group_size<T> + r;
        const T value = i == 0 || i >= s_.n ? T(0) : a_(place(i), place(0));
        to[r] = std::real(value);
        if constexpr (is_complex<T>) to[group_size<T> + r] = std::imag(value);
        if (i > 1) square += std::real(value) * std::real(value) + std::imag(value) * std::imag(value);
      }
      std::fill_n(s_.vw + g * 2 * s_.panel * group_values<T>, 2 * s_.panel * group_values<T>, R(0));
    }
    s_.dots[std::int64_t{m} * s_.dots_stride] = square;
    s_.dots[std::int64_t{m} * s_.dots_stride + 1] = 0;
    for (std::int64_t j = m; j < s_.n; j += s_.members) s_.squares[j] = square_below(j);
  }

  // The square of the rows of column j of A below its subdiagonal. Several sums at a time, because an addition waits for the one before.
  R square_below(std::int64_t j) const {
    constexpr int ways = 8;
    R sum[ways] = {};
    const std::int64_t count = (s_.n - j - 2) * planes<T>;
    if (count <= 0) return 0;
    const R* const p = reinterpret_cast<const R*>(lower_ ? &a_(j + 2, j) : &a_(0, place(j)));
    std::int64_t i = 0;
    for (; i + ways <= count; i += ways)
      for (int k = 0; k < ways; ++k) sum[k] += p[i + k] * p[i + k];
    for (; i < count; ++i) sum[0] += p[i] * p[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }

  // Publishes the member's part of the sums of the first `count` dot products over all members.
  void sum_dots(int m, int count) {
    const int first = std::min(m * s_.dots_of_member, count),
              last = std::min(first + s_.dots_of_member, count);
    R* const to = s_.pub + std::int64_t{m} * s_.published + 1 - first;
    // A fixed number of sums at a time, of which the last ones may be of no use: dots_stride has room for them.
    constexpr int ways = 64 / static_cast<int>(sizeof(R));
    for (int i = first; i < last; i += ways) {
      R sum[ways] = {};
      for (int k = 0; k < s_.members; ++k) {
        const R* const from = s_.dots + std::int64_t{k} * s_.dots_stride + i;
        for (int way = 0; way < ways; ++way) sum[way] += from[way];
      }
      std::copy_n(sum, std::min(ways, last - i), to + i);
    }
    // The last value is the square of the column. Its error would be the same in many reflectors of nearly equal columns.
    const int tail = count - 1;
    if (first <= tail && tail < last) {
      R total = 0, lost = 0;
      for (int k = 0; k < s_.members; ++k) {
        const R* const from = s_.dots + std::int64_t{k} * s_.dots_stride + tail;
        const R next = total + from[0], added = next - total;
        lost += ((total - (next - added)) + (from[0] - added)) + from[1];
        total = next;
      }
      to[tail] = total + lost;
    }
  }

  // The body of a thread of the team.
  void work(TeamThread& me) {
    const std::int64_t n = s_.n;
    std::int64_t j = 0;
    // Threads join while thread 0 deals out the tiles.
    if (!me.late()) {
      if (me.index() == 0) s_.deal_out();
      if (!me.regroup()) return;
    }
    if (next_column_ == 0) {
      // A thread writes the tiles of its members first, so that a system with several memories puts them next to its core.
      for (int m = me.index(); m < s_.members; m += me.count()) load(m);
      me.barrier();
    } else {
      j = next_column_;
      update(me, j);
    }
    for (int i = 0; j + 1 < n; ++j) {
      const int q = static_cast<int>(j + 1), columns = 2 * i;
      R ds[2 * max_panel * planes<T>], rq[2 * max_panel * planes<T>], raw[(2 * max_panel + 1) * planes<T>];
      for (int k = 0; k < columns; ++k)
        to_parts(conjugate(from_parts<T>(s_.row_q + k * planes<T>)), rq + (k ^ 1) * planes<T>);
      const T alpha = in_groups(s_.x, q);

      const int count = columns * planes<T> + 1;
      for (int m = me.index(); m < s_.members; m += me.count()) sum_dots(m, count);
      // To and fro: what was read last is still in the cache, and the next column reads it first.
      const bool backwards = q % 2 != 0;
      const int turns = (s_.members - me.index() + me.count() - 1) / me.count();
      for (int k = 0; k < turns; ++k) {
        const int m = me.index() + (backwards ? turns - 1 - k : k) * me.count();
        s_.pub[std::int64_t{m} * s_.published] = kernels_.multiply(s_.member[m], s_.n, q, s_.x, backwards);
      }
      me.barrier();

      R quad = 0;
      for (int m = 0; m < s_.members; ++m) {
        const R* const p = s_.pub + std::int64_t{m} * s_.published;
        quad += p[0];
        const int first = m * s_.dots_of_member, last = std::min(count, first + s_.dots_of_member);
        for (int k = first; k < last; ++k) raw[k] = p[1 + k - first];
      }
      T h_q = 0;
      for (int k = s_.source_begin[q / tile_order]; k < s_.source_begin[q / tile_order + 1]; ++k)
        h_q += in_groups(s_.sources[k], q % tile_order);
      const TilePlace<R>& place = s_.places[q / tile_order * (std::int64_t{1} + s_.blocks)];
      R b_q = place.first[q % tile_order / tile_columns_of_panel * place.stride +
                          q % tile_order / group_size<T> * tile_columns_of_panel * group_values<T> +
                          q % tile_columns_of_panel * group_values<T> + q % group_size<T>];
      for (int k = 0; k < columns; ++k) {
        const T dot = from_parts<T>(raw + k * planes<T>), other = from_parts<T>(raw + (k ^ 1) * planes<T>);
        const T factor = from_parts<T>(rq + k * planes<T>);
        to_parts(other, ds + k * planes<T>);
        h_q -= conjugate(from_parts<T>(rq + (k ^ 1) * planes<T>)) * other;
        b_q -= std::real(conjugate(from_parts<T>(rq + (k ^ 1) * planes<T>)) * factor);
        quad -= std::real(conjugate(dot) * other);
      }
      TileStep<T> step = form_reflector(j, alpha, raw[columns * planes<T>], quad, h_q, b_q, me.index() == 0);
      step.i = i;
      step.ds = ds;
      step.rq = rq;
      for (int m = me.index(); m < s_.members; m += me.count())
        kernels_.form_rows(step, m, s_.dots + std::int64_t{m} * s_.dots_stride);

      if (++i < s_.panel || j + 2 >= n) {
        if (!me.step()) return;
      } else {
        i = 0;
        if (me.index() == 0) next_column_ = j + 1;
        if (!me.regroup(me.index() == 0 && !progress_->reached(j + 1))) return;
        update(me, j + 1);
      }
    }
  }

  void update(TeamThread& me, std::int64_t next) {
    for (int m = me.index(); m < s_.members; m += me.count())
      kernels_.update(s_.member[m], s_.n, static_cast<int>(next), s_.panel, s_.vw);
  }

  // h_q, b_q: row q of A' x and of column q of A'. quad: x^H A' x. tail: the square of x below its first row, alpha.
  // If a column of A' is far below these rows of the same column of A, only rounding errors are left, and it counts as reduced: reflectors of
  // errors that are equal in all rows would cost Q its orthogonality.
  TileStep<T> form_reflector(std::int64_t j, T alpha, R tail, R quad, T h_q, R b_q, bool writes) {
    TileStep<T> z{s_.n,
                  s_.members,
                  s_.blocks,
                  s_.panel,
                  0,
                  static_cast<int>(j + 1),
                  s_.x,
                  s_.vw,
                  s_.source_begin,
                  s_.sources,
                  s_.places,
                  nullptr,
                  nullptr,
                  0,
                  0,
                  {},
                  {},
                  {},
                  &a_(place(0), place(j)),
                  lower_ ? 1 : -1,
                  s_.row_q};
    const R real = std::real(alpha), imaginary = std::imag(alpha);
    z.beta = real;
    T s = 0, tau = 0;
    const R noise = std::numeric_limits<R>::epsilon() * (4 + R(s_.n) / 8);
    if (tail + imaginary * imaginary >= std::max(negligible_square<R>, noise * noise * s_.squares[j])) {
      z.beta = -std::copysign(std::sqrt(real * real + imaginary * imaginary + tail), real);
      s = R(1) / (alpha - z.beta);
      tau = (z.beta - alpha) / z.beta;
    }
    const R of_v = std::norm(s) * (quad + z.beta * (z.beta * b_q - 2 * std::real(h_q)));  // v^H A' v
    const T tau_s = tau * s;
    z.half = R(0.5) * std::norm(tau) * of_v;
    const T w_q = tau_s * (h_q - z.beta * b_q) - z.half;
    to_parts(s, z.s);
    to_parts(tau_s, z.tau_s);
    to_parts(w_q, z.w_q);
    if (writes) {
      const std::int64_t of_column = lower_ ? j : s_.n - 2 - j;
      d_[place(j + 1)] = b_q - 2 * std::real(w_q);
      e_[of_column] = z.beta;
      tau_[of_column] = tau;
    }
    return z;
  }

  const bool lower_;
  const MatrixView<T> a_;
  R *const d_, *const e_;
  T* const tau_;
  Tiles<T> s_;
  const TileKernels<T> kernels_;
  std::optional<ReductionProgress> progress_;
  std::int64_t next_column_ = 0;  // where threads that join begin; 0: with the tiles of their members
};

}  // namespace

template <class T>
std::uint64_t tridiagonalize_bytes_on_cpu(std::int64_t n) {
  return bytes_taken([&](Arena& arena) { Tiles<T>(arena, n); });
}

template <class T>
void tridiagonalize_on_cpu(Uplo uplo, MatrixView<T> a, real_t<T>* d, real_t<T>* e, T* tau, Arena scratch,
                           const std::function<void(double fraction)>& progress) {
  if (a.rows > 0) TileReduction<T>(uplo, a, d, e, tau, scratch).run(progress);
}

EIGEN_G_INSTANTIATE(all_types, tridiagonalize_on_cpu, tridiagonalize_bytes_on_cpu);

}  // namespace eigen_g
