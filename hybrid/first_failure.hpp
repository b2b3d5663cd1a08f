// FirstFailure: keeps the first exception of several threads, for the thread that waits for them.
#pragma once

#include <exception>
#include <mutex>

namespace eigen_g {

class FirstFailure {
 public:
  // Runs work() and keeps what it throws. Any thread may call this.
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }
  // Throws the exception that was kept, if there is one. For the time when all threads have ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace eigen_g
