// Worker: a thread that runs one piece of work after another, for a device that needs its own host thread: the CPU.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

class Worker {
 public:
  void start(std::function<void()> work);  // wait() must have returned for the work before
  void wait();                             // blocks until the work is done; throws what the work threw

 private:
  struct Thread {
    Thread();
    ~Thread();  // waits for the current work
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    void loop();

    std::mutex mutex;  // guards everything below
    std::condition_variable changed;
    std::function<void()> work;
    std::exception_ptr thrown;
    bool ending = false;
    std::thread thread;  // last, because it uses all members above
  };
  LeftInChild<Thread> thread_;
};

}  // namespace eigen_g
