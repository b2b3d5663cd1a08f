#include "solver/reduction/two_stage/full_to_band_on_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <exception>
#include <limits>

#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/two_stage/band_tile_kernels.hpp"

namespace eigen_g {

namespace {

// Chunks of a panel's rows, and parts of the sums over them in V^H V and V^H W. They depend on the number of rows alone, because results
// depend on them.
constexpr std::int64_t max_band_chunks = 32, rows_of_chunk = 64, max_band_parts = 8, rows_of_part = 512;
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
  R *t, *g, *z;             // of the panel, packed
  R *gram_v, *gram_w;       // max_band_parts parts
  R *dots, *rows;           // of the present and of the next column
  R* factors;               // a part for each thread
  T* tau;                   // of the panel, and zeros up to its width
  R *below,
      *squares;  // of the columns of A: the square of the rows below the band, and the column's part of |A|_F^2

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
    factors = arena.take<R>(max_team_threads(n) * row_values);
    tau = arena.take<T>(panel.width);
    below = arena.take<R>(n);
    squares = arena.take<R>(n);
  }
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
    progress_ = &progress;
    if (n_ > b_ + 1) run_team(threads, [&](TeamThread& me) { work(me); });
    if (thrown_) std::rethrow_exception(thrown_);
    const std::int64_t done = panels_end();
    for (std::int64_t j = done; j < n_; ++j) give_column(j, n_);
  }

 private:
  static T of_pair(const R* p) {
    if constexpr (is_complex<T>)
      return {p[0], p[1]};
    else
      return p[0];
  }
  static void to_pair(T x, R* p) {
    p[0] = std::real(x);
    if constexpr (is_complex<T>) p[1] = std::imag(x);
  }
  static T conj(T x) {
    if constexpr (is_complex<T>)
      return std::conj(x);
    else
      return x;
  }

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
      if (!me.regroup(me.index() == 0 && !report(j + b_))) return;
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
    R* const f = s_.factors + me.index() * s_.row_values;
    const auto eliminate = [&](const BandColumn<T>& z) {
      R* const dots = s_.dots + (z.c & 1) * max_band_chunks * s_.row_values;
      for_chunks(me, chunks, [&](std::int64_t k, std::int64_t begin, std::int64_t end) {
        kernels_.eliminate(p, z, begin, end, dots + k * s_.row_values);
      });
    };
    if (me.index() == 0) {
      claimed_rows_ = claimed_sums_ = claimed_tiles_ = 0;
      for (std::int64_t c = 0; c < b_; ++c) give_column(p.column + c, p.first);
    }
    for_chunks(me, chunks, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      kernels_.take_panel(p, begin, end);
    });
    eliminate({-1, {}, false, nullptr, -1, p.first, s_.rows + s_.row_values});
    if (!me.step()) return false;
    for (int c = 0; c < columns; ++c) {
      eliminate(form_reflector(p, c, chunks.pieces, f, me.index() == 0));
      if (!me.step()) return false;
    }
    for_chunks(me, chunks, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      kernels_.give_v(p, begin, end, a_.data, a_.lda);
    });
    me.barrier();
    return true;
  }

  // The reflector of column c of the panel, and the factors f of the later columns. If the part of the column below the band is negligible, only
  // rounding errors are left, and it counts as reduced: reflectors of errors that are equal in all rows would cost Q its orthogonality.
  BandColumn<T> form_reflector(const BandPanel<T>& p, int c, std::int64_t chunks, R* f, bool writes) {
    const R* const row = s_.rows + (~c & 1) * s_.row_values;
    const R* const dots = s_.dots + (~c & 1) * max_band_chunks * s_.row_values;
    const std::int64_t j = p.column + c, pivot = p.first + c;
    const auto sum = [&](int k) {
      for (int part = k * planes<T>; part < p.b * planes<T>; ++part) f[part] = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
        for (int part = k * planes<T>; part < p.b * planes<T>; ++part)
          f[part] += dots[chunk * s_.row_values + part];
    };
    sum(c);
    const T alpha = of_pair(row + c * planes<T>);
    const R tail = f[c * planes<T>], noise = std::numeric_limits<R>::epsilon() * (4 + R(n_) / 8);
    const bool reflects = tail >= std::max(negligible_, noise * noise * s_.below[j]);
    T beta = alpha, s = 0, tau = 0;
    if (reflects) {
      const R real = std::real(alpha), size = -std::copysign(std::sqrt(std::norm(alpha) + tail), real);
      beta = size;
      s = R(1) / (alpha - size);
      tau = (size - alpha) / size;
    }
    BandColumn<T> z{
        c, {}, reflects, f, pivot, pivot + 1 < n_ ? pivot + 1 : -1, s_.rows + (c & 1) * s_.row_values};
    to_pair(s, z.s);
    if (writes) {
      tau_[j] = s_.tau[c] = tau;
      band_(b_, j) = beta;
    }
    for (int k = c + 1; k < p.b; ++k) {
      const T above = of_pair(row + k * planes<T>),
              factor = conj(tau) * (above + conj(s) * of_pair(f + k * planes<T>));
      to_pair(factor, f + k * planes<T>);
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
    std::int64_t height = p.order;
    while (height % (2 * kernels_.multiple) == 0 && height > 2 * kernels_.multiple &&
           n_ - p.first < 3 * height * me.count() && me.count() > 1)
      height /= 2;
    const std::int64_t multiple = kernels_.multiple, first = p.first / height,
                       ranges = (n_ + height - 1) / height - first;
    for (std::int64_t k = claimed_rows_++; k < ranges + tasks; k = claimed_rows_++) {
      if (k < ranges)
        kernels_.multiply(p, std::max(p.first / multiple * multiple, (first + k) * height),
                          std::min(round_up(n_, multiple), (first + k + 1) * height));
      else
        form_gram(p, false, k - ranges);
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

  // False if the caller's progress function has thrown.
  bool report(std::int64_t columns) noexcept {
    if (!*progress_) return true;
    try {
      const double left = static_cast<double>(n_ - columns) / static_cast<double>(n_);
      (*progress_)(1 - left * left * left);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return !thrown_;
  }

  const std::int64_t n_, b_;
  const MatrixView<T> a_, band_;
  T* const tau_;
  const BandTileKernels<T> kernels_;
  BandArrays<T> s_;
  R negligible_ = 0;
  // The next claims of rows of W, of tiles of V^H W, and of tiles of A.
  std::atomic<std::int64_t> claimed_rows_{0}, claimed_sums_{0}, claimed_tiles_{0};
  const std::function<void(double)>* progress_ = nullptr;
  std::exception_ptr thrown_;
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
