// A sparse matrix in jagged diagonal storage (JDS, paper 3) and its product, on the CPU and on a GPU.
//
//   CPU   Y := alpha A X + beta Y                X: cols x k, Y: rows x k, row-major, k = 1 or 4
//   GPU   Y := alpha A X + gamma X + beta Y
//
// The rows are sorted by their lengths, the longest first; position i holds row order[i]. The j-th entries of all rows that have one are
// the j-th jagged diagonal. The j-th entry of position i stands at diagonal_begin[j] + i if that is below diagonal_begin[j + 1];
// otherwise the row has no j-th entry.
//
// Example: rows of 1, 3 and 2 entries have order = 1, 2, 0 and diagonals of 3, 2 and 1 entries.
//
// A thread adds the entries of a position one after the other: the results repeat bit for bit.
// Cost: 2 k nnz flops; (4 + sizeof T) nnz + (2 sizeof T + 4) rows bytes, X and Y once. The longest row bounds the time from below.
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
struct JdsView {
  std::int64_t rows = 0, cols = 0, nnz = 0, diagonals = 0;
  const std::int64_t* diagonal_begin = nullptr;  // diagonals + 1
  const std::int32_t* order = nullptr;           // rows
  const std::int32_t* col = nullptr;
  const T* value = nullptr;
};

// The owner of the arrays in host memory.
template <class T>
class Jds {
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

// On the CPU, by `threads` threads (0: all). y is not read if beta = 0. Throws InvalidArgument (k).
template <class T>
void jds_multiply_on_cpu(int k, same_t<T> alpha, const JdsView<T>& a, const same_t<T>* x, same_t<T> beta,
                         T* y, int threads = 0);

#ifdef EIGEN_G_HAVE_CUDA
// The owner of the arrays in device memory.
template <class T>
class JdsOnDevice {
 public:
  JdsOnDevice() = default;
  // Converts on the GPU and blocks. Throws OutOfMemory, DeviceError.
  JdsOnDevice(const Queue& queue, const CrsView<T>& a_dev);
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

// On a GPU, ordered on `queue`. If k = 4, x_dev and y_dev are aligned to 16 bytes. Throws InvalidArgument (k, x, y), DeviceError.
template <class T>
void jds_multiply(const Queue& queue, int k, same_t<T> alpha, const JdsView<T>& a_dev, const same_t<T>* x_dev,
                  same_t<T> beta, T* y_dev, same_t<T> gamma = 0);

}  // namespace eigen_g::papers
