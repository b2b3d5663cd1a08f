#include "blas2/spmv/crs.hpp"

#include <algorithm>
#include <string>

#include "blas2/spmv/block_arguments.hpp"
#include "blas2/spmv/row_parts.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g::blas2 {

namespace {

template <class T, int k>
void multiply_rows(std::int64_t first, std::int64_t last, T alpha, const CrsView<T>& a, const T* x, T beta,
                   T* y, T gamma) {
  for (std::int64_t i = first; i < last; ++i) {
    T sum[k] = {};
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p)
      for (int j = 0; j < k; ++j) sum[j] += a.value[p] * x[std::int64_t{a.col[p]} * k + j];
    for (int j = 0; j < k; ++j) {
      const std::int64_t at = i * k + j;
      T value = alpha * sum[j];
      if (gamma != T(0)) value += gamma * x[at];
      y[at] = beta == T(0) ? value : value + beta * y[at];
    }
  }
}

}  // namespace

template <class T>
void crs_multiply(int k, same_t<T> alpha, const CrsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads, same_t<T> gamma) {
  require_block(k);
  if (a.rows == 0) return;
  const bool large = a.nnz + a.rows >= 8 * smallest_parallel_order;
  const int sharing = threads > 0 && large ? threads : threads_if(large);
  const std::int64_t parts = sharing > 1 ? 4 * std::int64_t{sharing} : 1;
  for_each(parts, sharing, [&](std::int64_t part) {
    const std::int64_t first = first_row_of(a, part, parts),
                       last = part + 1 == parts ? a.rows : first_row_of(a, part + 1, parts);
    if (k == 1) {
      multiply_rows<T, 1>(first, last, alpha, a, x, beta, y, gamma);
    } else {
      multiply_rows<T, 4>(first, last, alpha, a, x, beta, y, gamma);
    }
  });
}

EIGEN_G_INSTANTIATE_OVERLOAD(real_types, crs_multiply,
                             void(int, T, const CrsView<T>&, const T*, T, T*, int, T));

}  // namespace eigen_g::blas2
