// A thread that does one piece of work after the other, for a device that needs a host thread of its own: the CPU.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace eigen_g {

class Worker {
 public:
  Worker();
  ~Worker();  // after the work that it has
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(std::function<void()> work);  // after a wait() for what was started before
  void wait();                             // until it is done; throws what the work threw

 private:
  void loop();
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::function<void()> work_;
  std::exception_ptr thrown_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace eigen_g
