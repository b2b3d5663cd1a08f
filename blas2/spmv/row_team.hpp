// The product with a matrix that is cut by rows over several GPUs (row_parts.hpp), each with its rows of X and Y:
//
//   Y := alpha A X + gamma X + beta Y,   blocks of 4 vectors
//
// A GPU writes the rows that the others need into their memory (by way of the host where it does not reach it) before it multiplies
// its own part; then each adds what its far entries give. Every row is one sum in a fixed order: results repeat bit for bit. CUDA builds
// only.
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
class RowTeam {
 public:
  // a: host. gpus: CUDA's numbers, one may be named twice. Blocks until everything is in place. Throws OutOfMemory, DeviceError.
  RowTeam(const CrsView<T>& a, const std::vector<int>& gpus);
  ~RowTeam();
  int members() const;
  int gpu(int member) const;
  std::int64_t first_row(int member) const;  // of member = members(): the order of A
  const Queue& queue(int member) const;      // what a member's product and X and Y are ordered on
  std::uint64_t bytes(int member) const;
  // x_dev, y_dev: rows of each member x 4, row-major, in its memory, aligned to 32 bytes. Queued.
  void multiply(T alpha, const std::vector<const T*>& x_dev, T gamma, T beta, const std::vector<T*>& y_dev);

 private:
  struct Member;
  struct Message;
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<std::unique_ptr<Message>> messages_;
  int turn_ = 0;
};

}  // namespace eigen_g::blas2
