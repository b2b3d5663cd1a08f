#include "solver/tridiagonal/dc_on_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/tridiagonal/dc_crew.hpp"
#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_host.hpp"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_secular.hpp"
#include "solver/tridiagonal/dc_z_vector.hpp"

namespace eigen_g::dc {

namespace {

// Levels with several merges of at most this order: a merge is one thread's work.
constexpr Index largest_whole_merge = 160;
// Columns of a panel of U, at most; roots, weights and columns of a piece.
constexpr Index columns_of_panel = 512, roots_of_piece = 8, weights_of_piece = 16, columns_of_piece = 8;
static_assert(columns_of_panel % block_columns == 0 && largest_whole_merge <= columns_of_panel);
constexpr Index max_tile_rows = 64, max_leaves = 16;
static_assert(leaf_rows == 8, "SolveLeaves");

Index panel_width(std::int64_t n) {
  return static_cast<Index>(std::min<std::int64_t>(columns_of_panel, round_up(n, std::int64_t{16})));
}
// Values of C for each row: the columns and the unused rows of the tiles.
template <class R>
std::int64_t pitch(std::int64_t n, const Kernels<R>& kernels) {
  return round_up(n + 2 * kernels.tile_rows, std::int64_t{16});
}
// Values of C for the unused rows of a merge of which only some rows are in the range. There are two such merges in a level, at most.
template <class R>
std::int64_t unused(std::int64_t n, std::int64_t rows, const Kernels<R>& kernels) {
  return rows < n ? 2 * kernels.tile_rows * n : 0;
}

template <class R>
Kernels<R> kernels_of_width() {
  return EIGEN_G_OF_WIDTH(dc_kernels<R>)();
}

// One thread whose sums over poles go in vectors.
template <class R>
struct InVectors : OneThread {
  SecularSums<R> sums;
};
template <class R>
Sums<R> secular_sums(const InVectors<R>& crew, const Secular<R>& f, R origin, R tau, Index psi_end,
                     Index phi_begin) {
  R s[4];
  crew.sums(f.pole, f.weight, f.k, origin, tau, psi_end, phi_begin, s);
  return {s[0], s[1], s[2], s[3]};
}

Index pieces_of(Index count, Index piece) {
  return (count + piece - 1) / piece;
}

}  // namespace

template <class R>
struct OnThreads<R>::Part {
  Merge merge;
  Shape<R>* shape;
  Arrays<R> x;
  R *upper, *lower, *deflated, *u;  // the pieces of C, the panel of U; null: no row of the merge is kept
  Index row, upper_rows,
      lower_rows;  // the kept rows: the first one in Q, and their numbers in child 1 and in child 2
};

template <class R>
OnThreads<R>::Workspace::Workspace(Arena& arena, std::int64_t n, std::int64_t rows, std::int64_t most)
    : arrays(arena.take<R>(arrays_size<R>(n))),
      ends(arena.take<R>(rows < n ? 4 * n : 0)),
      q(arena.take<R>(most < n ? rows * n : 0)) {
  if (rows == 0) return;
  const Kernels<R> kernels = kernels_of_width<R>();
  c = arena.take<R>(rows * pitch(n, kernels) + 2 * unused(n, rows, kernels));
  u = arena.take<R>(n * panel_width(n));
}

template <class R>
OnThreads<R>::OnThreads(const Division& division, const std::vector<R>& d, const std::vector<R>& e, R* values,
                        MatrixView<R> z, const Workspace& own, int threads, const Selection& wanted)
    : n_(static_cast<Index>(d.size())),
      rows_(rows_of(z, wanted)),
      threads_(threads),
      values_(values),
      z_(z),
      q_(own.q ? MatrixView<R>{own.q, rows_.count, n_, rows_.count} : z),
      ends_of_q_{own.ends, 2, n_, 2},
      ends_of_c_{own.ends ? own.ends + 2 * std::int64_t{n_} : nullptr, 2, n_, 2},
      kernels_(kernels_of_width<R>()),
      x_(place_arrays(n_, own.arrays)),
      c_(own.c),
      u_(own.u),
      found_{0, n_},
      wanted_(wanted),
      before_last_(
          done_after(division.tree, division.tree.levels.size() - (division.tree.levels.empty() ? 0 : 1))),
      exponent_(division.exponent),
      block_rows_(n_ < 1500 ? block_rows / 2 : block_rows),
      block_columns_(n_ < 1500 ? block_columns / 2 : block_columns) {
  std::size_t most = 0;
  for (const auto& level : division.tree.levels) {
    merges_.insert(merges_.end(), level.begin(), level.end());
    most = std::max(most, level.size());
  }
  shapes_.resize(most);
  std::copy(d.begin(), d.end(), x_.d);
  std::copy(e.begin(), e.end(), x_.e);
}

template <class R>
void OnThreads<R>::note_failure(Index index) {
  const std::atomic_ref<unsigned> lowest(failed_);
  unsigned seen = lowest;
  while (static_cast<unsigned>(index) < seen &&
         !lowest.compare_exchange_weak(seen, static_cast<unsigned>(index))) {
  }
}

template <class R>
auto OnThreads<R>::part(const Batch<R>& batch, Index m) const -> Part {
  const Merge& merge = batch.merges[m];
  Part p{merge, &batch.shapes[m], batch.arrays.at(merge.first), nullptr, nullptr, nullptr, nullptr, 0, 0, 0};
  if (rows_.ends_only()) return p;
  const Index cut = rows_.lower_first(merge), end = rows_.end(merge);
  p.row = rows_.upper_first(merge);
  p.upper_rows = cut - p.row;
  p.lower_rows = end - cut;
  if (end == p.row) return p;
  const auto tiles = [&](Index rows) {
    return static_cast<std::int64_t>(round_up(rows, static_cast<Index>(kernels_.tile_rows)));
  };
  p.upper =
      c_ + p.row * pitch(n_, kernels_) + (merge.first > rows_.first ? unused(n_, rows_.count, kernels_) : 0);
  p.lower = p.upper + tiles(p.upper_rows) * p.shape->upper_end();
  p.deflated = p.lower + tiles(p.lower_rows) * (p.shape->k - p.shape->lower_begin());
  p.u = u_ + static_cast<std::int64_t>(merge.first) * panel_width(n_);
  return p;
}

template <class R>
RankOne<R> OnThreads<R>::rank_one(const Part& p) const {
  const Arrays<R>& x = p.x;
  return {p.shape->k,   p.shape->upper, p.shape->upper_end(), x.pole,      x.base,       x.tau,
          x.group_pole, x.group_weight, x.first_of_c,         x.last_of_c, x.first_of_q, x.last_of_q};
}

// Calls act(part, piece) for piece = 0 ... pieces(part) - 1 of every merge.
template <class R>
template <class Pieces, class Act>
void OnThreads<R>::each_piece(const Batch<R>& batch, const Pieces& pieces, const Act& act) {
  std::vector<std::int64_t> end(static_cast<std::size_t>(batch.count));
  std::int64_t count = 0;
  for (Index m = 0; m < batch.count; ++m) end[static_cast<std::size_t>(m)] = count += pieces(part(batch, m));
  for_each(count, threads_, [&](std::int64_t k) {
    const auto m = static_cast<std::size_t>(std::upper_bound(end.begin(), end.end(), k) - end.begin());
    act(part(batch, static_cast<Index>(m)), static_cast<Index>(k - (m > 0 ? end[m - 1] : 0)));
  });
}

// Component i of vector k is z[k * columns_apart + i * rows_apart], and its value is values[k * rows_apart].
template <class R>
void OnThreads<R>::store_leaf(const Leaf& leaf, const R* values, const R* z, Index columns_apart,
                              Index rows_apart) {
  const Index m = leaf.size, first = rows_.above(leaf.first), count = rows_.above(leaf.first + m) - first;
  const Index first_component = rows_.first + first - leaf.first;
  for (Index k = 0; k < m; ++k) {
    const R value = values[k * rows_apart];
    Index place = leaf.first;
    for (Index other = 0; other < m; ++other) {
      const R x = values[other * rows_apart];
      place += x < value || (x == value && other < k);
    }
    const R* const vector = z + k * columns_apart;
    x_.d[place] = value;
    x_.column[place] = place;
    for (Index i = 0; i < count; ++i) q_(first + i, place) = vector[(first_component + i) * rows_apart];
    if (ends_of_q_.data) {
      ends_of_q_(0, place) = vector[0];
      ends_of_q_(1, place) = vector[(m - 1) * rows_apart];
    }
  }
}

template <class R>
void OnThreads<R>::solve_leaf(const Leaf& leaf) {
  const Index m = leaf.size;
  R z[leaf_rows * leaf_rows] = {}, scratch[leaf_rows * leaf_rows], values[leaf_rows], e[leaf_rows];
  std::copy_n(x_.d + leaf.first, m, values);
  std::copy_n(x_.e + leaf.first, m - 1, e);
  for (Index i = 0; i < m; ++i) z[i * (m + 1)] = 1;
  if (!implicit_ql(m, values, e, PlainVectors<R>{z, m, m})) note_failure(leaf.first + 1);
  orthogonalize(OneThread{}, m, m, z, scratch);
  store_leaf(leaf, values, z, m, 1);
}

// One leaf a lane. Returns false if it has not converged.
template <class R>
bool OnThreads<R>::solve_together(const Leaf* leaves, Index count) {
  const Index lanes = kernels_.leaves;
  R d[leaf_rows * max_leaves] = {}, e[leaf_rows * max_leaves] = {}, z[leaf_rows * leaf_rows * max_leaves];
  for (Index c = 0; c < count; ++c)
    for (Index i = 0; i < leaves[c].size; ++i) {
      d[i * lanes + c] = x_.d[leaves[c].first + i];
      if (i + 1 < leaves[c].size) e[i * lanes + c] = x_.e[leaves[c].first + i];
    }
  if (!kernels_.solve_leaves(d, e, z)) return false;
  for (Index c = 0; c < count; ++c) store_leaf(leaves[c], d + c, z + c, leaf_rows * lanes, lanes);
  return true;
}

template <class R>
void OnThreads<R>::solve_leaves(const std::vector<Leaf>& leaves) {
  const auto count = static_cast<Index>(leaves.size());
  for_each(pieces_of(count, kernels_.leaves), threads_, [&](std::int64_t piece) {
    const Leaf* const first = leaves.data() + piece * kernels_.leaves;
    const Index here = std::min(kernels_.leaves, count - static_cast<Index>(piece) * kernels_.leaves);
    if (here > 1 && solve_together(first, here)) return;
    std::for_each(first, first + here, [&](const Leaf& leaf) { solve_leaf(leaf); });
  });
}

template <class R>
bool OnThreads<R>::takes_whole(const Batch<R>& batch) const {
  return batch.count > 1 && batch.largest <= largest_whole_merge;
}

template <class R>
void OnThreads<R>::merge_whole(const Batch<R>& batch) {
  for_each(batch.count, threads_, [&](std::int64_t m) {
    deflate_one(part(batch, static_cast<Index>(m)));
    const Part p = part(batch, static_cast<Index>(m));
    const Index k = p.shape->k, size = p.merge.size;
    solve_roots(p, 0, k);
    order_one(p);
    correct(p, 0, k);
    if (batch.rows.ends_only()) {
      compress_ends(p);
      form_ends(p, 0, size);
    }
    if (!p.u) return;
    const bool forms_ends = !batch.rows.ends_only();
    compress_rows(p, true, 0, size);
    compress_rows(p, false, 0, size);
    const Roots all{0, k};
    for (Index group = 0; group < pieces_of(k, kernels_.group); ++group) form_u(p, forms_ends, all, group);
    for (Index block = 0; block < blocks_of(p, all); ++block) multiply(p, true, all, block);
    keep_deflated(p, true, k, size);
  });
}

template <class R>
void OnThreads<R>::deflate_one(const Part& p) const {
  const R e = x_.e[p.merge.cut()];
  const MatrixView<const R> q = ends_of_q_.data ? ends_of_q_ : q_;
  const Rows rows = rows_.for_values(n_);
  for (Index i = 0; i < p.merge.size; ++i) form_z(p.merge, rows, q, p.x, e, i);
  dc::deflate(OneThread{}, p.merge, p.x, e, p.shape);
}
template <class R>
void OnThreads<R>::deflate(const Batch<R>& batch) {
  for_each(batch.count, threads_, [&](std::int64_t m) { deflate_one(part(batch, static_cast<Index>(m))); });
}

template <class R>
void OnThreads<R>::solve_roots(const Part& p, Index begin, Index end) {
  const InVectors<R> crew{{}, kernels_.secular_sums};
  const Index k = p.shape->k;
  const bool by_lanes = k > 1;
  if (by_lanes)
    kernels_.solve_roots(p.x.pole, p.x.weight, k, p.shape->rho, begin, end, p.x.base, p.x.tau, p.x.root);
  for (Index j = begin; j < end; ++j) {
    if (by_lanes && !std::isnan(p.x.root[j])) continue;
    if (!dc::solve_secular(crew, *p.shape, p.x, j)) note_failure(p.merge.first + j + 1);
  }
}
// The roots to solve: all, but in the last merge of a subset's values the roots that may be in the subset. Root j is between poles j and j + 1,
// so every other root can be placed in the order without being known: its lower pole stands for it.
template <class R>
Roots OnThreads<R>::roots_to_solve(const Part& p, bool last) const {
  const Index k = p.shape->k;
  const Subset& subset = wanted_.subset;
  if (!last || !rows_.ends_only() || subset.by == Subset::By::all) return {0, k};
  const R* const pole = p.x.pole;
  Roots roots{0, k};
  if (subset.by == Subset::By::index) {
    std::vector<R> deflated(p.x.deflated, p.x.deflated + (p.merge.size - k));
    std::sort(deflated.begin(), deflated.end());
    const auto below = [&](R x, bool equal) {
      return count_below(deflated.data(), static_cast<Index>(deflated.size()), x, equal);
    };
    while (roots.begin + 1 < k && roots.begin + below(pole[roots.begin + 1], true) < subset.first - 1)
      ++roots.begin;
    while (roots.end > roots.begin && roots.end - 1 + below(pole[roots.end - 1], false) >= subset.last)
      --roots.end;
  } else {
    const Selected between = select(subset, k, pole, exponent_, wanted_.scale);
    roots = {static_cast<Index>(std::max<std::int64_t>(0, between.first - 1)),
             static_cast<Index>(between.first + between.count)};
  }
  for (Index j = 0; j < k; ++j)
    if (j < roots.begin || j >= roots.end) p.x.root[j] = pole[j];
  return roots;
}
template <class R>
void OnThreads<R>::solve_secular(const Batch<R>& batch) {
  std::vector<Roots> roots;
  roots.reserve(static_cast<std::size_t>(batch.count));
  for (Index m = 0; m < batch.count; ++m) roots.push_back(roots_to_solve(part(batch, m), !batch.end_rows));
  const auto roots_of = [&](const Part& p) {
    return roots[static_cast<std::size_t>(p.shape - batch.shapes)];
  };
  each_piece(
      batch, [&](const Part& p) { return pieces_of(roots_of(p).count(), roots_of_piece); },
      [&](const Part& p, Index piece) {
        const Index begin = roots_of(p).begin + piece * roots_of_piece;
        solve_roots(p, begin, std::min(roots_of(p).end, begin + roots_of_piece));
      });
}

// The order of order_value(): ascending, among equal values roots first, then deflated values in merged order.
template <class R>
void OnThreads<R>::order_one(const Part& p) const {
  const Arrays<R>& x = p.x;
  const Index k = p.shape->k, deflated = p.merge.size - k;
  Index* const order = x.survivor;
  std::iota(order, order + deflated, 0);
  std::sort(order, order + deflated, [&](Index i, Index j) {
    return x.deflated[i] < x.deflated[j] || (x.deflated[i] == x.deflated[j] && i < j);
  });
  Index root = 0, next = 0;
  for (Index place = 0; place < p.merge.size; ++place) {
    const bool is_root = next == deflated || (root < k && x.root[root] <= x.deflated[order[next]]);
    const Index t = is_root ? root++ : k + order[next++];
    x.d[place] = is_root ? x.root[t] : x.deflated[t - k];
    x.column[place] = p.merge.first + t;
  }
}

template <class R>
void OnThreads<R>::correct(const Part& p, Index begin, Index end) const {
  for (Index first = begin; first < end; first += weights_of_piece) {
    R weight[weights_of_piece];
    const Index count = std::min(weights_of_piece, end - first);
    kernels_.correct_weights(rank_one(p), first, count, weight);
    for (Index i = first; i < first + count; ++i) {
      p.x.group_pole[p.x.group[i]] = p.x.pole[i];
      p.x.group_weight[p.x.group[i]] = std::copysign(weight[i - first], p.x.weight[i]);
    }
  }
}

template <class R>
void OnThreads<R>::order_values(const Batch<R>& batch, bool with_vectors) {
  each_piece(
      batch, [&](const Part& p) { return 1 + (with_vectors ? pieces_of(p.shape->k, weights_of_piece) : 0); },
      [&](const Part& p, Index piece) {
        if (piece == 0) return order_one(p);
        const Index begin = (piece - 1) * weights_of_piece;
        correct(p, begin, std::min(p.shape->k, begin + weights_of_piece));
      });
}

// The kept rows of child 1, or of child 2, of the columns to which merged entries begin ... end - 1 lead, as compress_row().
template <class R>
void OnThreads<R>::compress_rows(const Part& p, bool upper_rows, Index begin, Index end) const {
  const Merge& merge = p.merge;
  const Shape<R>& shape = *p.shape;
  const Arrays<R>& x = p.x;
  const Index k = shape.k, tile = kernels_.tile_rows;
  const Index kept = p.upper_rows + p.lower_rows, first_row = upper_rows ? 0 : p.upper_rows;
  const Index rows = upper_rows ? p.upper_rows : p.lower_rows, row_of_q = p.row + first_row;
  const bool has_first = rows_.is_first(merge, row_of_q),
             has_last = rows_.is_last(merge, row_of_q + rows - 1);
  const Index first_column = upper_rows ? 0 : shape.lower_begin();
  const Index inner = (upper_rows ? shape.upper_end() : k) - first_column;
  // The rows from `row` on of an entry's column of Q; null: zeros.
  const auto entries = [&](Index t, Index row) -> const R* {
    const Index column = x.source[t];
    return (column - merge.first < merge.upper) == upper_rows ? &q_(row_of_q + row, column) : nullptr;
  };
  const auto to_kept = [&](Index target, Index row) {
    return (upper_rows ? p.upper : p.lower) + static_cast<std::int64_t>(row) * inner +
           static_cast<std::int64_t>(target - first_column) * tile;
  };
  const auto write = [&](Index target, Index row, Index count, const R* values) {
    if (target >= k) {
      std::copy_n(values, count, p.deflated + static_cast<std::int64_t>(target - k) * kept + first_row + row);
    } else {
      R* const to = to_kept(target, row);
      std::fill(std::copy_n(values, count, to), to + tile, R(0));
      if (has_first && row == 0) x.first_of_c[target] = values[0];
      if (has_last && row + count == rows) x.last_of_c[target] = values[count - 1];
    }
  };
  for (Index s = begin; s < end; ++s) {
    if (x.linked[s] || compress_skips(shape, x, upper_rows, s)) continue;
    for (Index row = 0; row < rows; row += tile) {
      const Index count = std::min(tile, rows - row);
      R carried[max_tile_rows] = {}, rotated[max_tile_rows];
      if (const R* const from = entries(s, row)) std::copy_n(from, count, carried);
      Index last = s;
      for (Index t = x.link[s]; t >= 0; t = x.link[t]) {
        const R* const from = entries(t, row);
        const R c = x.cosine[last], sn = x.sine[last];
        for (Index i = 0; i < count; ++i) {
          const R other = from ? from[i] : R(0);
          rotated[i] = c * carried[i] + sn * other;
          carried[i] = c * other - sn * carried[i];
        }
        write(x.target[last], row, count, rotated);
        last = t;
      }
      const Index target = x.target[last];
      if (upper_rows ? x.kind[last] != lower_kind : target >= shape.lower_begin())
        write(target, row, count, carried);
    }
  }
}

// The end rows of C for values only.
template <class R>
void OnThreads<R>::compress_ends(const Part& p) const {
  for (Index s = 0; s < p.merge.size; ++s)
    for (const Index row : {0, 1})
      if (!p.x.linked[s] && !compress_skips(*p.shape, p.x, row == 0, s))
        compress_row(p.merge, *p.shape, p.x, ends_of_q_, ends_of_c_, row, row == 0,
                     row == 0 ? p.x.first_of_c : p.x.last_of_c, s,
                     entry_of_row(p.merge, p.x, ends_of_q_, row, row == 0, s));
}

template <class R>
void OnThreads<R>::compress(const Batch<R>& batch) {
  if (batch.rows.ends_only()) return;  // form_end_rows()
  const auto pieces = [](const Part& p) { return p.u ? pieces_of(p.merge.size, columns_of_piece) : 0; };
  each_piece(
      batch, [&](const Part& p) { return 2 * pieces(p); },
      [&](const Part& p, Index piece) {
        const bool upper = piece < pieces(p);
        const Index begin = (upper ? piece : piece - pieces(p)) * columns_of_piece;
        compress_rows(p, upper, begin, std::min(p.merge.size, begin + columns_of_piece));
      });
}

// The end rows of columns begin ... end - 1 of Q.
template <class R>
void OnThreads<R>::form_ends(const Part& p, Index begin, Index end) const {
  const Index k = p.shape->k, roots_end = std::min(k, end);
  for (Index j = begin; j < roots_end; j += kernels_.group)
    kernels_.form_columns(rank_one(p), j, roots_end, true, nullptr);
  for (Index t = begin; t < end; ++t) {
    ends_of_q_(0, p.merge.first + t) = t < k ? p.x.first_of_q[t] : ends_of_c_(0, p.merge.first + t);
    ends_of_q_(1, p.merge.first + t) = t < k ? p.x.last_of_q[t] : ends_of_c_(1, p.merge.first + t);
  }
}
template <class R>
void OnThreads<R>::form_end_rows(const Batch<R>& batch) {
  each_piece(
      batch, [](const Part&) { return 1; }, [&](const Part& p, Index) { compress_ends(p); });
  const Index piece_columns = std::max(kernels_.group, columns_of_piece);
  each_piece(
      batch, [&](const Part& p) { return pieces_of(p.merge.size, piece_columns); },
      [&](const Part& p, Index piece) {
        form_ends(p, piece * piece_columns, std::min(p.merge.size, (piece + 1) * piece_columns));
      });
}

// The roots of a panel of U.
template <class R>
Roots OnThreads<R>::panel_of(const Part& p, Roots roots, Index panel) const {
  const Index begin = roots.begin + panel * panel_width(n_), end = std::min(roots.end, p.shape->k);
  return {begin, std::min(end, begin + panel_width(n_))};
}

template <class R>
void OnThreads<R>::form_u(const Part& p, bool forms_ends, Roots panel, Index group) const {
  const Index j = group * kernels_.group;
  kernels_.form_columns(rank_one(p), panel.begin + j, panel.end, forms_ends,
                        p.u + static_cast<std::int64_t>(j) * p.shape->k);
}

// Where column t of the merge's Q goes; null: the caller does not want it.
template <class R>
R* OnThreads<R>::column(const Part& p, bool last, Index t) const {
  if (!last) return &q_(p.row, p.merge.first + t);
  const std::int64_t place = p.x.survivor[t] - found_.first;  // multiply_apart()
  return place >= 0 && place < found_.count ? &z_(0, place) : nullptr;
}

template <class R>
Index OnThreads<R>::blocks_of(const Part& p, Roots panel) const {
  return pieces_of(panel.count(), block_columns_) *
         (pieces_of(p.upper_rows, block_rows_) + pieces_of(p.lower_rows, block_rows_));
}

// One block of the panel's columns of Q := C U, by columns and then by rows.
template <class R>
void OnThreads<R>::multiply(const Part& p, bool end_rows, Roots panel, Index block) const {
  const Merge& merge = p.merge;
  const Shape<R>& shape = *p.shape;
  const Index upper_blocks = pieces_of(p.upper_rows, block_rows_);
  const Index row_blocks = upper_blocks + pieces_of(p.lower_rows, block_rows_);
  const Index first_column = block / row_blocks * block_columns_;
  const Index columns = std::min(block_columns_, panel.count() - first_column);
  const bool upper_rows = block % row_blocks < upper_blocks;
  const Index row = (block % row_blocks - (upper_rows ? 0 : upper_blocks)) * block_rows_;
  const Index rows = std::min(block_rows_, (upper_rows ? p.upper_rows : p.lower_rows) - row);
  const Index kept_row = (upper_rows ? 0 : p.upper_rows) + row, row_of_q = p.row + kept_row;
  const bool has_first = end_rows && rows_.is_first(merge, row_of_q),
             has_last = end_rows && rows_.is_last(merge, row_of_q + rows - 1);
  const Index padded = round_up(rows, static_cast<Index>(kernels_.tile_rows));
  const Index first_inner = upper_rows ? 0 : shape.lower_begin();
  const Index inner = (upper_rows ? shape.upper_end() : shape.k) - first_inner;

  alignas(64) R sum[block_rows * block_columns];
  if (inner > 0)
    kernels_.multiply_block(
        padded, pieces_of(columns, kernels_.group), inner,
        (upper_rows ? p.upper : p.lower) + static_cast<std::int64_t>(row) * inner, inner,
        p.u + static_cast<std::int64_t>(first_column) * shape.k + first_inner * kernels_.group, shape.k, sum);
  else
    std::fill_n(sum, padded * columns, R(0));
  for (Index j = 0; j < columns; ++j) {
    const Index root = panel.begin + first_column + j;
    R* const to = column(p, !end_rows, root);
    if (!to) continue;
    std::copy_n(sum + j * padded, rows, to + kept_row);
    if (has_first) to[kept_row] = p.x.first_of_q[root];
    if (has_last) to[kept_row + rows - 1] = p.x.last_of_q[root];
  }
}

template <class R>
void OnThreads<R>::keep_deflated(const Part& p, bool end_rows, Index begin, Index end) const {
  const Index kept = p.upper_rows + p.lower_rows;
  for (Index t = begin; t < end; ++t)
    if (R* const to = column(p, !end_rows, t))
      std::copy_n(p.deflated + static_cast<std::int64_t>(t - p.shape->k) * kept, kept, to);
}

template <class R>
void OnThreads<R>::multiply_apart(const std::vector<Merge>&, const Batch<R>& batch, Roots roots) {
  const bool end_rows = batch.end_rows;
  if (!end_rows)
    for (Index place = 0; place < n_; ++place) x_.survivor[x_.column[place]] = place;
  const auto deflated_pieces = [&](const Part& p, Index panel) {
    return p.u && panel == 0 ? pieces_of(p.merge.size - p.shape->k, columns_of_piece) : 0;
  };
  Index panels = 1;
  for (Index m = 0; m < batch.count; ++m)
    panels = std::max(panels, pieces_of(Roots{roots.begin, std::min(roots.end, batch.shapes[m].k)}.count(),
                                        panel_width(n_)));
  for (Index panel = 0; panel < panels; ++panel) {
    each_piece(
        batch,
        [&](const Part& p) { return p.u ? pieces_of(panel_of(p, roots, panel).count(), kernels_.group) : 0; },
        [&](const Part& p, Index group) { form_u(p, batch.forms_ends(), panel_of(p, roots, panel), group); });
    each_piece(
        batch,
        [&](const Part& p) { return deflated_pieces(p, panel) + blocks_of(p, panel_of(p, roots, panel)); },
        [&](const Part& p, Index piece) {
          const Index before = deflated_pieces(p, panel), first = p.shape->k + piece * columns_of_piece;
          if (piece < before)
            keep_deflated(p, end_rows, first, std::min(p.merge.size, first + columns_of_piece));
          else
            multiply(p, end_rows, panel_of(p, roots, panel), piece - before);
        });
    if (!end_rows && wanted_.progress)
      wanted_.progress(
          std::lerp(before_last_, 1.0, static_cast<double>(panel + 1) / static_cast<double>(panels)));
  }
}

template <class R>
LastMerge OnThreads<R>::last_merge(const Batch<R>& batch, const Selected& found) {
  found_ = found;
  const Index* const first = x_.column + found.first;
  return {batch.shapes[0].k, {first, first + found.count}};
}

template <class R>
void OnThreads<R>::store(const Selected& found) {
  for (std::int64_t i = 0; i < found.count; ++i) values_[i] = std::ldexp(x_.d[found.first + i], exponent_);
  if (rows_.ends_only() || !merges_.empty()) return;
  for (std::int64_t i = 0; i < found.count; ++i)
    if (const R* const from = &q_(0, found.first + i); from != &z_(0, i))
      std::copy_n(from, rows_.count, &z_(0, i));
}

EIGEN_G_INSTANTIATE_CLASS(real_types, OnThreads);

}  // namespace eigen_g::dc
