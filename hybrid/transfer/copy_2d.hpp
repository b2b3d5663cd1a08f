// Copies of matrices and of values by the GPU's copy engine. CUDA builds only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hybrid/cuda_check.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/stream/queue.hpp"

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

// The two functions below are asynchronous and ordered on `queue`. `to` and `from` may each be in host or in device memory.
template <class T>
void copy_on_gpu(const Queue& queue, MatrixView<T> to, MatrixView<const same_t<T>> from) {
  copy_2d(from, to, cudaMemcpyDefault, queue.stream());
}
template <class T>
void copy_values(const Queue& queue, T* to, const T* from, std::int64_t count) {
  if (count > 0)
    EIGEN_G_CUDA(cudaMemcpyAsync(to, from, bytes_of<T>(count), cudaMemcpyDefault, queue.stream()));
}

}  // namespace eigen_g
