// CrsOnDevice: a matrix in compressed rows (CSR) in device memory. Move-only. CUDA builds only.
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/memory/memory.hpp"

namespace eigen_g::blas2 {

template <class T>
class CrsOnDevice {
 public:
  CrsOnDevice() = default;
  // Uninitialised, on the current GPU, from the queue's resources. Throws OutOfMemory.
  CrsOnDevice(const Queue& queue, std::int64_t rows, std::int64_t cols, std::int64_t nnz);
  // A copy of a matrix in host memory, with row_offsets[0] = 0. Blocks until it is complete. Throws OutOfMemory, DeviceError.
  CrsOnDevice(const Queue& queue, const CrsView<T>& a_host);

  CrsView<T> view() const { return {rows_, cols_, nnz_, row_offsets(), col(), value()}; }
  std::int64_t* row_offsets() const { return row_offsets_.data(); }
  std::int32_t* col() const { return col_.data(); }
  T* value() const { return value_.data(); }
  std::uint64_t bytes() const { return row_offsets_.bytes() + col_.bytes() + value_.bytes(); }

 private:
  std::int64_t rows_ = 0, cols_ = 0, nnz_ = 0;
  DeviceBuffer<std::int64_t> row_offsets_;
  DeviceBuffer<std::int32_t> col_;
  DeviceBuffer<T> value_;
};

}  // namespace eigen_g::blas2
