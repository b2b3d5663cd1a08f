// A square sparse matrix cut by rows over several devices, and the rows of X that they must exchange for a product. Device d
// has the rows X_d and Y_d of the blocks:
//
//   Y_d := A(rows of d, :) X  =  own_d X_d + far_d H_d
//
// own_d has the entries in columns that are rows of d, far_d the others. The halo H_d holds the rows of X that far_d needs;
// other devices have them. All devices have about the same number of entries + rows. Host memory; T = float, double.
#pragma once

#include <cstdint>
#include <vector>

#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::blas2 {

template <class T>
struct RowPart {
  std::int64_t first = 0, rows = 0;
  CrsMatrix<T> own;                       // rows x rows; its columns count from `first`
  CrsMatrix<T> far;                       // far_rows.size() x far_columns.size()
  std::vector<std::int32_t> far_rows;     // rows of this part with entries in far, from 0, ascending
  std::vector<std::int64_t> far_columns;  // columns of A that far's columns stand for, ascending
};

// Rows of X that one part sends to another. They are counted from the sender's first row and ascend. In the receiver's H they
// begin at row `at`.
struct HaloMessage {
  int from = 0, to = 0;
  std::int64_t at = 0;
  std::vector<std::int32_t> rows;
};

// First row of range `part` if the rows are cut into `parts` ranges with about the same number of entries + rows.
template <class T>
std::int64_t first_row_of(const CrsView<T>& a, std::int64_t part, std::int64_t parts);
// The cuts for `parts` such ranges: parts + 1 row numbers from 0 to rows.
template <class T>
std::vector<std::int64_t> row_cuts(const CrsView<T>& a, int parts);
// The part of A with the rows first ... first + rows - 1.
template <class T>
RowPart<T> row_part(const CrsView<T>& a, std::int64_t first, std::int64_t rows);
// All messages that the parts exchange before a product.
template <class T>
std::vector<HaloMessage> halo_messages(const std::vector<RowPart<T>>& parts);

}  // namespace eigen_g::blas2
