// TransferThread: a second host thread, which copies between host and device memory while the calling thread queues work. CUDA builds only.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "hybrid/machine/fork.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/worker.hpp"

namespace eigen_g {

// The resources of a second thread, which the caller's resources keep. A release() of the caller's resources frees them.
Resources& of_second_thread(Resources& of_caller);

// The thread uses of_second_thread(of_caller), so only one TransferThread of a caller at a time may have work.
class TransferThread {
 public:
  using Transfer = std::function<void(const Queue& copies)>;

  explicit TransferThread(Resources& of_caller) : of_caller_(of_caller) {}
  ~TransferThread() { stop(); }
  TransferThread(const TransferThread&) = delete;
  TransferThread& operator=(const TransferThread&) = delete;

  // The thread calls transfer(copies), on the current GPU, when the transfers before have returned. `copies` works after the work that is in `queue`
  // now. Returns at once, unless the thread ends just now. Then it returns when the copies so far are done. Throws what an earlier transfer threw; the
  // transfers after that one are not made.
  void after(const Queue& queue, Transfer transfer);
  // Blocks until all transfers are done. Throws as after().
  void wait() { worker_.wait(); }
  // Drops the transfers that have not begun, and blocks until the others are done. Their exceptions are lost.
  void stop() noexcept;

 private:
  struct Item {
    Event ready;
    Transfer transfer;
  };
  void make_all(Resources& own, int gpu);
  bool take(std::deque<Item>& next);

  Resources& of_caller_;
  const int made_after_ = forks();
  std::mutex mutex_;  // guards the two members below
  std::deque<Item> items_;
  bool running_ = false;  // the worker will look at items_ again
  Worker worker_;         // the last member: its thread ends first
};

}  // namespace eigen_g
