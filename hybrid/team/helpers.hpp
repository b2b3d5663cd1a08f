// The library's own helping threads, which loops (loops.hpp) and teams (team.hpp) share. They are started when they are first needed and
// sleep when there is no work.
#pragma once

#include <atomic>
#include <cstddef>

namespace eigen_g {

// Work in which helpers may take part.
class SharedWork {
 public:
  explicit SharedWork(int helpers) : places(helpers) {}
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;
  // Called in the calling thread with 0, and in each helper that takes part with the helper's number, from 1 on. Must not throw.
  virtual void run(std::size_t thread) = 0;

  std::atomic<int> places;  // number of helpers that may still join

 protected:
  ~SharedWork() = default;
};

namespace helpers {
// Runs work.run(0), and shows the work to the helpers meanwhile. Helpers that are free join, also late; there may be none. Returns when
// all have left. Several threads may share work at the same time.
void share(SharedWork& work);
// True in a helper, and in a thread that shares work at the moment: further work runs in this thread alone.
bool busy();
}  // namespace helpers

}  // namespace eigen_g
