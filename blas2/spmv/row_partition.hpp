// RowPartition: the product with a matrix that is cut by rows over several GPUs (row_parts.hpp). Each GPU has its rows of X and Y:
//
//   Y := alpha A X + gamma X + beta Y,   blocks of 4 vectors
//
// A GPU writes the rows of X that other GPUs need into their memory; without peer access they pass through the host. Then it
// multiplies its own part. At last each GPU adds the products of its far entries. Every row is one sum in a fixed order, so
// results have the same bits in every run. CUDA builds only.
#pragma once

#include <memory>
#include <vector>

#include "blas2/spmv/row_parts.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::blas2 {

template <class T>
class RowPartition {
 public:
  // a: host memory. gpus: CUDA's indices; a GPU may appear twice. Blocks until everything is prepared. Throws OutOfMemory,
  // DeviceError.
  RowPartition(const CrsView<T>& a, const std::vector<int>& gpus);
  ~RowPartition();
  int members() const;
  int gpu(int member) const;
  std::int64_t first_row(int member) const;  // member = members(): the order of A
  const Queue& queue(int member) const;      // orders the member's products, X and Y
  std::uint64_t bytes(int member) const;
  // x_dev, y_dev: for each member its rows x 4, row-major, in its memory, 32-byte aligned. Queued.
  void multiply(T alpha, const std::vector<const T*>& x_dev, T gamma, T beta, const std::vector<T*>& y_dev);

 private:
  struct Member;
  struct Message;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::unique_ptr<Message>> messages_;
  int turn_ = 0;
};

}  // namespace eigen_g::blas2
