#include "blas2/spmv/crs.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

#include "blas2/spmv/block_arguments.hpp"

namespace eigen_g::blas2 {

namespace {

template <class T, int k>
void multiply_rows(std::int64_t first, std::int64_t last, T alpha, const CrsView<T>& a, const T* x, T beta,
                   T* y) {
  for (std::int64_t i = first; i < last; ++i) {
    T sum[k] = {};
    for (std::int64_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p)
      for (int j = 0; j < k; ++j) sum[j] += a.value[p] * x[std::int64_t{a.col[p]} * k + j];
    for (int j = 0; j < k; ++j)
      y[i * k + j] = beta == T(0) ? alpha * sum[j] : alpha * sum[j] + beta * y[i * k + j];
  }
}

}  // namespace

template <class T>
void crs_multiply(int k, same_t<T> alpha, const CrsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads) {
  require_block(k);
  if (a.rows == 0) return;
  const std::int64_t work = a.nnz + a.rows;
#pragma omp parallel num_threads( \
    threads > 0 ? threads : omp_get_max_threads()) if (work >= 8 * smallest_parallel_order)
  {
    // Rows whose entries and ends begin within the thread's share of them.
    const auto row_at = [&a, work](std::int64_t part, std::int64_t parts) {
      const std::int64_t share = work / parts * part + std::min(part, work % parts);
      std::int64_t low = 0, high = a.rows;
      while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (a.row_begin[middle] - a.row_begin[0] + middle < share) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    };
    const int part = omp_get_thread_num(), parts = omp_get_num_threads();
    const std::int64_t first = row_at(part, parts),
                       last = part + 1 == parts ? a.rows : row_at(part + 1, parts);
    if (k == 1) {
      multiply_rows<T, 1>(first, last, alpha, a, x, beta, y);
    } else {
      multiply_rows<T, 4>(first, last, alpha, a, x, beta, y);
    }
  }
}

template void crs_multiply(int, float, const CrsView<float>&, const float*, float, float*, int);
template void crs_multiply(int, double, const CrsView<double>&, const double*, double, double*, int);

}  // namespace eigen_g::blas2
