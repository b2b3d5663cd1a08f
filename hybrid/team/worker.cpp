#include "hybrid/team/worker.hpp"

#include <utility>

namespace eigen_g {

Worker::Thread::Thread() : thread([this] { loop(); }) {}

Worker::Thread::~Thread() {
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !work; });
    ending = true;
  }
  changed.notify_all();
  thread.join();
}

void Worker::start(std::function<void()> work) {
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->work = std::move(work);
  }
  thread_->changed.notify_all();
}

void Worker::wait() {
  std::unique_lock lock(thread_->mutex);
  thread_->changed.wait(lock, [this] { return !thread_->work; });
  if (const std::exception_ptr thrown = std::exchange(thread_->thrown, nullptr))
    std::rethrow_exception(thrown);
}

void Worker::Thread::loop() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return work || ending; });
    if (!work) return;
    lock.unlock();
    std::exception_ptr now_thrown;
    try {
      work();
    } catch (...) {
      now_thrown = std::current_exception();
    }
    lock.lock();
    thrown = now_thrown;
    work = nullptr;
    changed.notify_all();
  }
}

}  // namespace eigen_g
