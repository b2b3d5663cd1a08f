#include "apps/papers/jds.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "blas2/spmv/block_arguments.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::papers {

template <class T>
Jds<T>::Jds(const CrsView<T>& a) : rows_(a.rows), cols_(a.cols), nnz_(a.nnz) {
  const auto length = [&a](std::int64_t row) { return a.row_offsets[row + 1] - a.row_offsets[row]; };
  order_ = host_array<std::int32_t>(rows_);
  col_ = host_array<std::int32_t>(nnz_);
  value_ = host_array<T>(nnz_);
  std::iota(order_.get(), order_.get() + rows_, 0);
  std::stable_sort(order_.get(), order_.get() + rows_,
                   [&](std::int32_t p, std::int32_t q) { return length(p) > length(q); });
  diagonals_ = rows_ > 0 ? length(order_[0]) : 0;
  diagonal_begin_ = host_array<std::int64_t>(diagonals_ + 1);
  diagonal_begin_[0] = 0;
  std::int64_t longer = rows_;  // rows with more than j entries
  for (std::int64_t j = 0; j < diagonals_; ++j) {
    while (longer > 0 && length(order_[longer - 1]) <= j) --longer;
    diagonal_begin_[j + 1] = diagonal_begin_[j] + longer;
  }
#pragma omp parallel for schedule(dynamic, 1024) if (nnz_ >= smallest_parallel_order)
  for (std::int64_t i = 0; i < rows_; ++i) {
    const std::int64_t from = a.row_offsets[order_[i]];
    for (std::int64_t j = 0; j < length(order_[i]); ++j) {
      col_[diagonal_begin_[j] + i] = a.col[from + j];
      value_[diagonal_begin_[j] + i] = a.value[from + j];
    }
  }
}

namespace {

// The positions first ... last - 1, one diagonal after the other. sum holds their sums.
template <class T, int k, int block>
void multiply_positions(std::int64_t first, std::int64_t last, T alpha, const JdsView<T>& a, const T* x,
                        T beta, T* y) {
  T sum[block * k] = {};
  for (std::int64_t j = 0; j < a.diagonals; ++j) {
    const std::int64_t begin = a.diagonal_begin[j];
    const std::int64_t end = std::min(last, a.diagonal_begin[j + 1] - begin);
    if (end <= first) break;
    for (std::int64_t i = first; i < end; ++i)
      for (int v = 0; v < k; ++v)
        sum[(i - first) * k + v] += a.value[begin + i] * x[std::int64_t{a.col[begin + i]} * k + v];
  }
  for (std::int64_t i = first; i < last; ++i)
    for (int v = 0; v < k; ++v) {
      T& out = y[std::int64_t{a.order[i]} * k + v];
      const T own = alpha * sum[(i - first) * k + v];
      out = beta == T(0) ? own : own + beta * out;
    }
}

}  // namespace

template <class T>
void jds_multiply_on_cpu(int k, same_t<T> alpha, const JdsView<T>& a, const same_t<T>* x, same_t<T> beta,
                         T* y, int threads) {
  blas2::require_block(k);
  constexpr std::int64_t block = 128;
  const std::int64_t blocks = (a.rows + block - 1) / block;
#pragma omp parallel for schedule(dynamic, 4) num_threads( \
    threads > 0 ? threads : omp_get_max_threads()) if (a.nnz + a.rows >= 8 * smallest_parallel_order)
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t first = b * block, last = std::min(a.rows, first + block);
    if (k == 1) {
      multiply_positions<T, 1, block>(first, last, alpha, a, x, beta, y);
    } else {
      multiply_positions<T, 4, block>(first, last, alpha, a, x, beta, y);
    }
  }
}

EIGEN_G_INSTANTIATE_CLASS(real_types, Jds);
EIGEN_G_INSTANTIATE(real_types, jds_multiply_on_cpu);

}  // namespace eigen_g::papers
