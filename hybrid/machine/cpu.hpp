// The CPU as a device: its cores, its BLAS, its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace eigen_g {

// Cores that this process may use: the cores of its affinity mask, limited to the CPU quota of its control group. A quota of 2.5 cores
// counts as 2, because a third thread would make all threads wait for the next period. The quota is read once.
int usable_cores();
// True if OMP_NUM_THREADS or a variable of OpenBLAS sets the number of threads. The quota then does not limit them. Read once.
bool threads_set_by_user();
int loop_threads();  // threads that share a loop of the calling thread (hybrid/team/loops.hpp)
// Threads of the calling thread's teams (hybrid/team/team.hpp): as loop_threads(), but by default no more than the physical cores.
int core_threads();
int blas_threads();          // threads that OpenBLAS uses for large work of the calling thread
std::string blas_version();  // OpenBLAS's own description

// True if ulimit -v limits the process. Parallel loops then use one thread, because there may be no address space for the stack
// of another.
bool address_space_limited();

// Throws InvalidArgument (threads) unless 0 <= threads <= 65536.
void require_threads(int threads);

// True if a ThreadLimit sets the number of threads of the calling thread.
bool threads_limited();

// Sets the thread count of the calling thread's parallel loops and of its turns at OpenBLAS (blas_turn.hpp), for the lifetime
// of the object. More threads than cores: one for each core. 0: unchanged. If address_space_limited(), loops use one thread in
// every case. Other threads keep their counts.
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

// The CPU quota of a process in cores: the smallest quota of its control group and of all enclosing groups. 0: no group has a quota.
// Both versions of control groups. groups: /proc/self/cgroup, mounted: /sys/fs/cgroup.
double cpu_quota(const std::string& groups, const std::string& mounted);
// Number of different physical cores among these processors. Two processors of one core name the same first sibling in
// <folder>/cpu<number>/topology/thread_siblings_list. A processor without such a file counts as a core. folder: /sys/devices/system/cpu.
int physical_cores(const std::vector<int>& processors, const std::string& folder);

// Below this order, a loop that touches each entry once uses one thread.
inline constexpr std::int64_t smallest_parallel_order = 2000;

// Throws OutOfMemory if the host has fewer than `bytes` bytes available. Linux grants allocations beyond its memory, so
// allocate_host() asks first. Requests of up to 64 MiB are not checked.
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
