// The statistics of a CRS matrix' rows that its format is chosen by. CUDA builds only for the device form.
#pragma once

#include "blas2/spmv/choice.hpp"
#include "blas2/spmv/sparse_matrix.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

template <class T>
RowStatistics row_statistics(const CrsView<T>& a);  // host
template <class T>
RowStatistics row_statistics(const Queue& queue, const CrsView<T>& a_dev);  // blocks; reads the offsets alone

}  // namespace eigen_g::blas2
