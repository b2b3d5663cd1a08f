// Divide and conquer on one GPU.
//
//   T        tridiagonal, scaled to 1, torn into leaves; d and e are its diagonals, and at the end d has the eigenvalues
//   Q        n x n, in the workspace or the caller's: block diagonal, with the eigenvectors of the leaves, then of each level's
//            merges. If a subset is wanted, the last merge forms only its columns
//   C        n x n, the caller's or in Z until the end: columns of Q rotated and grouped, deflated ones last (compressed Q)
//   U        n x panel_columns, in the workspace: eigenvectors of the rank-one problems, one slice of columns at a time
//   k        number of poles that do not deflate
//
//        level 0        level 1        level 2                a merge:    k
//      [ Q1       ]   [       |   ]   [       ]            rows of     [ C11 C12  .  | x ]   [ U ]
//      [   Q2     ] > [ Q12   |   ] > [ Q1234 ]            child 1                                  -> Q
//      [     Q3   ]   [-------+---]   [       ]            rows of     [  .  C22 C23 | x ]
//      [       Q4 ]   [       |Q34]   [       ]            child 2      upper dense lower deflated
//
// The leaves and the merges of up to 64 rows need one launch together. On a GPU with clusters of blocks a level of up to 128 rows needs one launch, and
// of up to 256 rows two. The next levels need six each; none of them waits for the host. A level with a large merge waits once, for the k of its
// merges, because k determines the shape of the cuBLAS products. For values only, Q and C have two rows and U is never formed. With vectors the
// first and the last row of Q are computed by the same sums, so that the eigenvalues have the same bits.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/pinned_address.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/tridiagonal/dc_device.hpp"
#include "solver/tridiagonal/dc_end.hpp"
#include "solver/tridiagonal/dc_large_product.hpp"
#include "solver/tridiagonal/dc_levels.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g {

namespace {

using namespace dc;

constexpr std::int64_t panel_column_multiple = 128;

// Number of values of type R that take the memory of `count` objects of type T.
template <class R, class T>
std::int64_t room_of(std::int64_t count) {
  return round_up(count * static_cast<std::int64_t>(sizeof(T)), sizeof(R)) /
         static_cast<std::int64_t>(sizeof(R));
}

template <class R>
struct Workspace {
  MatrixView<R> q, panel;
  MatrixView<R> ends, compressed_ends;  // Q and C with the end rows, unless Q has all rows of T
  Shape<R>* shapes;                     // shapes of one level
  Arrays<R> arrays;
  Findings* findings;
  TreeOnDevice tree;  // without on_host and the numbers of words and leaves
};

// Divides the workspace into its parts. No other code knows their order.
template <class R>
class Layout {
 public:
  //   rows   of Q; 0: values only
  Layout(std::int64_t n, std::int64_t rows, bool with_q) : n_(n), rows_(rows), with_q_(with_q) {}

  // Size, in values, of the findings, and of the leaves and merges.
  std::int64_t findings() const { return room_of<R, Findings>(1); }
  std::int64_t lists() const {
    return room_of<R, Leaf>(n_) + room_of<R, Merge>(n_) + room_of<R, Subtree>(n_ / (3 * leaf_rows) + 1);
  }
  Workspace<R> place(Arena& arena) const {
    Workspace<R> w{};
    if (rows_ > 0) {
      if (with_q_) w.q = arena.matrix<R>(rows_, n_, round_up(rows_, 2));
      w.panel = arena.matrix<R>(n_, panel_columns(), round_up(n_, 2));
    }
    if (rows_ < n_) {
      w.ends = arena.matrix<R>(2, n_, 2);
      w.compressed_ends = arena.matrix<R>(2, n_, 2);
    }
    w.shapes = arena.take<Shape<R>>(n_ / leaf_rows + 1);  // merges of one level, each larger than a leaf
    R* const findings_and_lists = arena.take<R>(findings() + lists());
    w.findings = reinterpret_cast<Findings*>(findings_and_lists);
    if (findings_and_lists) w.tree.leaves = reinterpret_cast<Leaf*>(findings_and_lists + findings());
    R* const arrays = arena.take<R>(arrays_size<R>(n_));
    w.arrays = arrays ? place_arrays(n_, arrays) : Arrays<R>{};
    return w;
  }

 private:
  std::int64_t panel_columns() const {
    const SolverTuning& t = solver_tuning();
    return std::min(n_, std::clamp(3 * n_ / 16 / panel_column_multiple * panel_column_multiple,
                                   t.dc_min_panel_columns, t.dc_max_panel_columns));
  }

  std::int64_t n_, rows_;
  bool with_q_;
};

template <class T>
void copy(const Queue& queue, T* to, const T* from, std::size_t count) {
  if (count > 0)
    EIGEN_G_CUDA(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, queue.stream()));
}

// Writes the lists of a tree to pinned memory.
void write_lists(const Tree& tree, Index* pinned, TreeOnDevice& lists) {
  lists.on_host = in_kernels(pinned);
  lists.count = static_cast<Index>(tree.leaves.size());
  auto* const merges = reinterpret_cast<Merge*>(
      std::copy(tree.leaves.begin(), tree.leaves.end(), reinterpret_cast<Leaf*>(pinned)));
  Merge* end = merges;
  for (const auto& level : tree.levels) end = std::copy(level.begin(), level.end(), end);
  lists.merge_count = static_cast<Index>(end - merges);
  const std::vector<Subtree> subtrees = subtrees_of(tree);
  lists.subtree_count = static_cast<Index>(subtrees.size());
  auto* const end_of_all = std::copy(subtrees.begin(), subtrees.end(), reinterpret_cast<Subtree*>(end));
  lists.words = static_cast<Index>(reinterpret_cast<Index*>(end_of_all) - pinned);
}

// A phase runner for solve_levels() in dc_levels.hpp: the phases are launches on the products' queue.
template <class R>
class OnDevice {
 public:
  //   n             order of T
  //   rows          the rows of Q, C and Z
  //   compressed    C
  //   d_dev, z_dev  receive the values and the vectors
  //   findings      pinned memory for the findings
  //   member        null: no other GPU computes other rows
  OnDevice(const Products<R>& products, const Workspace<R>& workspace, Index n, Rows rows,
           MatrixView<R> compressed, R* d_dev, MatrixView<R> z_dev, Findings* findings, SolveTeam<R>* team,
           DivideAndConquerEnd* end, const RowMember<R>* member)
      : products_(products),
        queue_(products.queue()),
        w_(workspace),
        n_(n),
        rows_(rows),
        c_(compressed),
        d_dev_(d_dev),
        z_dev_(z_dev),
        findings_(findings),
        team_(team),
        end_(end),
        member_(member),
        work_(member ? member->all->rows.size() : 0) {}

  Batch<R> first_batch() const {
    return {w_.tree.merges(), w_.shapes, 0, 0, w_.arrays, rows_, &w_.findings->failed, true, false};
  }
  void solve_leaves(const std::vector<Leaf>& leaves) const {
    dc::solve_leaves(queue_, w_.tree.leaves, static_cast<Index>(leaves.size()), w_.arrays, rows_, w_.q,
                     w_.ends, &w_.findings->failed);
  }
  std::size_t solve_subtrees(const Tree& tree, const Batch<R>& batch) const {
    if (w_.tree.subtree_count == 0) return 0;
    if (batch.rows.count == rows_.count)
      dc::solve_subtrees(queue_, w_.tree, batch, q_of(batch.rows), c_of(batch.rows));
    else
      solve_subtrees_in_range(queue_, w_.tree, batch, w_.ends, w_.compressed_ends, rows_, w_.q, c_);
    return std::min<std::size_t>(subtree_levels, tree.levels.size());
  }
  bool takes_whole(const Batch<R>& batch) const { return batch.largest <= largest_small_merge(batch.count); }
  void merge_whole(const Batch<R>& batch) const {
    if (batch.rows.count == rows_.count)
      merge_small(queue_, batch, q_of(batch.rows), c_of(batch.rows), w_.panel);
    else
      merge_small_in_range(queue_, batch, w_.ends, w_.compressed_ends, rows_, w_.q, c_, w_.panel);
  }
  void deflate(const Batch<R>& batch) const { dc::deflate(queue_, batch, q_of(batch.rows)); }
  void solve_secular(const Batch<R>& batch) const { dc::solve_secular(queue_, batch); }
  void order_values(const Batch<R>& batch, bool with_vectors) const {
    dc::order_values(queue_, batch, with_vectors);
  }
  void compress(const Batch<R>& batch) const {
    dc::compress(queue_, batch, q_of(batch.rows), c_of(batch.rows));
  }
  void form_end_rows(const Batch<R>& batch) const { dc::form_end_rows(queue_, batch); }
  void keep(const Batch<R>& batch) const { dc::keep(queue_, batch, c_of(batch.rows), q_of(batch.rows)); }
  bool in_one_launch(const Batch<R>& batch) const {
    return batch.largest <= solver_tuning().dc_max_rows_in_one_launch;
  }
  void multiply_together(const Batch<R>& batch, Roots roots) const {
    if (roots.count() == 0) return;
    form_vectors(queue_, batch, roots.begin, roots.count(), w_.panel);
    multiply(queue_, batch, roots.begin, roots.count(), c_, w_.panel, w_.q);
  }
  void multiply_apart(const std::vector<Merge>& merges, const Batch<R>& batch, Roots roots) {
    const std::vector<Shape<R>> all = shapes(batch);
    if (member_ && !batch.end_rows)
      return multiply_with_members(products_, merges.front(), all.front(), batch, roots, c_, w_.panel, w_.q,
                                   *member_, work_);
    multiply_large(products_, merges, all, batch, roots, c_, w_.panel, w_.q, team_);
    for (std::size_t i = 0; member_ && i < merges.size(); ++i)
      add_work(merges[i], all[i], member_->all->rows, all[i].k, work_);
  }

  std::vector<R> values() const {
    std::vector<R> d(static_cast<std::size_t>(n_));
    copy(queue_, d.data(), w_.arrays.d, d.size());
    queue_.wait();
    return d;
  }
  LastMerge last_merge(const Batch<R>& batch, const Selected& found) const {
    std::vector<Index> columns(static_cast<std::size_t>(found.count));
    copy(queue_, columns.data(), w_.arrays.column + found.first, columns.size());
    return {shapes(batch).front().k, std::move(columns)};
  }
  int exponent() const { return findings().exponent; }
  void store(const Selected& found) const {
    const MatrixView<R> stored{z_dev_.data, z_dev_.rows, found.count, z_dev_.lda};
    store_ordered(queue_, static_cast<Index>(found.first), w_.findings, in_kernels(findings_), w_.arrays,
                  w_.q, d_dev_, stored);
  }
  DivideAndConquerResult result(const Selected& found) const {
    if (end_) {
      end_->record(queue_, findings_);
      return {Status::converged, 0, found};
    }
    queue_.wait();
    return result_of(*findings_, found);
  }
  // The findings so far. The host waits for them.
  const Findings& findings() const {
    copy(queue_, findings_, w_.findings, 1);
    queue_.wait();
    return *findings_;
  }

 private:
  std::vector<Shape<R>> shapes(const Batch<R>& batch) const {
    std::vector<Shape<R>> shapes(static_cast<std::size_t>(batch.count));
    copy(queue_, shapes.data(), batch.shapes, shapes.size());
    queue_.wait();
    return shapes;
  }

  // Q and C with these rows.
  MatrixView<R> q_of(Rows rows) const { return rows.ends_only() ? w_.ends : w_.q; }
  MatrixView<R> c_of(Rows rows) const { return rows.ends_only() ? w_.compressed_ends : c_; }

  const Products<R>& products_;
  const Queue& queue_;
  const Workspace<R>& w_;
  Index n_;
  Rows rows_;
  MatrixView<R> c_;
  R* d_dev_;
  MatrixView<R> z_dev_;
  Findings* findings_;
  SolveTeam<R>* team_;
  DivideAndConquerEnd* end_;
  const RowMember<R>* member_;
  std::vector<double> work_;  // work of each member in the merges so far (row_moves())
};

}  // namespace

template <class R>
std::uint64_t divide_and_conquer_bytes(std::int64_t n, std::int64_t rows, bool with_q) {
  return bytes_taken([&](Arena& arena) { Layout<R>(n, rows, with_q).place(arena); });
}

template <class R>
DivideAndConquerResult divide_and_conquer(const Products<R>& products, std::int64_t n, same_t<R>* d_dev,
                                          same_t<R>* e_dev, MatrixView<same_t<R>> z_dev, Arena scratch_dev,
                                          const Selection& selection, const MergeBuffers<R>& places,
                                          SolveTeam<R>* team, DivideAndConquerEnd* end,
                                          const RowMember<R>* member) {
  if (n == 0) return {};
  const Queue& queue = products.queue();
  const auto order = static_cast<Index>(n);
  const Rows rows = rows_of(z_dev, selection);
  const Layout<R> layout(n, rows.count, !places.q.data);
  R* const pinned =
      reinterpret_cast<R*>(queue.resources().pinned(room_of<double, R>(layout.findings() + layout.lists())));
  Workspace<R> w = layout.place(scratch_dev);
  if (!rows.ends_only() && places.q.data) w.q = places.q;
  const MatrixView<R> c = places.compressed.data ? places.compressed : z_dev;
  const Tree tree = make_tree(order);
  write_lists(tree, reinterpret_cast<Index*>(pinned + layout.findings()), w.tree);
  dc::tear(queue, order, w.tree, d_dev, e_dev, w.arrays, w.findings);
  auto* const findings = reinterpret_cast<Findings*>(pinned);
  OnDevice<R> on(products, w, order, rows, c, d_dev,
                 {z_dev.data, rows.ends_only() ? n : z_dev.rows, n, z_dev.lda}, findings,
                 rows.count == n ? team : nullptr, end, member);
  return solve_levels(on, tree, order, rows, selection);
}

EIGEN_G_INSTANTIATE(real_types, divide_and_conquer, divide_and_conquer_bytes);

}  // namespace eigen_g
