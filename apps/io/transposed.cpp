#include "apps/io/transposed.hpp"

#include <algorithm>

#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

template <class T>
blas2::CrsMatrix<T> transposed(const blas2::CrsView<T>& a) {
  blas2::CrsMatrix<T> t(a.cols, a.rows, a.nnz);
  std::int64_t* const begin = t.row_offsets.get();
  std::fill_n(begin, a.cols + 1, 0);
  const std::int64_t base = a.rows > 0 ? a.row_offsets[0] : 0;
  for (std::int64_t p = base; p < base + a.nnz; ++p) ++begin[a.col[p] + 1];
  for (std::int64_t j = 0; j < a.cols; ++j) begin[j + 1] += begin[j];
  // While the entries are placed, begin[j] is the place of the next entry of column j. Afterwards it is the begin of row j + 1.
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const std::int64_t to = begin[a.col[p]]++;
      t.col[to] = static_cast<std::int32_t>(i);
      t.value[to] = a.value[p];
    }
  std::copy_backward(begin, begin + a.cols, begin + a.cols + 1);
  begin[0] = 0;
  return t;
}

EIGEN_G_INSTANTIATE(real_types, transposed);

}  // namespace eigen_g::io
