#include "blas2/spmv/ccs.hpp"

#include <omp.h>

#include <algorithm>

#include "blas2/spmv/block_arguments.hpp"

namespace eigen_g::blas2 {

template <class T>
Ccs<T>::Ccs(const CrsView<T>& a)
    : rows_(a.rows),
      cols_(a.cols),
      nnz_(a.nnz),
      col_begin_(host_array<std::int64_t>(a.cols + 1)),
      row_(host_array<std::int32_t>(a.nnz)),
      value_(host_array<T>(a.nnz)) {
  std::fill_n(col_begin_.get(), cols_ + 1, 0);
  const std::int64_t base = rows_ > 0 ? a.row_begin[0] : 0;
  for (std::int64_t p = base; p < base + nnz_; ++p) ++col_begin_[a.col[p] + 1];
  for (std::int64_t j = 0; j < cols_; ++j) col_begin_[j + 1] += col_begin_[j];
  // col_begin[j] counts as the place of column j's next entry, and is put back afterwards.
  for (std::int64_t i = 0; i < rows_; ++i)
    for (std::int64_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
      const std::int64_t to = col_begin_[a.col[p]]++;
      row_[to] = static_cast<std::int32_t>(i);
      value_[to] = a.value[p];
    }
  for (std::int64_t j = cols_; j > 0; --j) col_begin_[j] = col_begin_[j - 1];
  col_begin_[0] = 0;
}

namespace {

template <class T, int k>
void add_columns(std::int64_t first, std::int64_t last, const CcsView<T>& a, const T* x, T* sum) {
  for (std::int64_t j = first; j < last; ++j)
    for (std::int64_t p = a.col_begin[j]; p < a.col_begin[j + 1]; ++p)
      for (int v = 0; v < k; ++v) sum[std::int64_t{a.row[p]} * k + v] += a.value[p] * x[j * k + v];
}

}  // namespace

template <class T>
void ccs_multiply(int k, same_t<T> alpha, const CcsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads) {
  require_block(k);
  const std::int64_t count = a.rows * k;
  const HostArray<T> sums = host_array<T>(ccs_parts * count);
#pragma omp parallel num_threads( \
    threads > 0 ? threads : omp_get_max_threads()) if (a.nnz + a.rows >= 8 * smallest_parallel_order)
  {
#pragma omp for schedule(dynamic, 1)
    for (int part = 0; part < ccs_parts; ++part) {
      T* const sum = sums.get() + part * count;
      std::fill_n(sum, count, T(0));
      const std::int64_t first = a.cols * part / ccs_parts, last = a.cols * (part + 1) / ccs_parts;
      if (k == 1) {
        add_columns<T, 1>(first, last, a, x, sum);
      } else {
        add_columns<T, 4>(first, last, a, x, sum);
      }
    }
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      T sum = 0;
      for (int part = 0; part < ccs_parts; ++part) sum += sums[part * count + i];
      y[i] = beta == T(0) ? alpha * sum : alpha * sum + beta * y[i];
    }
  }
}

template class Ccs<float>;
template class Ccs<double>;
template void ccs_multiply(int, float, const CcsView<float>&, const float*, float, float*, int);
template void ccs_multiply(int, double, const CcsView<double>&, const double*, double, double*, int);

}  // namespace eigen_g::blas2
