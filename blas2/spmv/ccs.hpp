// The product with a matrix in compressed column storage (paper 3, CCS), on the CPU and on a GPU.
//
//   Y := alpha A X + beta Y
//
// GPU: a thread a column adds its products to Y by atomic additions, in whatever order they come: NOT REPRODUCIBLE, kept for
// the paper's comparison and never chosen. CPU: columns in a fixed number of parts with sums of their own, added in order: the
// same bits always.
// Cost: 2 k nnz flops; (4 + sizeof T) nnz + 8 cols bytes of the matrix, X once, Y as often as additions miss the cache.
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/scalar.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/memory.hpp"
#endif

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

template <class T>
struct CcsView {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  const std::int64_t* col_begin = nullptr;  // cols + 1
  const std::int32_t* row = nullptr;        // from 0, ascending within a column
  const T* value = nullptr;
};

template <class T>
class Ccs {  // host
 public:
  explicit Ccs(const CrsView<T>& a);  // throws OutOfMemory
  CcsView<T> view() const { return {rows_, cols_, nnz_, col_begin_.get(), row_.get(), value_.get()}; }

 private:
  std::int64_t rows_, cols_, nnz_;
  HostArray<std::int64_t> col_begin_;
  HostArray<std::int32_t> row_;
  HostArray<T> value_;
};

// As crs_multiply. Takes ccs_parts rows x k elements of memory; throws OutOfMemory.
inline constexpr int ccs_parts = 16;
template <class T>
void ccs_multiply(int k, same_t<T> alpha, const CcsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads = 0);

#ifdef EIGEN_G_HAVE_CUDA
template <class T>
class CcsOnDevice {
 public:
  CcsOnDevice() = default;
  CcsOnDevice(const Queue& queue,
              const CrsView<T>& a_dev);  // by the GPU; blocks; 32 nnz bytes meanwhile; throws OutOfMemory
  CcsView<T> view() const { return {rows_, cols_, nnz_, col_begin_.data(), row_.data(), value_.data()}; }
  std::uint64_t bytes() const { return col_begin_.bytes() + row_.bytes() + value_.bytes(); }

 private:
  std::int64_t rows_ = 0, cols_ = 0, nnz_ = 0;
  DeviceBuffer<std::int64_t> col_begin_;
  DeviceBuffer<std::int32_t> row_;
  DeviceBuffer<T> value_;
};
#endif

template <class T>
void ccs_multiply(const Queue& queue, int k, same_t<T> alpha, const CcsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev);

}  // namespace eigen_g::blas2
