// QueuedCheck: the check of a matrix and its scaling on a GPU, for a host that waits later. CUDA builds only.
#pragma once

#include "hybrid/stream/queue.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

// check_input() and then scale() by scale_exponent() of the result. Arguments as of check_input().
//   queue_check()   queues the check
//   queue_scale()   queues A := 2^k A for the lower triangle, whose kernel stores the facts in host memory
//   facts()         waits for that kernel alone. Throws NonFiniteEntry; then A is not scaled
// The scratch memory is free for work that is queued after queue_scale(). The facts are in Resources::pinned(), which no other call may use before
// facts().
template <class T>
class QueuedCheck {
 public:
  QueuedCheck(const Queue& queue, Uplo given, MatrixView<T> a_dev, Arena scratch_dev);
  void queue_check();
  void queue_scale();
  InputFacts<real_t<T>> facts();

 private:
  const Queue& queue_;
  Uplo given_;
  MatrixView<T> a_;
  void *findings_, *on_host_;
  Event ready_;
};

}  // namespace eigen_g
