#include "blas2/spmv/sparse_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g::blas2 {

template <class T>
CrsMatrix<T>::CrsMatrix(std::int64_t rows_, std::int64_t cols_, std::int64_t nnz_)
    : rows(rows_), cols(cols_), nnz(nnz_) {
  if (cols > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("a", "has " + std::to_string(cols) + " columns, must have at most 2^31 - 1");
  require_host_memory(static_cast<std::uint64_t>(rows) * 8 +
                      static_cast<std::uint64_t>(nnz) * (4 + sizeof(T)));
  row_offsets = host_array<std::int64_t>(rows + 1);
  col = host_array<std::int32_t>(nnz);
  value = host_array<T>(nnz);
  row_offsets[0] = 0;
}

namespace {

template <class T>
std::string fault_of_row(const CrsView<T>& a, std::int64_t i) {
  const std::int64_t begin = a.row_offsets[i], end = a.row_offsets[i + 1];
  const auto in_row = [i](const std::string& what) { return "row " + std::to_string(i + 1) + what; };
  if (end < begin || end - a.row_offsets[0] > a.nnz)
    return in_row(" has entries " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                  std::to_string(a.nnz));
  for (std::int64_t p = begin; p < end; ++p) {
    const std::int64_t j = a.col[p];
    if (j < 0 || j >= a.cols)
      return in_row(" has column " + std::to_string(j + 1) + ", outside 1.." + std::to_string(a.cols));
    if (p > begin && j <= a.col[p - 1])
      return in_row(j == a.col[p - 1] ? " has column " + std::to_string(j + 1) + " twice"
                                      : " has column " + std::to_string(j + 1) + " after column " +
                                            std::to_string(std::int64_t{a.col[p - 1]} + 1));
  }
  return {};
}

}  // namespace

template <class T>
void check_crs(const CrsView<T>& a) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (const std::string fault = fault_of_row(a, i); !fault.empty()) throw InvalidArgument("a", fault);
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p)
      if (!std::isfinite(a.value[p])) throw NonFiniteEntry(i, a.col[p], static_cast<double>(a.value[p]));
  }
  if (a.rows > 0 && a.row_offsets[a.rows] - a.row_offsets[0] != a.nnz)
    throw InvalidArgument("a", "the rows have " + std::to_string(a.row_offsets[a.rows] - a.row_offsets[0]) +
                                   " entries of " + std::to_string(a.nnz));
}

template <class T>
CrsAsymmetry asymmetry(const CrsView<T>& a, int threads) {
  const auto mirror = [&a](std::int64_t i, std::int32_t j) {
    const std::int32_t* const begin = a.col + a.row_offsets[j];
    const std::int32_t* const end = a.col + a.row_offsets[j + 1];
    const std::int32_t* const found = std::lower_bound(begin, end, static_cast<std::int32_t>(i));
    return found != end && *found == i ? static_cast<double>(a.value[found - a.col]) : 0.0;
  };
  const auto first = [](const CrsAsymmetry& p, const CrsAsymmetry& q) {  // true if p is the pair to report
    return p.largest > q.largest ||
           (p.largest == q.largest && p.largest > 0 && std::pair(p.col, p.row) < std::pair(q.col, q.row));
  };
  CrsAsymmetry sum;
  std::mutex summing;
  const bool large = a.rows >= smallest_parallel_order;
  for_ranges(a.rows, threads > 0 && large ? threads : threads_if(large),
             [&](std::int64_t begin, std::int64_t end) {
               CrsAsymmetry own;
               for (std::int64_t i = begin; i < end; ++i)
                 for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
                   const double entry = static_cast<double>(a.value[p]);
                   if (std::abs(entry) > own.largest_entry) own.largest_entry = std::abs(entry);
                   const std::int32_t j = a.col[p];
                   const double other = j == i ? entry : mirror(i, j);
                   const bool lower = j < i;
                   const CrsAsymmetry pair{std::abs(entry - other), lower ? i : j,         lower ? j : i,
                                           lower ? entry : other,   lower ? other : entry, own.largest_entry};
                   if (first(pair, own)) own = pair;
                 }
               const std::lock_guard lock(summing);
               const double largest_entry = std::max(sum.largest_entry, own.largest_entry);
               if (first(own, sum)) sum = own;
               sum.largest_entry = largest_entry;
             });
  return sum;
}

template <class U, class T>
CrsMatrix<U> converted(const CrsView<T>& a) {
  CrsMatrix<U> b(a.rows, a.cols, a.nnz);
  const std::int64_t base = a.rows > 0 ? a.row_offsets[0] : 0;
  for (std::int64_t i = 0; i < a.rows; ++i) b.row_offsets[i + 1] = a.row_offsets[i + 1] - base;
  for_each(a.nnz, threads_if(a.nnz >= smallest_parallel_order), [&](std::int64_t p) {
    b.col[p] = a.col[base + p];
    b.value[p] = static_cast<U>(a.value[base + p]);
  });
  return b;
}

EIGEN_G_INSTANTIATE_CLASS(real_types, CrsMatrix);
EIGEN_G_INSTANTIATE(real_types, check_crs, asymmetry);
template CrsMatrix<float> converted(const CrsView<float>&);
template CrsMatrix<float> converted(const CrsView<double>&);
template CrsMatrix<double> converted(const CrsView<float>&);
template CrsMatrix<double> converted(const CrsView<double>&);

}  // namespace eigen_g::blas2
