#include "solver/reduction/two_stage/full_to_band_on_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "hybrid/instantiate.hpp"
#include "hybrid/parts.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/reduction_progress.hpp"
#include "solver/reduction/two_stage/band_tile_kernels.hpp"

namespace eigen_g {

namespace {

// Chunks of a panel's rows, and parts of the sums over them in V^H V and V^H W. They depend on the number of rows alone, because results
// depend on them.
constexpr std::int64_t max_band_chunks = 32, rows_of_chunk = 64, max_band_parts = 8, rows_of_part = 512;
constexpr int small_claims = 4;  // claims of a row of tiles

std::int64_t band_pieces(std::int64_t rows, std::int64_t rows_of_piece, std::int64_t most) {
  return std::clamp<std::int64_t>(rows / rows_of_piece, 1, most);
}

// A range of `count` numbers from `first` on, in `pieces` pieces.
struct BandPieces {
  std::int64_t first, count, pieces;
  std::int64_t begin(std::int64_t piece) const { return first + piece * count / pieces; }
  std::int64_t end(std::int64_t piece) const { return begin(piece + 1); }
};

// The arrays of a reduction.
template <class T>
struct BandArrays {
  using R = real_t<T>;
  BandPanel<T> panel{};
  std::int64_t row_values;  // distance of arrays with a number for each column of the panel
  R *t, *g, *z;             // the small matrices of the panel, packed
  R *gram_v, *gram_w;       // V^H V and V^H W, max_band_parts parts
  R *dots, *rows;           // two of each: the present column's and the next one's
  R* projections;           // the sum of BandTileKernels::project, then its max_band_chunks parts
  R* factors;  // a part for each thread: the factors of one column, then the factors of band_step columns
  T* tau;      // the panel's, and zeros up to its width
  R *below, *squares;  // for each column of A: the square of its rows below the band, and its part of |A|_F^2

  BandArrays(Arena& arena, std::int64_t n, std::int64_t b, const BandTileKernels<T>& kernels) {
    panel.n = n;
    panel.b = static_cast<int>(b);
    panel.order = kernels.order;
    panel.rows = kernels.rows;
    panel.blocks = (n + kernels.order - 1) / kernels.order;
    panel.width = static_cast<int>(round_up(b, kernels.multiple));
    panel.groups = static_cast<int>(round_up(b, kernels.rows)) / kernels.rows;
    panel.tiles = arena.take<R>(panel.blocks * (panel.blocks + 1) / 2 * panel.tile_values());
    const std::int64_t strips = panel.padded_rows() / panel.rows;
    panel.left = arena.take<R>(strips * panel.strip_values());
    panel.right = arena.take<R>(strips * panel.strip_values());
    panel.along = arena.take<R>(panel.along_values());
    panel.w = arena.take<R>(panel.padded_rows() * planes<T> * panel.row_of_w());
    constexpr std::int64_t line = 128 / static_cast<std::int64_t>(sizeof(R));
    row_values = round_up(b * planes<T>, line);
    t = arena.take<R>(panel.square_values());
    g = arena.take<R>(panel.square_values());
    z = arena.take<R>(panel.square_values());
    gram_v = arena.take<R>(max_band_parts * panel.square_values());
    gram_w = arena.take<R>(max_band_parts * panel.square_values());
    dots = arena.take<R>(2 * max_band_chunks * row_values);
    rows = arena.take<R>(2 * row_values);
    projections = arena.take<R>((max_band_chunks + 1) * panel.step_values());
    factors = arena.take<R>(max_team_threads(n) * factors_values());
    tau = arena.take<T>(panel.width);
    below = arena.take<R>(n);
    squares = arena.take<R>(n);
  }
  std::int64_t factors_values() const { return row_values + panel.step_values(); }
};

template <class T>
class BandReduction {
 public:
  using R = real_t<T>;
  BandReduction(std::int64_t b, MatrixView<T> a, MatrixView<T> band, T* tau, Arena scratch)
      : n_(a.cols),
        b_(b),
        a_(a),
        band_(band),
        tau_(tau),
        kernels_(EIGEN_G_OF_WIDTH(band_tile_kernels<T>)()),
        s_(scratch, a.cols, b, kernels_) {}

  void run(const std::function<void(double)>& progress) {
    const int threads = team_threads(n_);
    BandPanel<T>& p = s_.panel;
    for_each(p.blocks, threads, [&](std::int64_t j) {
      for (std::int64_t i = j; i < p.blocks; ++i) kernels_.pack(p, i, j, a_.data, a_.lda);
    });
    for_each(n_, threads, [&](std::int64_t j) { measure(j); });
    R sum = 0;
    for (std::int64_t j = 0; j < n_; ++j) sum += s_.squares[j];
    constexpr R ulp = std::numeric_limits<R>::epsilon();
    negligible_ = std::max(negligible_square<R>, ulp * ulp * sum);
    std::fill_n(tau_, n_, T(0));
    std::fill_n(s_.tau, p.width, T(0));
    progress_.emplace(n_, 3, progress);
    if (n_ > b_ + 1) run_team(threads, [&](TeamThread& me) { work(me); });
    progress_->rethrow();
    for (std::int64_t j = panels_end(); j < n_; ++j) give_column(j, n_);
  }

 private:
  // Sums of several terms at a time, because an addition waits for the one before.
  static R square_of(const R* p, std::int64_t count) {
    constexpr int ways = 16;
    R sum[ways] = {};
    std::int64_t i = 0;
    for (; i + ways <= count; i += ways)
      for (int k = 0; k < ways; ++k) sum[k] += p[i + k] * p[i + k];
    for (; i < count; ++i) sum[0] += p[i] * p[i];
    for (int half = ways / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) sum[k] += sum[k + half];
    return sum[0];
  }
  void measure(std::int64_t j) {
    const std::int64_t lower = std::min(n_, j + b_ + 1);
    const R* const column = reinterpret_cast<const R*>(a_.data + j * a_.lda);
    s_.below[j] = square_of(column + lower * planes<T>, (n_ - lower) * planes<T>);
    const R within = square_of(column + (j + 1) * planes<T>, (lower - j - 1) * planes<T>),
            diagonal = std::real(a_(j, j));
    s_.squares[j] = diagonal * diagonal + 2 * (within + s_.below[j]);
  }

  // The first column that no panel reduces: at most b + 1 columns are left.
  std::int64_t panels_end() const { return n_ > b_ + 1 ? (n_ - b_ - 2) / b_ * b_ + b_ : 0; }

  // Entries j ... end - 1 of column j of the matrix that is left.
  void give_column(std::int64_t j, std::int64_t end) {
    const std::int64_t order = kernels_.order;
    for (std::int64_t i = j; i < end; ++i) {
      const R* const at = s_.panel.tile(i / order, j / order) + j % order * order + i % order;
      if constexpr (is_complex<T>)
        band_(i - j, j) = {at[0], i == j ? R(0) : at[order * order]};
      else
        band_(i - j, j) = at[0];
    }
  }

  // The body of a thread of the team.
  void work(TeamThread& me) {
    for (std::int64_t j = me.late() ? next_column_ : 0; n_ - j > b_ + 1; j += b_) {
      BandPanel<T> p = s_.panel;
      p.column = j;
      p.first = j + b_;
      if (!factor(me, p)) return;
      form_products(me, p);
      form_x(me, p);
      update(me, p);
      if (me.index() == 0) next_column_ = j + b_;
      if (!me.regroup(me.index() == 0 && !progress_->reached(j + b_))) return;
    }
  }

  // The strips of the panel's rows.
  BandPieces chunks(const BandPanel<T>& p) const {
    const std::int64_t first = p.first / p.rows;
    return {first, (n_ + p.rows - 1) / p.rows - first,
            band_pieces(n_ - p.first, rows_of_chunk, max_band_chunks)};
  }
  // body(chunk, first strip, last strip) for this thread's chunks.
  template <class Body>
  void for_chunks(const TeamThread& me, const BandPieces& chunks, const Body& body) const {
    const std::int64_t begin = me.index() * chunks.pieces / me.count(),
                       end = (me.index() + 1) * chunks.pieces / me.count();
    for (std::int64_t k = begin; k < end; ++k) body(k, chunks.begin(k), chunks.end(k));
  }

  // QR of the panel. False: this thread has left the team.
  bool factor(TeamThread& me, const BandPanel<T>& p) {
    const BandPieces chunks = this->chunks(p);
    const int columns = static_cast<int>(std::min(b_, n_ - p.first));
    R* const f = s_.factors + me.index() * s_.factors_values();
    const auto eliminate = [&](const BandColumn<T>& z) {
      R* const dots = dots_of(z.c);
      for_chunks(me, chunks, [&](std::int64_t k, std::int64_t begin, std::int64_t end) {
        kernels_.eliminate(p, z, begin, end, dots + k * s_.row_values);
      });
    };
    // The first of the columns c + 1 ... that are factored one by one.
    const auto start = [&](int c) {
      const int end = std::min(c + 1 + band_step, p.b);
      eliminate({c, end, true, false, {}, nullptr, -1, row_or_none(p.first + c + 1), rows_of(c)});
    };
    if (me.index() == 0) {
      claimed_rows_ = claimed_sums_ = claimed_tiles_ = 0;
      std::fill_n(s_.tau, b_, T(0));
    }
    for (int c = me.index(); c < p.b; c += me.count()) give_column(p.column + c, p.first);
    for_chunks(me, chunks, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      kernels_.take_panel(p, begin, end);
    });
    start(-1);
    if (!me.step()) return false;
    for (int c = 0; c < columns; ++c) {
      const int begin = c / band_step * band_step, end = begin + band_step;
      eliminate(form_reflector(p, c, std::min(end, p.b), chunks.pieces, f, me.index() == 0));
      if (c + 1 == std::min(end, columns) && end < p.b) {
        update_panel(me, p, begin, c + 1, chunks, f + s_.row_values);
        start(end - 1);
      }
      if (!me.step()) return false;
    }
    for_chunks(me, chunks, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      kernels_.give_v(p, begin, end, a_.data, a_.lda);
    });
    me.barrier();
    return true;
  }

  // Applies the reflectors of columns begin ... end - 1 to the columns from begin + band_step on, and moves the rows of their units to the band.
  void update_panel(TeamThread& me, const BandPanel<T>& p, int begin, int end, const BandPieces& chunks,
                    R* f) {
    const std::int64_t values = p.step_values();
    for_chunks(me, chunks, [&](std::int64_t k, std::int64_t first, std::int64_t last) {
      kernels_.project(p, begin, first, last, s_.projections + (k + 1) * values);
    });
    me.barrier();
    const BandPieces own{0, values, me.count()};
    for (std::int64_t i = own.begin(me.index()); i < own.end(me.index()); ++i) s_.projections[i] = 0;
    for (std::int64_t k = 1; k <= chunks.pieces; ++k)
      for (std::int64_t i = own.begin(me.index()); i < own.end(me.index()); ++i)
        s_.projections[i] += s_.projections[k * values + i];
    me.barrier();
    kernels_.form_factors(p, begin, s_.tau, s_.projections, f);
    for_chunks(me, chunks, [&](std::int64_t, std::int64_t first, std::int64_t last) {
      kernels_.apply(p, begin, f, first, last);
      for (int c = begin; c < end; ++c) {
        const std::int64_t row = p.first + c, strip = row / p.rows;
        if (strip < first || strip >= last) continue;
        for (int k = begin + band_step; k < p.b; ++k) {
          T above{};
          R* const at =
              p.left + strip * p.strip_values() + std::int64_t{k} * planes<T> * p.rows + row % p.rows;
          for (int plane = 0; plane < planes<T>; ++plane) {
            reinterpret_cast<R*>(&above)[plane] = at[plane * p.rows];
            at[plane * p.rows] = 0;
          }
          band_(b_ + c - k, p.column + k) = above;
        }
      }
    });
  }

  std::int64_t row_or_none(std::int64_t i) const { return i < n_ ? i : -1; }
  // The row and the dot products that belong to the column behind column c.
  R* rows_of(int c) const { return s_.rows + (c & 1) * s_.row_values; }
  R* dots_of(int c) const { return s_.dots + (c & 1) * max_band_chunks * s_.row_values; }

  // The reflector of column c of the panel, and the factors f of the columns up to `end`. If the part of the column below the band is negligible,
  // only rounding errors are left, and it counts as reduced: reflectors of errors that are equal in all rows would cost Q its orthogonality.
  BandColumn<T> form_reflector(const BandPanel<T>& p, int c, int end, std::int64_t chunks, R* f,
                               bool writes) {
    const R *const row = rows_of(c - 1), *const dots = dots_of(c - 1);
    const std::int64_t j = p.column + c, pivot = p.first + c;
    const int from = c * planes<T>, until = end * planes<T>;
    for (int k = from; k < until; ++k) f[k] = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
      for (int k = from; k < until; ++k) f[k] += dots[chunk * s_.row_values + k];
    const T alpha = from_parts<T>(row + c * planes<T>);
    const R tail = f[c * planes<T>], noise = std::numeric_limits<R>::epsilon() * (4 + R(n_) / 8);
    const bool reflects = tail >= std::max(negligible_, noise * noise * s_.below[j]);
    T beta = alpha, s = 0, tau = 0;
    if (reflects) {
      const R real = std::real(alpha), size = -std::copysign(std::sqrt(std::norm(alpha) + tail), real);
      beta = size;
      s = R(1) / (alpha - size);
      tau = (size - alpha) / size;
    }
    BandColumn<T> z{c, end, false, reflects, {}, f, pivot, row_or_none(pivot + 1), rows_of(c)};
    to_parts(s, z.s);
    if (writes) {
      tau_[j] = s_.tau[c] = tau;
      band_(b_, j) = beta;
    }
    for (int k = c + 1; k < end; ++k) {
      const T above = from_parts<T>(row + k * planes<T>),
              factor = conjugate(tau) * (above + conjugate(s) * from_parts<T>(f + k * planes<T>));
      to_parts(factor, f + k * planes<T>);
      if (writes) band_(b_ + c - k, p.column + k) = above - factor;
    }
    return z;
  }

  // The tiles of V^H V: group g of rows, columns from c on; the upper triangle.
  int gram_tiles(const BandPanel<T>& p) const {
    int count = 0;
    for (int g = 0; g < p.groups; ++g) count += (p.width - g * p.rows) / kernels_.multiple;
    return count;
  }
  BandPieces gram_parts(const BandPanel<T>& p) const {
    return {p.first, n_ - p.first, band_pieces(n_ - p.first, rows_of_part, max_band_parts)};
  }
  void form_gram(const BandPanel<T>& p, bool with_w, std::int64_t task) const {
    const BandPieces parts = gram_parts(p);
    const std::int64_t part = task % parts.pieces;
    int tile = static_cast<int>(task / parts.pieces), g = 0;
    const int multiple = kernels_.multiple;
    for (int count = 0; count = (p.width - g * p.rows) / multiple, tile >= count; ++g) tile -= count;
    kernels_.gram(p, with_w, g, g * p.rows + tile * multiple, parts.begin(part), parts.end(part),
                  (with_w ? s_.gram_w : s_.gram_v) + part * p.square_values());
  }
  // sums := the sum of its parts in columns begin ... end - 1.
  void add_parts(const BandPanel<T>& p, R* sums, int begin, int end) const {
    const std::int64_t parts = gram_parts(p).pieces, ld = p.row_of_w();
    for (int plane = 0; plane < planes<T>; ++plane)
      for (int c = begin; c < end; ++c) {
        R* const to = sums + (std::int64_t{plane} * p.width + c) * ld;
        for (std::int64_t k = 1; k < parts; ++k)
          for (int r = 0; r <= c; ++r) to[r] += to[k * p.square_values() + r];
      }
  }

  // W = A V, V^H V and V^H W, and T.
  void form_products(TeamThread& me, const BandPanel<T>& p) {
    const std::int64_t tasks = gram_tiles(p) * gram_parts(p).pieces;
    // Most claims are of whole rows of tiles. The last ones are smaller, so that the threads finish at the same time.
    const std::int64_t multiple = kernels_.multiple, first = p.first / p.order, rows = p.blocks - first,
                       large = me.count() == 1 ? rows : rows * 3 / 4 / me.count() * me.count(),
                       claims = large + (rows - large) * small_claims;
    for (std::int64_t k = claimed_rows_++; k < claims + tasks; k = claimed_rows_++) {
      if (k >= claims) {
        form_gram(p, false, k - claims);
        continue;
      }
      const std::int64_t small = k - large, height = small < 0 ? p.order : p.order / small_claims,
                         begin =
                             small < 0 ? (first + k) * p.order : (first + large) * p.order + small * height,
                         from = std::max(p.first / multiple * multiple, begin),
                         until = std::min(round_up(n_, multiple), begin + height);
      if (from < until) kernels_.multiply(p, from, until);
    }
    me.barrier();
    if (me.index() == me.count() - 1) {
      add_parts(p, s_.gram_v, 0, p.width);
      kernels_.form_t(p, s_.gram_v, s_.tau, s_.t);
    }
    for (std::int64_t k = claimed_sums_++; k < tasks; k = claimed_sums_++) form_gram(p, true, k);
    me.barrier();
    const std::int64_t ld = p.row_of_w();
    for (int c = me.index(); c < p.width; c += me.count()) {
      add_parts(p, s_.gram_w, c, c + 1);
      for (int plane = 0; plane < planes<T>; ++plane) {
        R* const sums = s_.gram_w + plane * p.width * ld;
        for (int r = 0; r < c; ++r) sums[c + r * ld] = plane == 0 ? sums[r + c * ld] : -sums[r + c * ld];
      }
    }
    me.barrier();
  }

  void form_x(TeamThread& me, const BandPanel<T>& p) {
    const int step = me.count() * kernels_.multiple;
    for (int r = me.index() * kernels_.multiple; r < p.width; r += step)
      kernels_.multiply_by_t(p, s_.t, s_.gram_w, r, s_.g);
    me.barrier();
    for (int r = me.index() * kernels_.multiple; r < p.width; r += step)
      kernels_.form_z(p, s_.t, s_.g, r, s_.z);
    me.barrier();
    BandPieces strips = chunks(p);
    strips.pieces = me.count();
    kernels_.form_x(p, s_.t, s_.z, strips.begin(me.index()), strips.end(me.index()));
    me.barrier();
  }

  // A thread claims several tiles of a column if there are many.
  void update(TeamThread& me, const BandPanel<T>& p) {
    const std::int64_t first = p.first / p.order, blocks = p.blocks - first,
                       run = blocks * blocks > 128 * me.count() ? 4 : 1;
    std::int64_t column = first, claims_before = 0;
    for (std::int64_t k = claimed_tiles_++;; k = claimed_tiles_++) {
      for (; column < p.blocks && k >= claims_before + (p.blocks - column + run - 1) / run; ++column)
        claims_before += (p.blocks - column + run - 1) / run;
      if (column >= p.blocks) return;
      const std::int64_t row = column + (k - claims_before) * run;
      for (std::int64_t i = row; i < std::min(row + run, p.blocks); ++i) kernels_.update(p, i, column);
    }
  }

  const std::int64_t n_, b_;
  const MatrixView<T> a_, band_;
  T* const tau_;
  const BandTileKernels<T> kernels_;
  BandArrays<T> s_;
  R negligible_ = 0;
  // The next claims of rows of W, of tiles of V^H W, and of tiles of A.
  std::atomic<std::int64_t> claimed_rows_{0}, claimed_sums_{0}, claimed_tiles_{0};
  std::optional<ReductionProgress> progress_;
  std::int64_t next_column_ = 0;  // where threads that join begin
};

}  // namespace

template <class T>
std::uint64_t full_to_band_bytes_on_threads(std::int64_t n, std::int64_t b) {
  return bytes_taken(
      [&](Arena& arena) { BandArrays<T>(arena, n, b, EIGEN_G_OF_WIDTH(band_tile_kernels<T>)()); });
}

template <class T>
void full_to_band_on_threads(std::int64_t b, MatrixView<same_t<T>> a, MatrixView<same_t<T>> band, T* tau,
                             Arena scratch, const std::function<void(double fraction)>& progress) {
  if (a.cols > 0) BandReduction<T>(b, a, band, tau, scratch).run(progress);
}

EIGEN_G_INSTANTIATE(all_types, full_to_band_on_threads, full_to_band_bytes_on_threads);

}  // namespace eigen_g
