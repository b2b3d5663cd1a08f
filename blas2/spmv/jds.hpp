// The product with a matrix in jagged diagonal storage (paper 3, JDS), on the CPU and on a GPU.
//
//   Y := alpha A X + gamma X + beta Y, gamma on a GPU alone
//
// Rows in the order of their lengths, the longest first; the j-th entries of all rows that have one are the j-th jagged
// diagonal. Position i's row is order[i], its j-th entry stands at diagonal_begin[j] + i, and there is one as long as that is
// below diagonal_begin[j + 1]. A thread sums a position's entries one by one: results repeat bit for bit.
// Cost: 2 k nnz flops; (4 + sizeof T) nnz + (2 sizeof T + 4) rows bytes, X and Y once. As slow as its longest row.
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
struct JdsView {
  std::int64_t rows = 0, cols = 0, nnz = 0, diagonals = 0;
  const std::int64_t* diagonal_begin = nullptr;  // diagonals + 1
  const std::int32_t* order = nullptr;           // rows
  const std::int32_t* col = nullptr;
  const T* value = nullptr;
};

template <class T>
class Jds {  // host
 public:
  explicit Jds(const CrsView<T>& a);  // throws OutOfMemory
  JdsView<T> view() const {
    return {rows_, cols_, nnz_, diagonals_, diagonal_begin_.get(), order_.get(), col_.get(), value_.get()};
  }

 private:
  std::int64_t rows_, cols_, nnz_, diagonals_ = 0;
  HostArray<std::int64_t> diagonal_begin_;
  HostArray<std::int32_t> order_, col_;
  HostArray<T> value_;
};

// As crs_multiply.
template <class T>
void jds_multiply(int k, same_t<T> alpha, const JdsView<T>& a, const same_t<T>* x, same_t<T> beta, T* y,
                  int threads = 0);

#ifdef EIGEN_G_HAVE_CUDA
template <class T>
class JdsOnDevice {
 public:
  JdsOnDevice() = default;
  JdsOnDevice(const Queue& queue,
              const CrsView<T>& a_dev);  // by the GPU; blocks; throws OutOfMemory, DeviceError
  JdsView<T> view() const {
    return {rows_,         cols_,       nnz_,         diagonals_, diagonal_begin_.data(),
            order_.data(), col_.data(), value_.data()};
  }
  std::uint64_t bytes() const {
    return diagonal_begin_.bytes() + order_.bytes() + col_.bytes() + value_.bytes();
  }

 private:
  std::int64_t rows_ = 0, cols_ = 0, nnz_ = 0, diagonals_ = 0;
  DeviceBuffer<std::int64_t> diagonal_begin_;
  DeviceBuffer<std::int32_t> order_, col_;
  DeviceBuffer<T> value_;
};
#endif

template <class T>
void jds_multiply(const Queue& queue, int k, same_t<T> alpha, const JdsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev, same_t<T> gamma = 0);

}  // namespace eigen_g::blas2
