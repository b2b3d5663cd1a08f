#include "apps/papers/ccs.hpp"

#include <omp.h>

#include <algorithm>

#include "apps/io/transposed.hpp"
#include "blas2/spmv/block_arguments.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::papers {

template <class T>
Ccs<T>::Ccs(const CrsView<T>& a) : t_(io::transposed(a)) {}

namespace {

template <class T, int k>
void add_columns(std::int64_t first, std::int64_t last, const CcsView<T>& a, const T* x, T* sum) {
  for (std::int64_t j = first; j < last; ++j)
    for (std::int64_t p = a.col_begin[j]; p < a.col_begin[j + 1]; ++p)
      for (int v = 0; v < k; ++v) sum[std::int64_t{a.row[p]} * k + v] += a.value[p] * x[j * k + v];
}

}  // namespace

template <class T>
void ccs_multiply_on_cpu(int k, same_t<T> alpha, const CcsView<T>& a, const same_t<T>* x, same_t<T> beta,
                         T* y, int threads) {
  blas2::require_block(k);
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

EIGEN_G_INSTANTIATE_CLASS(real_types, Ccs);
EIGEN_G_INSTANTIATE(real_types, ccs_multiply_on_cpu);

}  // namespace eigen_g::papers
