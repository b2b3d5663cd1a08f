// The divide and conquer on the CPU by the same acts, levels and layout as on a GPU: loops for launches, dgemm for cuBLAS.
// The tests run it; solves on the CPU take LAPACK's dstedc, which is faster.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/tridiagonal/dc_leaf.hpp"
#include "solver/tridiagonal/dc_levels.hpp"

namespace eigen_g::dc {

// Columns of Z for implicit_ql: `rows` of them, leading dimension ldz.
struct PlainVectors {
  double* z;
  std::int64_t rows, ldz;
  void begin_sweep(Index) const {}
  void end_sweep(Index) const {}
  void sync() const {}
  void keep(double* array, Index i, double x, bool yes) const {
    if (yes) array[i] = x;
  }
  Index end_of_block(const double* e, Index l, Index size, double negligible) const {
    return block_end(e, l, size, negligible);
  }
  void rotate(Index i, double c, double s) const {
    for (std::int64_t r = 0; r < rows; ++r) {
      const double low = z[r + i * ldz], high = z[r + (i + 1) * ldz];
      z[r + (i + 1) * ldz] = s * low + c * high;
      z[r + i * ldz] = c * low - s * high;
    }
  }
};

// An executor of dc_levels.hpp. All memory is its own but d and z; what has not been written is NaN. One thread,
// but for OpenBLAS's own.
class OnHost {
 public:
  //   d, e  of the torn T (Division)     z  n x the pairs wanted, out; data null: values only
  //   panel_columns  of U at a time
  OnHost(const Tree& tree, const std::vector<double>& d, const std::vector<double>& e, double* values,
         MatrixView<double> z, Index panel_columns);

  Batch first_batch() { return {merges_.data(), shapes_.data(), 0, 0, x_, rows_, &failed_}; }
  bool takes_whole(const Batch&) const { return false; }
  void merge_whole(const Batch&) const {}
  bool in_one_launch(const Batch&) const { return false; }
  void multiply_together(const Batch&, Roots) const {}

  void solve_leaves(const std::vector<Leaf>& leaves);
  void deflate(const Batch& batch);
  void solve_secular(const Batch& batch);
  void order_values(const Batch& batch, bool with_vectors);
  void compress(const Batch& batch);
  void keep_deflated(const Batch& batch);
  void form_end_rows(const Batch& batch);
  void multiply_apart(const std::vector<Merge>& merges, const Batch& batch, Roots roots);

  std::vector<double> values() const { return {x_.d, x_.d + n_}; }
  LastMerge last_merge(const Batch& batch, const Selected& found) const;
  void store(const Selected& found, int exponent);
  unsigned failed() const { return failed_; }

 private:
  void solve_leaf(const Leaf& leaf);
  void note_failure(Index index);

  Index n_;
  Rows rows_;
  Index panel_columns_;
  double* values_;
  MatrixView<double> z_;
  std::vector<Merge> merges_;
  std::vector<Shape> shapes_;
  std::vector<double> storage_, q_storage_, compressed_storage_, panel_storage_;
  Arrays x_{};
  MatrixView<double> q_, c_, u_;
  unsigned failed_ = ~0u;
};

// T = Z diag(w) Z^T in host memory by OnHost: arguments and outcome as divide_and_conquer() on a GPU, T torn inside.
// Blocks until done. Cost: at most 4/3 n^3 flops, two n x n matrices and n x panel_columns. Throws std::bad_alloc.
Outcome divide_and_conquer_on_host(std::int64_t n, double* d, const double* e, MatrixView<double> z,
                                   const Wanted& wanted = {}, Index panel_columns = 1024);

}  // namespace eigen_g::dc
