// Handlers of fork(), so that a child can use the library immediately.
//
// A child has one thread, the one that called fork(). A lock that another thread of the parent held is never released in the child, and
// a destructor that waits for a thread of the parent never returns in the child. So:
//   - fork() waits for the turns at OpenBLAS that run at the time (blas_turn.hpp), because OpenBLAS's own locks are not released either.
//     No turn starts during fork(). The child begins with no turn and no waiting thread;
//   - fork() waits until no MadeOnce is being made;
//   - fork() waits until no thread of this library calls the dynamic loader, because the loader's own locks are not released either;
//   - the helping threads (hybrid/team/helpers.hpp) do not exist in a child; it starts its own when it first needs them;
//   - objects with threads of their own are not destroyed in a child (LeftInChild);
//   - CUDA cannot be used in a child of a process that has used it: its calls fail, and the error names the cause (cuda_check.hpp).
//
// The handlers are registered in one place, fork.cpp, when the library is loaded. glibc ties them to the library that registers them:
// dlclose() removes them, so they never dangle.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace eigen_g {

// Number of calls of fork() between the process that loaded the library and this one.
int forks();

// Returns a text to append to messages about a failure of CUDA or of a GPU. It is empty unless this process is a child of fork().
std::string no_cuda_after_fork();

// The lock under which every MadeOnce is made. It is recursive, because a value may need another one.
std::recursive_mutex& making();

// The lock that a thread holds while it calls dlopen(), dlsym() or dl_iterate_phdr().
std::recursive_mutex& loading();

// A value that is made at its first use and kept to the end of the process. It replaces a static variable of a function. If another
// thread of the parent initialises such a variable during fork(), its initialisation never ends in the child. Declare a MadeOnce
// `static constinit`.
template <class T>
class MadeOnce {
 public:
  template <class Make>
  T& get(const Make& make) {
    if (T* const made = made_.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(making());
    if (!made_.load(std::memory_order_relaxed)) made_.store(new T(make()), std::memory_order_release);
    return *made_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<T*> made_{nullptr};
};

// Owns an object that has threads. In a child of the process that made the object it is not destroyed.
template <class T>
class LeftInChild {
 public:
  LeftInChild() : object_(std::make_unique<T>()) {}
  ~LeftInChild() {
    if (forks() != made_after_) static_cast<void>(object_.release());
  }
  LeftInChild(const LeftInChild&) = delete;
  LeftInChild& operator=(const LeftInChild&) = delete;
  T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
  const int made_after_ = forks();
};

// The parts of the handlers. Each is defined next to the state that it treats.
namespace at_fork {
void hold_turns();     // waits until no turn at OpenBLAS runs, and lets none begin
void release_turns();  // in the parent
void renew_turns();    // in the child
void renew_helpers();  // in the child
void renew_teams();    // in the child
}  // namespace at_fork

}  // namespace eigen_g
