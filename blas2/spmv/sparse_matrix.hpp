// Sparse matrices in compressed rows (CSR): CrsView, and CrsMatrix, which owns host memory. T = float, double.
//
// Both triangles of a symmetric matrix are stored. Offsets are 64-bit. Column indices are 32-bit, because vectors for more than
// 2^31 columns would need more memory than a GPU has.
#pragma once

#include <cstdint>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g::blas2 {

// The arrays are in the memory of the function that takes the view: device memory if its first parameter is a queue, else host
// memory.
template <class T>
struct CrsView {
  std::int64_t rows = 0, cols = 0;
  std::int64_t nnz = 0;
  // rows + 1 offsets; the entries of row i are row_offsets[i] ... row_offsets[i + 1] - 1 of col and value.
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* col = nullptr;  // from 0, ascending in a row, no column twice
  const T* value = nullptr;
};

// Rows first ... first + rows - 1 of a matrix in host memory, as a view of the same arrays. row_offsets[0] of a view may
// therefore differ from 0.
template <class T>
CrsView<T> slice(const CrsView<T>& a, std::int64_t first, std::int64_t rows) {
  return {rows,  a.cols, a.row_offsets[first + rows] - a.row_offsets[first], a.row_offsets + first,
          a.col, a.value};
}

template <class T>
class CrsMatrix {
 public:
  CrsMatrix() : CrsMatrix(0, 0, 0) {}
  // Uninitialised, except row_offsets[0] = 0. Throws InvalidArgument (a) if cols >= 2^31, and OutOfMemory.
  CrsMatrix(std::int64_t rows, std::int64_t cols, std::int64_t nnz);
  CrsView<T> view() const { return {rows, cols, nnz, row_offsets.get(), col.get(), value.get()}; }

  std::int64_t rows = 0, cols = 0, nnz = 0;
  HostArray<std::int64_t> row_offsets;
  HostArray<std::int32_t> col;
  HostArray<T> value;
};

// Throws InvalidArgument (a) if offsets decrease or do not end at nnz, or if a column is out of range, repeated or
// out of order.
// Throws NonFiniteEntry for a NaN or an infinity. The message is about the first row with an error. a: host memory.
// Cost: one pass.
template <class T>
void check_crs(const CrsView<T>& a);

// The largest |a_ij - a_ji| over all pairs, and the first pair in column order that has it. An entry that is not stored is 0.
// a: square, host memory, columns ascending. Cost: a binary search for each entry.
struct CrsAsymmetry {
  double largest = 0;
  std::int64_t row = 0, col = 0;  // row > col; both 0 if largest = 0
  double below = 0, above = 0;    // a(row, col), a(col, row)
  double largest_entry = 0;       // max |a_ij|
};
template <class T>
CrsAsymmetry asymmetry(const CrsView<T>& a, int threads = 0);

// A copy in another precision, rounded to nearest, with row_offsets[0] = 0. a: host memory. Throws OutOfMemory.
template <class U, class T>
CrsMatrix<U> converted(const CrsView<T>& a);

}  // namespace eigen_g::blas2
