// Statistics of the rows of a CSR matrix, from which its format is chosen (choice.hpp). The overload for device memory is in
// CUDA builds only.
#pragma once

#include "blas2/spmv/choice.hpp"
#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

template <class T>
RowStatistics row_statistics(const CrsView<T>& a);  // host memory
template <class T>
RowStatistics row_statistics(const Queue& queue, const CrsView<T>& a_dev);  // blocks; reads row_offsets only

}  // namespace eigen_g::blas2
