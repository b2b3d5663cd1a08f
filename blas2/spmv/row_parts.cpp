#include "blas2/spmv/row_parts.hpp"

#include <algorithm>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g::blas2 {

template <class T>
std::int64_t first_row_of(const CrsView<T>& a, std::int64_t part, std::int64_t parts) {
  const std::int64_t work = a.nnz + a.rows, share = work / parts * part + std::min(part, work % parts);
  std::int64_t low = 0, high = a.rows;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (a.row_offsets[middle] - a.row_offsets[0] + middle < share) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <class T>
std::vector<std::int64_t> row_cuts(const CrsView<T>& a, int parts) {
  std::vector<std::int64_t> cuts;
  cuts.reserve(static_cast<std::size_t>(parts) + 1);
  for (int part = 0; part < parts; ++part) cuts.push_back(first_row_of(a, part, parts));
  cuts.push_back(a.rows);
  return cuts;
}

// The entries of each range of rows are counted. A second pass then copies each range to its place.
template <class T>
RowPart<T> row_part(const CrsView<T>& a, std::int64_t first, std::int64_t rows) {
  struct Range {
    std::int64_t begin = 0, end = 0, own = 0, far = 0;
    std::vector<std::int32_t> far_rows;
    std::vector<std::int64_t> far_columns;
  };
  RowPart<T> part;
  part.first = first;
  part.rows = rows;
  const std::int64_t next = first + rows;
  const auto is_own = [&](std::int64_t p) { return a.col[p] >= first && a.col[p] < next; };
  const int threads = threads_if(rows >= smallest_parallel_order);
  const std::int64_t count = threads;
  std::vector<Range> ranges(static_cast<std::size_t>(count));
  for_each(count, threads, [&](std::int64_t r) {
    Range& range = ranges[static_cast<std::size_t>(r)];
    range.begin = first + rows * r / count;
    range.end = first + rows * (r + 1) / count;
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t far_before = range.far;
      for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
        ++(is_own(p) ? range.own : range.far);
        if (!is_own(p)) range.far_columns.push_back(a.col[p]);
      }
      if (range.far > far_before) range.far_rows.push_back(static_cast<std::int32_t>(i - first));
    }
  });
  std::int64_t own = 0, far = 0;
  for (Range& range : ranges) {
    part.far_rows.insert(part.far_rows.end(), range.far_rows.begin(), range.far_rows.end());
    part.far_columns.insert(part.far_columns.end(), range.far_columns.begin(), range.far_columns.end());
    own += std::exchange(range.own, own);  // from here on the place where the range's entries begin
    far += std::exchange(range.far, far);
  }
  std::sort(part.far_columns.begin(), part.far_columns.end());
  part.far_columns.erase(std::unique(part.far_columns.begin(), part.far_columns.end()),
                         part.far_columns.end());
  part.own = CrsMatrix<T>(rows, rows, own);
  part.far = CrsMatrix<T>(static_cast<std::int64_t>(part.far_rows.size()),
                          static_cast<std::int64_t>(part.far_columns.size()), far);
  for_each(count, threads, [&](std::int64_t r) {
    const Range& range = ranges[static_cast<std::size_t>(r)];
    std::int64_t to_own = range.own, to_far = range.far;
    std::int64_t far_row = std::lower_bound(part.far_rows.begin(), part.far_rows.end(), range.begin - first) -
                           part.far_rows.begin();
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t far_before = to_far;
      for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
        if (is_own(p)) {
          part.own.col[to_own] = static_cast<std::int32_t>(a.col[p] - first);
          part.own.value[to_own++] = a.value[p];
        } else {
          const auto at = std::lower_bound(part.far_columns.begin(), part.far_columns.end(), a.col[p]);
          part.far.col[to_far] = static_cast<std::int32_t>(at - part.far_columns.begin());
          part.far.value[to_far++] = a.value[p];
        }
      }
      part.own.row_offsets[i - first + 1] = to_own;
      if (to_far > far_before) part.far.row_offsets[++far_row] = to_far;
    }
  });
  return part;
}

template <class T>
std::vector<HaloMessage> halo_messages(const std::vector<RowPart<T>>& parts) {
  std::vector<HaloMessage> messages;
  for (std::size_t to = 0; to < parts.size(); ++to) {
    const std::vector<std::int64_t>& wanted = parts[to].far_columns;
    for (std::size_t from = 0; from < parts.size(); ++from) {
      const std::int64_t first = parts[from].first, next = first + parts[from].rows;
      const auto begin = std::lower_bound(wanted.begin(), wanted.end(), first),
                 end = std::lower_bound(wanted.begin(), wanted.end(), next);
      if (begin == end) continue;
      HaloMessage message{static_cast<int>(from), static_cast<int>(to), begin - wanted.begin(), {}};
      for (auto row = begin; row != end; ++row)
        message.rows.push_back(static_cast<std::int32_t>(*row - first));
      messages.push_back(std::move(message));
    }
  }
  return messages;
}

EIGEN_G_INSTANTIATE(real_types, first_row_of);
EIGEN_G_INSTANTIATE(double_type, row_cuts, row_part, halo_messages);

}  // namespace eigen_g::blas2
