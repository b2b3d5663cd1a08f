// The CPU as a device: its threads, its BLAS, its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>

namespace eigen_g {

int blas_threads();          // that OpenBLAS uses now
std::string blas_version();  // OpenBLAS's own description

// For its lifetime OpenBLAS and OpenMP use `threads` threads (0: unchanged). OpenBLAS keeps one number for
// the whole process, so solves with different limits must not overlap.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int blas_before_ = 0;
  int omp_before_ = 0;
};

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
