// The CPU as a device: its threads, its BLAS, its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>

namespace eigen_g {

int usable_cores();          // processors that this process may run on
int blas_threads();          // that OpenBLAS takes for the calling thread's large work
std::string blas_version();  // OpenBLAS's own description

// Whether ulimit -v limits the process. Parallel loops then take one thread: OpenMP ends the process where it gets none more.
bool address_space_limited();

// Throws InvalidArgument (threads) but for 0 to 65536.
void require_threads(int threads);

// For its lifetime the calling thread's parallel loops, and its turns at OpenBLAS (blas_turn.hpp), take `threads` threads or as
// many as the machine has (0: unchanged). Other threads keep theirs.
class ThreadLimit {
 public:
  // Throws InvalidArgument as require_threads().
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int blas_before_ = 0;
  int omp_before_ = 0;
};

// Orders below this are done by one thread where each entry is touched once: OpenMP's threads spin for milliseconds after a
// parallel loop, in the way of OpenBLAS's own.
inline constexpr std::int64_t smallest_parallel_order = 2000;

// Throws OutOfMemory where the host has not so many bytes left. Linux grants more than it has, so this is asked first; for
// a few MB it is not worth the question.
void require_host_memory(std::uint64_t bytes);

// Uninitialised host memory, aligned to 64 bytes. Throws OutOfMemory.
struct FreeHost {
  void operator()(void* p) const noexcept;
};
template <class T>
using HostArray = std::unique_ptr<T[], FreeHost>;
void* allocate_host(std::uint64_t bytes);
template <class T>
HostArray<T> host_array(std::int64_t count) {
  return HostArray<T>(
      static_cast<T*>(allocate_host(static_cast<std::uint64_t>(count > 0 ? count : 1) * sizeof(T))));
}

}  // namespace eigen_g
