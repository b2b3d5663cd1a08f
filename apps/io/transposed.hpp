// The transpose of a sparse matrix by rows. A matrix by columns is read as the transpose of one by rows.
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g::io {

// A^T, columns ascending in each row. a: host; its row_offsets[0] may differ from 0. Two passes over the entries. Throws OutOfMemory.
// T = float, double.
template <class T>
blas2::CrsMatrix<T> transposed(const blas2::CrsView<T>& a);

}  // namespace eigen_g::io
