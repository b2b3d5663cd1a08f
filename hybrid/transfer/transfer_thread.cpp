#include "hybrid/transfer/transfer_thread.hpp"

#include <utility>

#include "hybrid/machine/device.hpp"

namespace eigen_g {

void TransferThread::after(const Queue& queue, Transfer transfer) {
  Item item{Event(of_caller_), std::move(transfer)};
  item.ready.record(queue);
  {
    const std::lock_guard lock(mutex_);
    if (running_) {
      items_.push_back(std::move(item));
      return;
    }
  }
  worker_.wait();
  Resources& own = of_second_thread(of_caller_);
  const int gpu = current_gpu();
  items_.push_back(std::move(item));
  running_ = true;
  try {
    worker_.start([this, &own, gpu] { make_all(own, gpu); });
  } catch (...) {
    items_.clear();
    running_ = false;
    throw;
  }
}

void TransferThread::stop() noexcept {
  if (forks() != made_after_) return;  // the thread is not in this process
  {
    const std::lock_guard lock(mutex_);
    items_.clear();
  }
  try {
    worker_.wait();
  } catch (...) {
  }
}

// Moves the next item to the empty list `next`. Returns false if there is none.
bool TransferThread::take(std::deque<Item>& next) {
  const std::lock_guard lock(mutex_);
  running_ = !items_.empty();
  if (!running_) return false;
  next.push_back(std::move(items_.front()));
  items_.pop_front();
  return true;
}

void TransferThread::make_all(Resources& own, int gpu) {
  try {
    const CurrentGpu on(gpu);
    const Queue copies(own, Queue::CopiesOnly());
    try {
      for (std::deque<Item> next; take(next); next.clear()) {
        next.front().ready.hold(copies);
        next.front().transfer(copies);
      }
      copies.wait();
    } catch (...) {
      cudaStreamSynchronize(copies.stream());  // queued copies may still use the memory
      throw;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    items_.clear();
    running_ = false;
    throw;
  }
}

}  // namespace eigen_g
