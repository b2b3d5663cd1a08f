#include "blas2/spmv/row_statistics.hpp"

#include <algorithm>

#include "hybrid/instantiate.hpp"

namespace eigen_g::blas2 {

template <class T>
RowStatistics row_statistics(const CrsView<T>& a) {
  RowStatistics s{.rows = a.rows, .cols = a.cols, .nnz = a.nnz};
  for (std::int64_t first = 0; first < a.rows; first += 32) {
    std::array<std::int64_t, spmv_cuts.size()> deepest{};
    for (std::int64_t i = first; i < std::min(a.rows, first + 32); ++i) {
      const std::int64_t length = a.row_offsets[i + 1] - a.row_offsets[i];
      s.longest = std::max(s.longest, length);
      for (std::size_t c = 0; c < spmv_cuts.size(); ++c) {
        if (length > spmv_cuts[c]) {
          ++s.long_rows[c];
          s.long_entries[c] += length;
        } else {
          deepest[c] = std::max(deepest[c], length);
        }
      }
    }
    for (std::size_t c = 0; c < spmv_cuts.size(); ++c) s.padded[c] += 32 * deepest[c];
  }
  return s;
}

EIGEN_G_INSTANTIATE_OVERLOAD(real_types, row_statistics, RowStatistics(const CrsView<T>&));

}  // namespace eigen_g::blas2
