// A square sparse matrix cut by rows over several devices, and what they must exchange for a product.
//
//   Y_d := A(rows of d, :) X  =  own_d X_d + far_d H_d,   H_d: the rows of X that others hold and d's entries meet
//
// The cut gives every device about as many entries and rows. Host memory; T = float, double.
#pragma once

#include <cstdint>
#include <vector>

#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::blas2 {

template <class T>
struct RowPart {
  std::int64_t first = 0, rows = 0;
  CrsMatrix<T> own;  // rows x rows: the entries whose columns are of this part, counted from `first`
  CrsMatrix<T> far;  // far_rows.size() x far_columns.size(): the others
  std::vector<std::int32_t> far_rows;     // of this part, those that have such entries, ascending from 0
  std::vector<std::int64_t> far_columns;  // of A, ascending
};

// Rows that a part sends to another: counted from the sender's first row, ascending, to stand from row `at` of the receiver's H.
struct HaloMessage {
  int from = 0, to = 0;
  std::int64_t at = 0;
  std::vector<std::int32_t> rows;
};

// The first row of share `part` of `parts` that have about as many entries + rows each.
template <class T>
std::int64_t first_row_of(const CrsView<T>& a, std::int64_t part, std::int64_t parts);
// Cuts so that each of `parts` has an equal share of entries + rows: parts + 1 row numbers, 0 first and rows last.
template <class T>
std::vector<std::int64_t> row_cuts(const CrsView<T>& a, int parts);
template <class T>
RowPart<T> row_part(const CrsView<T>& a, std::int64_t first, std::int64_t rows);
template <class T>
std::vector<HaloMessage> halo_messages(const std::vector<RowPart<T>>& parts);

}  // namespace eigen_g::blas2
