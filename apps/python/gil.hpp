// GilReleased and GilHeld: release and take the GIL in threads that may outlive the interpreter.
//
// Before Python 3.14 a daemon thread that takes the GIL during the interpreter's end is ended by unwinding its stack. A noexcept frame on
// that stack then calls std::terminate. So such a thread waits here until the process ends, as Python does itself from 3.14 on.
// At the end the interpreter waits for all threads that are inside the library, because OpenBLAS's exit frees its threads and memory. It
// waits 10 s at most, as a solve may take long.
#pragma once

#include <nanobind/nanobind.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace eigen_g::python {

inline std::atomic<int> in_library = 0;  // threads inside the library, which have released the GIL
inline std::atomic<bool> interpreter_is_gone = false;

inline void wait_for_the_library_at_exit() {
  Py_AtExit([] {  // runs even if Ctrl-C ends the process
    interpreter_is_gone = true;
    for (int waits = 0; waits < 10000 && in_library > 0; ++waits) usleep(1000);
  });
  pthread_atfork(nullptr, nullptr,
                 [] { in_library = 0; });  // a child process has only the thread that called fork()
}

template <class Take>
auto taken_or_never(const Take& take) noexcept {
  --in_library;
  while (interpreter_is_gone) pause();
  try {
    return take();
  } catch (...) {  // do not leave: the exception that ends a thread must not be swallowed
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
