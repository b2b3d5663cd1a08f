// A sparse matrix in compressed column storage (CCS, paper 3) and its product, on the CPU and on a GPU.
//
//   Y := alpha A X + beta Y,   X: cols x k, Y: rows x k, row-major, k = 1 or 4
//
// GPU: a thread takes a column and adds its products to Y by atomic additions. The order of the additions changes from call to call,
// so the results do NOT repeat bit for bit.
// CPU: the columns are in 16 parts. Each part has a sum of its own, and the sums are added in order: the same bits for any number of
// threads.
// Cost: 2 k nnz flops; (4 + sizeof T) nnz + 8 cols bytes of the matrix, X once, Y as often as the additions miss the cache.
// T = float, double.
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/scalar.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/memory.hpp"
#endif

namespace eigen_g {
class Queue;
}

namespace eigen_g::papers {

using blas2::CrsView;

template <class T>
struct CcsView {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  const std::int64_t* col_begin = nullptr;  // cols + 1
  const std::int32_t* row = nullptr;        // from 0, ascending within a column
  const T* value = nullptr;
};

// The owner of the arrays in host memory.
template <class T>
class Ccs {
 public:
  explicit Ccs(const CrsView<T>& a);  // throws OutOfMemory
  CcsView<T> view() const {
    return {t_.cols, t_.rows, t_.nnz, t_.row_offsets.get(), t_.col.get(), t_.value.get()};
  }

 private:
  blas2::CrsMatrix<T> t_;  // A^T by rows, which is A by columns
};

// On the CPU, by `threads` threads (0: all). y is not read if beta = 0. Takes ccs_parts rows x k elements of memory.
// Throws InvalidArgument (k), OutOfMemory.
inline constexpr int ccs_parts = 16;
template <class T>
void ccs_multiply_on_cpu(int k, same_t<T> alpha, const CcsView<T>& a, const same_t<T>* x, same_t<T> beta,
                         T* y, int threads = 0);

#ifdef EIGEN_G_HAVE_CUDA
// The owner of the arrays in device memory.
template <class T>
class CcsOnDevice {
 public:
  CcsOnDevice() = default;
  // Converts on the GPU, with 32 nnz bytes of workspace, and blocks. Throws OutOfMemory.
  CcsOnDevice(const Queue& queue, const CrsView<T>& a_dev);
  CcsView<T> view() const { return {rows_, cols_, nnz_, col_begin_.data(), row_.data(), value_.data()}; }
  std::uint64_t bytes() const { return col_begin_.bytes() + row_.bytes() + value_.bytes(); }

 private:
  std::int64_t rows_ = 0, cols_ = 0, nnz_ = 0;
  DeviceBuffer<std::int64_t> col_begin_;
  DeviceBuffer<std::int32_t> row_;
  DeviceBuffer<T> value_;
};
#endif

// On a GPU, ordered on `queue`. Throws InvalidArgument (k), DeviceError.
template <class T>
void ccs_multiply(const Queue& queue, int k, same_t<T> alpha, const CcsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev);

}  // namespace eigen_g::papers
