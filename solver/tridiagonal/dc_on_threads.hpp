// OnThreads: the divide and conquer on the CPU's threads, with the phases and levels of dc_levels.hpp. Solves on the CPU use it.
//
// Below, every merge of a level is one thread's work. Above, every phase is a loop over fixed pieces that threads share. The pieces
// depend on n alone, and every sum has its order, so that results are the same for any number of threads.
//
// C and U lie in memory as the products read them. A merge's part of C has three pieces: the kept columns in child 1's rows, the kept columns
// in child 2's rows, both as [tiles of rows][column][tile_rows], and the deflated columns one after the other. U has its columns in groups,
// [group][row][columns of the group], and only the columns of one panel at a time. The products of the last merge go to their places in
// the caller's Z. Before the last merge Q is in the caller's Z if that has n columns. With a range of rows C has the rows of the range.
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/memory/arena.hpp"
#include "solver/tridiagonal/dc_kernels.hpp"
#include "solver/tridiagonal/dc_levels.hpp"

namespace eigen_g::dc {

// A phase runner for solve_levels() in dc_levels.hpp.
template <class R>
class OnThreads {
 public:
  // The memory for a T of order n, `rows` rows of its vectors (0: values only) and at most `most` pairs.
  struct Workspace {
    R *arrays = nullptr, *ends = nullptr, *q = nullptr, *c = nullptr, *u = nullptr;
    Workspace(Arena& arena, std::int64_t n, std::int64_t rows, std::int64_t most);
  };

  //   d, e     of the torn T (Division)
  //   values   the eigenvalues wanted, out
  //   z        (number of rows wanted) x (number of pairs wanted), out; data null: values only
  //   threads  the largest number of threads
  //   wanted   a subset, and the first row wanted. Without vectors the last merge computes only the roots that may belong to the subset
  OnThreads(const Division& division, const std::vector<R>& d, const std::vector<R>& e, R* values,
            MatrixView<R> z, const Workspace& own, int threads, const Selection& wanted = {});

  Batch<R> first_batch() { return {merges_.data(), shapes_.data(), 0, 0, x_, {}, &failed_, true, false}; }
  bool takes_whole(const Batch<R>& batch) const;
  void merge_whole(const Batch<R>& batch);
  bool in_one_launch(const Batch<R>&) const { return false; }
  void multiply_together(const Batch<R>&, Roots) const {}

  void solve_leaves(const std::vector<Leaf>& leaves);
  void deflate(const Batch<R>& batch);
  void solve_secular(const Batch<R>& batch);
  void order_values(const Batch<R>& batch, bool with_vectors);
  void compress(const Batch<R>& batch);
  void form_end_rows(const Batch<R>& batch);
  void keep(const Batch<R>&) const {}  // the products and form_end_rows() do its work
  void multiply_apart(const std::vector<Merge>& merges, const Batch<R>& batch, Roots roots);

  std::vector<R> values() const { return {x_.d, x_.d + n_}; }
  LastMerge last_merge(const Batch<R>& batch, const Selected& found);
  int exponent() const { return exponent_; }
  void store(const Selected& found);
  DivideAndConquerResult result(const Selected& found) const { return result_on_cpu(failed_, found); }

 private:
  // A merge of a batch with its shape, its arrays and its parts of C and of a panel of U.
  struct Part;
  struct Piece;
  Part part(const Batch<R>& batch, Index m) const;
  RankOne<R> rank_one(const Part& p) const;

  template <class Pieces, class Act>
  void each_piece(const Batch<R>& batch, const Pieces& pieces, const Act& act);
  void solve_leaf(const Leaf& leaf);
  bool solve_together(const Leaf* leaves, Index count);
  void store_leaf(const Leaf& leaf, const R* values, const R* z, Index columns_apart, Index rows_apart);
  void deflate_one(const Part& p) const;
  void solve_roots(const Part& p, Index begin, Index end);
  Roots roots_to_solve(const Part& p, bool last) const;
  void order_one(const Part& p) const;
  void correct(const Part& p, Index begin, Index end) const;
  void compress_rows(const Part& p, bool upper_rows, Index begin, Index end) const;
  void compress_ends(const Part& p) const;
  void form_ends(const Part& p, Index begin, Index end) const;
  Roots panel_of(const Part& p, Roots roots, Index panel) const;
  void form_u(const Part& p, bool forms_ends, Roots panel, Index group) const;
  void multiply(const Part& p, bool end_rows, Roots panel, Index block) const;
  void keep_deflated(const Part& p, bool end_rows, Index begin, Index end) const;
  R* column(const Part& p, bool last, Index t) const;
  Index blocks_of(const Part& p, Roots panel) const;
  void note_failure(Index index);

  Index n_;
  Rows rows_;
  int threads_;
  R* values_;
  MatrixView<R> z_, q_;
  MatrixView<R> ends_of_q_, ends_of_c_;  // end rows, if Q does not have all rows; else data is null
  Kernels<R> kernels_;
  std::vector<Merge> merges_;
  std::vector<Shape<R>> shapes_;
  Arrays<R> x_{};
  R *c_, *u_;
  Selected found_;
  Selection wanted_;
  double before_last_;  // fraction of the work before the last merge
  int exponent_;
  Index block_rows_, block_columns_;
  unsigned failed_ = ~0u;
};

}  // namespace eigen_g::dc
