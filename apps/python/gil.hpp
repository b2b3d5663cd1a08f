// The GIL given back and taken, by threads that may outlive the interpreter. Python ends a daemon thread that wants the GIL while it
// goes down by unwinding its stack (before 3.14), and frames that nothing may leave make std::terminate of that: such a thread waits
// here for the process' end, as from 3.14 on. Who is in the library then is waited for, as OpenBLAS takes its threads and memory away;
// for 10 s at most, as a fork during a call of OpenBLAS can leave its caller waiting for ever.
#pragma once

#include <nanobind/nanobind.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace eigen_g::python {

inline std::atomic<int> in_library = 0;  // threads without the GIL that do not want it
inline std::atomic<bool> interpreter_is_gone = false;

inline void wait_for_the_library_at_exit() {
  Py_AtExit([] {  // where Ctrl-C ends the process
    interpreter_is_gone = true;
    for (int waits = 0; waits < 10000 && in_library > 0; ++waits) usleep(1000);
  });
  pthread_atfork(nullptr, nullptr, [] { in_library = 0; });  // a child has the thread alone that forked
}

template <class Take>
auto taken_or_never(const Take& take) noexcept {
  --in_library;
  while (interpreter_is_gone) pause();
  try {
    return take();
  } catch (...) {  // not to be left: an unwinding that ends a thread must not be swallowed
    for (;;) pause();
  }
}

class GilReleased {
 public:
  GilReleased() : thread_((++in_library, PyEval_SaveThread())) {}
  ~GilReleased() {
    taken_or_never([this] { PyEval_RestoreThread(thread_); });
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* thread_;
};

class GilHeld {
 public:
  GilHeld() : state_(taken_or_never([] { return PyGILState_Ensure(); })) {}
  ~GilHeld() {
    ++in_library;
    PyGILState_Release(state_);
  }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace eigen_g::python
