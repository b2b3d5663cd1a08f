#include "hybrid/team/worker.hpp"

#include <utility>

namespace eigen_g {

Worker::Worker() : thread_([this] { loop(); }) {}

Worker::~Worker() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !work_; });
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::start(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
  }
  changed_.notify_all();
}

void Worker::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !work_; });
  if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
}

void Worker::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return work_ || ending_; });
    if (!work_) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      work_();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace eigen_g
