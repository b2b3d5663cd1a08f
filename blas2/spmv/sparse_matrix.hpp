// Sparse matrices in compressed row storage (CRS): views, and an owner in host memory. T = float, double.
//
// Both triangles of a symmetric matrix are stored. Offsets are 64-bit; columns are 32-bit: an index of more than 2^31 columns
// would need more memory for its vectors than a GPU has.
#pragma once

#include <cstdint>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g::blas2 {

// Memory space: that of the function a view is given to, the device's where a queue comes first, else the host's.
template <class T>
struct CrsView {
  std::int64_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  const std::int64_t* row_begin =
      nullptr;                        // rows + 1; row i has the entries row_begin[i] <= p < row_begin[i + 1]
  const std::int32_t* col = nullptr;  // from 0, ascending in a row, no column twice
  const T* value = nullptr;
};

// Rows first ... first + rows - 1 of a view of host memory, over the same arrays: its row_begin[0] need not be 0.
template <class T>
CrsView<T> slice(const CrsView<T>& a, std::int64_t first, std::int64_t rows) {
  return {rows, a.cols, a.row_begin[first + rows] - a.row_begin[first], a.row_begin + first, a.col, a.value};
}

template <class T>
struct CrsMatrix {
  CrsMatrix() : CrsMatrix(0, 0, 0) {}
  // Uninitialised but row_begin[0] = 0. Throws InvalidArgument (cols), OutOfMemory.
  CrsMatrix(std::int64_t rows, std::int64_t cols, std::int64_t nnz);
  CrsView<T> view() const { return {rows, cols, nnz, row_begin.get(), col.get(), value.get()}; }

  std::int64_t rows = 0, cols = 0, nnz = 0;
  HostArray<std::int64_t> row_begin;
  HostArray<std::int32_t> col;
  HostArray<T> value;
};

// Throws InvalidArgument (Argument::a) where offsets decrease or do not end at nnz, a column is outside, twice or out of order;
// NonFiniteEntry for NaN and infinity. One pass; the first fault by rows is named. a: host.
template <class T>
void check_crs(const CrsView<T>& a);

// max |a_ij - a_ji| over all pairs, and the first pair in column order that has it; an entry that is not stored is 0. a: square, host,
// columns ascending. Cost: a binary search an entry.
struct CrsAsymmetry {
  double largest = 0;
  std::int64_t row = 0, col = 0;  // row > col; 0, 0 where largest = 0
  double below = 0, above = 0;    // a(row, col), a(col, row)
  double largest_entry = 0;       // max |a_ij|
};
template <class T>
CrsAsymmetry asymmetry(const CrsView<T>& a, int threads = 0);

// A copy in another precision, rounded to nearest; row_begin[0] becomes 0. a: host. Throws OutOfMemory.
template <class U, class T>
CrsMatrix<U> converted(const CrsView<T>& a);

}  // namespace eigen_g::blas2
