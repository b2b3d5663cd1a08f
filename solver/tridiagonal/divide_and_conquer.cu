// Divide and conquer on one GPU.
//
//   T        tridiagonal, scaled to 1, torn into leaves; d, e its diagonals, in the end d the eigenvalues
//   Q        n x n in the workspace or lent by the caller: block diagonal, the eigenvectors of the leaves, then of each
//            level's merges; of the last one, where a subset is wanted, only the columns that are in it
//   C        n x n lent or in Z's place until the end: Q's columns rotated and grouped, deflated ones last (compressed Q)
//   U        n x panel_columns in the workspace: eigenvectors of the rank-one problems, some columns at a time
//   k        poles that do not deflate
//
//        level 0        level 1        level 2                a merge:    k
//      [ Q1       ]   [       |   ]   [       ]            rows of     [ C11 C12  .  | x ]   [ U ]
//      [   Q2     ] > [ Q12   |   ] > [ Q1234 ]            child 1                                  -> Q
//      [     Q3   ]   [-------+---]   [       ]            rows of     [  .  C22 C23 | x ]
//      [       Q4 ]   [       |Q34]   [       ]            child 2      upper dense lower deflated
//
// The lowest levels take one launch each, low ones six, and none of them waits for the host. A level with a large merge
// waits once, for the k of its merges, which shape the products by cuBLAS. Values only: Q and C are two rows, U is never
// formed.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/tridiagonal/dc_device.hpp"
#include "solver/tridiagonal/dc_large_product.hpp"
#include "solver/tridiagonal/dc_tree.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

namespace {

using namespace dc;

constexpr std::int64_t panel_column_multiple = 128;

constexpr std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

template <class T>
std::int64_t doubles_of(std::int64_t count) {
  return round_up(count * static_cast<std::int64_t>(sizeof(T)), sizeof(double)) /
         static_cast<std::int64_t>(sizeof(double));
}

struct Workspace {
  MatrixView<double> q, panel;
  MatrixView<double> end_rows;  // C where there is no Z
  Shape* shapes;                // of one level
  Arrays arrays;
  Leaf* leaves;  // this and what follows: as upload() places them
  Merge* merges;
  unsigned* failed;
};

// The one place that knows the workspace's parts.
class Layout {
 public:
  Layout(std::int64_t n, bool vectors, bool with_q) : n_(n), vectors_(vectors), with_q_(with_q) {}

  std::int64_t doubles() const {
    return matrices() + doubles_of<Shape>(shapes()) + lists() + arrays_doubles(n_);
  }
  // Of the first failure, leaves and merges, which stand before d and e.
  std::int64_t lists() const { return 1 + doubles_of<Leaf>(n_) + doubles_of<Merge>(n_); }
  Workspace place(double* from) const {
    const auto take = [&](std::int64_t count) {
      double* const part = from;
      from += count;
      return part;
    };
    Workspace w{};
    if (vectors_) {
      if (with_q_) w.q = {take(lda() * n_), n_, n_, lda()};
      w.panel = {take(lda() * panel_columns()), n_, panel_columns(), lda()};
    } else {
      w.q = {take(2 * n_), 2, n_, 2};
      w.end_rows = {take(2 * n_), 2, n_, 2};
    }
    w.shapes = reinterpret_cast<Shape*>(take(doubles_of<Shape>(shapes())));
    take(lists());
    w.arrays = place_arrays(n_, take(arrays_doubles(n_)));
    return w;
  }

 private:
  std::int64_t lda() const { return round_up(n_, 2); }
  std::int64_t panel_columns() const {
    return std::min(n_, std::max(solver_tuning().dc_min_panel_columns,
                                 3 * n_ / 16 / panel_column_multiple * panel_column_multiple));
  }
  std::int64_t matrices() const { return vectors_ ? lda() * ((with_q_ ? n_ : 0) + panel_columns()) : 4 * n_; }
  // Merges of one level, each of more rows than a leaf.
  std::int64_t shapes() const { return n_ / leaf_rows + 1; }

  std::int64_t n_;
  bool vectors_, with_q_;
};

template <class T>
void copy(const Queue& queue, T* to, const T* from, std::size_t count) {
  if (count > 0)
    EIGEN_G_CUDA(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, queue.stream()));
}

std::vector<double> to_host(const Queue& queue, const double* from, Index count) {
  std::vector<double> to(static_cast<std::size_t>(count));
  copy(queue, to.data(), from, to.size());
  return to;
}

// Failure, leaves, merges, d, e in one copy, by way of pinned memory of lists() + 2 n doubles.
void upload(const Queue& queue, const std::vector<double>& d, const std::vector<double>& e, const Tree& tree,
            double* pinned, Workspace& w) {
  double* to = pinned;
  const auto put = [&]<class T>(const std::vector<T>& items) {
    std::copy(items.begin(), items.end(), reinterpret_cast<T*>(to));
    return std::exchange(to, to + doubles_of<T>(static_cast<std::int64_t>(items.size()))) - pinned;
  };
  std::vector<Merge> merges;
  for (const auto& level : tree.levels) merges.insert(merges.end(), level.begin(), level.end());
  put(std::vector{~0u});
  const auto leaves_at = put(tree.leaves), merges_at = put(merges), d_at = put(d);
  put(e);
  double* const start = w.arrays.d - d_at;
  w.failed = reinterpret_cast<unsigned*>(start);
  w.leaves = reinterpret_cast<Leaf*>(start + leaves_at);
  w.merges = reinterpret_cast<Merge*>(start + merges_at);
  copy(queue, start, pinned, static_cast<std::size_t>(to - pinned));
}

std::vector<Shape> shapes_of(const Queue& queue, const Batch& batch) {
  std::vector<Shape> shapes(static_cast<std::size_t>(batch.count));
  copy(queue, shapes.data(), batch.shapes, shapes.size());
  queue.wait();
  return shapes;
}

// d and column of a level; what else its vectors need, if there will be any.
void solve_level(const Queue& queue, const Batch& batch, bool with_vectors, const Workspace& w) {
  deflate(queue, batch, w.q);
  solve_secular(queue, batch);
  order_values(queue, batch, with_vectors);
}

// Q's columns of a level: the deflated ones and those of these roots.
void form_level(const Products<double>& products, const std::vector<Merge>& merges, const Batch& batch,
                Roots roots, const Workspace& w, MatrixView<double> c, SolveTeam* team) {
  const Queue& queue = products.queue();
  compress(queue, batch, w.q, c);
  const bool all_roots = roots.begin == 0 && roots.end >= batch.largest;
  const bool one_launch = batch.rows.all && batch.largest <= solver_tuning().dc_max_rows_in_one_launch;
  if (!one_launch || !all_roots) keep_deflated(queue, batch, c, w.q);
  if (!batch.rows.all) {
    form_end_rows(queue, batch, c, w.q);
  } else if (!one_launch) {
    multiply_large(products, merges, shapes_of(queue, batch), batch, roots, c, w.panel, w.q, team);
  } else if (const Index columns = Roots{roots.begin, std::min(roots.end, batch.largest)}.count();
             columns > 0) {
    form_vectors(queue, batch, roots.begin, columns, w.panel);
    multiply(queue, batch, roots.begin, columns, c, w.panel, w.q);
  }
}

// Which of T's values are wanted, by the values themselves where need be.
Selected select_on_device(const Queue& queue, const Wanted& wanted, Index n, int exponent, const Arrays& x) {
  std::vector<double> d;
  if (wanted.subset.by == Subset::By::value) {
    d = to_host(queue, x.d, n);
    queue.wait();
  }
  return select(wanted.subset, n, d.data(), exponent, wanted.scale);
}

// The roots among these values of the last merge: all that lie between two of them ascend as they do.
Roots roots_among(const Queue& queue, const Batch& last, const Selected& found) {
  std::vector<Index> column(static_cast<std::size_t>(found.count));
  copy(queue, column.data(), last.arrays.column + found.first, column.size());
  const Index k = shapes_of(queue, last).front().k;
  Roots roots{k, 0};
  for (const Index root : column) {
    if (root >= k) continue;
    roots.begin = std::min(roots.begin, root);
    roots.end = std::max(roots.end, root + 1);
  }
  return roots;
}

}  // namespace

std::int64_t divide_and_conquer_workspace(std::int64_t n, bool with_vectors, bool with_q) {
  return Layout(n, with_vectors, with_q).doubles();
}

Outcome divide_and_conquer(const Products<double>& products, std::int64_t n, double* d_dev, double* e_dev,
                           MatrixView<double> z_dev, double* workspace_dev, const Wanted& wanted,
                           const MergePlaces& places, SolveTeam* team) {
  if (n == 0) return {};
  const Queue& queue = products.queue();
  const auto order = static_cast<Index>(n);
  const Rows rows{z_dev.data != nullptr};
  const Layout layout(n, rows.all, !places.q.data);
  double* const pinned = kept_pinned(layout.lists() + 2 * n);
  copy(queue, pinned, d_dev, static_cast<std::size_t>(n));
  copy(queue, pinned + n, e_dev, static_cast<std::size_t>(n - 1));
  queue.wait();
  std::vector<double> d(pinned, pinned + n), e(pinned + n, pinned + 2 * n - 1);
  const Division division = divide(d, e);
  if (division.not_finite >= 0) return {Status::not_converged, division.not_finite + 1, {}};

  Workspace w = layout.place(workspace_dev);
  if (rows.all && places.q.data) w.q = places.q;
  const MatrixView<double> c = !rows.all ? w.end_rows : places.compressed.data ? places.compressed : z_dev;
  const Tree& tree = division.tree;
  const bool subset = wanted.subset.by != Subset::By::all;
  const Roots every_root{0, order};
  Selected found{0, n};
  upload(queue, d, e, tree, pinned, w);

  solve_leaves(queue, w.leaves, static_cast<Index>(tree.leaves.size()), w.arrays, rows, w.q, w.failed);
  if (subset && tree.levels.empty())
    found = select_on_device(queue, wanted, order, division.exponent, w.arrays);
  Batch batch{w.merges, w.shapes, 0, 0, w.arrays, rows, w.failed};
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    const bool last = level + 1 == tree.levels.size();
    batch.count = static_cast<Index>(tree.levels[level].size());
    batch.largest = tree.largest[level];
    const bool small = batch.largest <= small_merge_rows;
    const bool with_vectors = rows.all || !last;  // the last values need none
    if (small)
      merge_small(queue, batch, w.q, c);
    else
      solve_level(queue, batch, with_vectors, w);
    if (last && subset) found = select_on_device(queue, wanted, order, division.exponent, w.arrays);
    if (!small && with_vectors)
      form_level(products, tree.levels[level], batch,
                 last && subset ? roots_among(queue, batch, found) : every_root, w, c, team);
    batch.merges += batch.count;
  }
  const MatrixView<double> stored{z_dev.data, n, found.count, z_dev.lda};
  store_ordered(queue, order, static_cast<Index>(found.first), division.exponent, w.arrays, w.q, d_dev,
                stored);

  auto* const failure = reinterpret_cast<unsigned*>(pinned);
  copy(queue, failure, w.failed, 1);
  queue.wait();
  const unsigned failed = *failure;
  return failed == ~0u ? Outcome{Status::converged, 0, found} : Outcome{Status::not_converged, failed, {}};
}

}  // namespace eigen_g
