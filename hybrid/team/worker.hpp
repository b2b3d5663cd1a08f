// Worker: a thread that runs one piece of work after another, for a device that needs its own host thread: the CPU.
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
  ~Worker();  // waits for the current work
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(std::function<void()> work);  // wait() must have returned for the work before
  void wait();                             // blocks until the work is done; throws what the work threw

 private:
  void loop();
  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::function<void()> work_;
  std::exception_ptr thrown_;
  bool ending_ = false;
  std::thread thread_;  // last, because it uses all members above
};

}  // namespace eigen_g
