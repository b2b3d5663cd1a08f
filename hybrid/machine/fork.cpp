#include "hybrid/machine/fork.hpp"

#include <pthread.h>

#include <new>

namespace eigen_g {

namespace {

int forks_so_far = 0;

// Turns first: a thread with a turn may make a value, but no value is made by turns. A thread that makes a value may call the loader.
void before() {
  at_fork::hold_turns();
  making().lock();
  loading().lock();
}
void in_parent() {
  loading().unlock();
  making().unlock();
  at_fork::release_turns();
}
void in_child() {
  ++forks_so_far;
  new (&loading()) std::recursive_mutex;  // its owner's id is that of a thread of the parent
  new (&making()) std::recursive_mutex;
  at_fork::renew_turns();
  at_fork::renew_helpers();
  at_fork::renew_teams();
}

[[maybe_unused]] const int registered = pthread_atfork(before, in_parent, in_child);

}  // namespace

int forks() {
  return forks_so_far;
}

std::string no_cuda_after_fork() {
  if (forks_so_far == 0) return "";
  return "; this process is a child of fork(), and a child cannot use CUDA if its parent has used it: start "
         "the process anew "
         "(multiprocessing: \"spawn\" or \"forkserver\")";
}

std::recursive_mutex& making() {
  static constinit std::recursive_mutex mutex;
  return mutex;
}

std::recursive_mutex& loading() {
  static constinit std::recursive_mutex mutex;
  return mutex;
}

}  // namespace eigen_g
