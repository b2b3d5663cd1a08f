// OnHost: the divide and conquer on the CPU, with the same phases, levels and memory layout as on a GPU. Loops replace the launches, and
// dgemm or sgemm replaces cuBLAS. The tests use it. Solves on the CPU use OnThreads instead (dc_on_threads.hpp), which is faster.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/tridiagonal/dc_leaf.hpp"
#include "solver/tridiagonal/dc_levels.hpp"

namespace eigen_g::dc {

// The columns of Z for implicit_ql(): `rows` rows, leading dimension ldz.
template <class R>
struct PlainVectors {
  R* z;
  std::int64_t rows, ldz;
  void begin_sweep(Index) const {}
  void end_sweep(Index) const {}
  void sync() const {}
  void keep(R* array, Index i, R x, bool yes) const {
    if (yes) array[i] = x;
  }
  Index end_of_block(const R* e, Index l, Index size, R negligible) const {
    return block_end(e, l, size, negligible);
  }
  void rotate(Index i, R c, R s) const {
    for (std::int64_t r = 0; r < rows; ++r) {
      const R low = z[r + i * ldz], high = z[r + (i + 1) * ldz];
      z[r + (i + 1) * ldz] = s * low + c * high;
      z[r + i * ldz] = c * low - s * high;
    }
  }
};

// A phase runner for solve_levels() in dc_levels.hpp. It owns all memory except the caller's values and z. Memory that has not been
// written holds NaN. It uses one thread, in addition to OpenBLAS's own.
template <class R>
class OnHost {
 public:
  //   division, d, e of the torn T
  //   values         the eigenvalues wanted, out
  //   rows           of the vectors
  //   z              rows.count x (number of pairs wanted), out
  //   panel_columns  columns of U in one slice
  OnHost(const Division& division, const std::vector<R>& d, const std::vector<R>& e, R* values, Rows rows,
         MatrixView<R> z, Index panel_columns);

  Batch<R> first_batch() { return {merges_.data(), shapes_.data(), 0, 0, x_, {}, &failed_, true, false}; }
  bool takes_whole(const Batch<R>&) const { return false; }
  void merge_whole(const Batch<R>&) const {}
  bool in_one_launch(const Batch<R>&) const { return false; }
  void multiply_together(const Batch<R>&, Roots) const {}

  void solve_leaves(const std::vector<Leaf>& leaves);
  void deflate(const Batch<R>& batch);
  void solve_secular(const Batch<R>& batch);
  void order_values(const Batch<R>& batch, bool with_vectors);
  void compress(const Batch<R>& batch);
  void form_end_rows(const Batch<R>& batch);
  void keep(const Batch<R>& batch);
  void multiply_apart(const std::vector<Merge>& merges, const Batch<R>& batch, Roots roots);

  std::vector<R> values() const { return {x_.d, x_.d + n_}; }
  LastMerge last_merge(const Batch<R>& batch, const Selected& found) const;
  int exponent() const { return exponent_; }
  void store(const Selected& found);
  DivideAndConquerResult result(const Selected& found) const { return result_on_cpu(failed_, found); }

 private:
  struct Matrices {
    std::vector<R> storage;
    MatrixView<R> q, c;
    void take(std::int64_t height, Index n);
  };
  // Q and C with these rows.
  const Matrices& of(Rows rows) const { return rows.ends_only() ? ends_ : kept_; }
  void solve_leaf(const Leaf& leaf);
  void note_failure(Index index);

  Index n_;
  int exponent_;
  Rows rows_;
  Matrices kept_, ends_;
  Index panel_columns_;
  R* values_;
  MatrixView<R> z_;
  std::vector<Merge> merges_;
  std::vector<Shape<R>> shapes_;
  std::vector<R> storage_, panel_storage_;
  Arrays<R> x_{};
  MatrixView<R> u_;
  unsigned failed_ = ~0u;
};

// T = Z diag(w) Z^T in host memory by OnHost. Arguments and result are as in divide_and_conquer() on a GPU; T is torn inside.
// Blocks until done. Cost: at most 4/3 n^3 flops, and memory for two n x n matrices and one of n x panel_columns. Throws std::bad_alloc.
template <class R>
DivideAndConquerResult divide_and_conquer_on_host(std::int64_t n, R* d, const same_t<R>* e,
                                                  MatrixView<same_t<R>> z, const Selection& selection = {},
                                                  Index panel_columns = 1024);

}  // namespace eigen_g::dc
