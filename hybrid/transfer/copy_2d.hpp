// copy_2d(): a matrix copied by the GPU's copy engine. CUDA builds only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hybrid/cuda_check.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

template <class T>
std::size_t bytes_of(std::int64_t elements) {
  return sizeof(T) * static_cast<std::size_t>(elements);
}

// to := from. Both have the same shape and are in the memories that `kind` names. Asynchronous, ordered on `stream`; returns at
// once for an empty matrix. Throws DeviceError.
template <class T>
void copy_2d(MatrixView<const same_t<T>> from, MatrixView<T> to, cudaMemcpyKind kind, cudaStream_t stream) {
  if (from.rows == 0 || from.cols == 0) return;
  EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, bytes_of<T>(to.lda), from.data, bytes_of<T>(from.lda),
                                 bytes_of<T>(from.rows), static_cast<std::size_t>(from.cols), kind, stream));
}

}  // namespace eigen_g
