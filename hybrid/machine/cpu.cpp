#include "hybrid/machine/cpu.hpp"

#include <cblas.h>
#include <omp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include "hybrid/machine/device.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/round_up.hpp"

namespace eigen_g {

namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

// Version 2 has "quota period" or "max period" in one file; version 1 has two files, and a quota of -1 for none.
double quota_of_group(const std::string& folder) {
  double quota = 0, period = 0;
  if (!(std::ifstream(folder + "/cpu.max") >> quota >> period)) {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : no_quota;
}

int affine_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

// Physical cores of the affinity mask at the first call.
int affine_physical_cores() {
  static constinit MadeOnce<const int> cores;
  return cores.get([] {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return affine_cores();
    std::vector<int> processors;
    for (int k = 0; k < CPU_SETSIZE; ++k)
      if (CPU_ISSET(k, &set)) processors.push_back(k);
    return physical_cores(processors, "/sys/devices/system/cpu");
  });
}

}  // namespace

double cpu_quota(const std::string& groups, const std::string& mounted) {
  double least = no_quota;
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // "0::/a/b" or "4:cpu,cpuacct:/a/b"
    const std::size_t names = line.find(':') + 1, end = line.find(':', names);
    if (names == 0 || end == std::string::npos) continue;
    const std::string controllers = line.substr(names, end - names);
    if (!controllers.empty() &&
        std::string(",").append(controllers).append(",").find(",cpu,") == std::string::npos)
      continue;
    const std::string group = line.substr(end + 1);
    for (const std::string& folder : {controllers, std::string(controllers.empty() ? "unified" : "cpu")})
      for (std::string at = group;; at.resize(at.rfind('/'))) {
        least = std::min(least, quota_of_group(std::string(mounted).append("/").append(folder).append(at)));
        if (at.empty() || at.rfind('/') == std::string::npos) break;
      }
  }
  return least == no_quota ? 0 : least;
}

namespace {

// Cores that the quota pays for.
int paid_cores() {
  static constinit MadeOnce<const int> cores;
  return cores.get([] {
    const double quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota > 0 ? static_cast<int>(std::clamp(quota, 1.0, 1e6)) : std::numeric_limits<int>::max();
  });
}

}  // namespace

int usable_cores() {
  return std::min(affine_cores(), paid_cores());
}

bool threads_set_by_user() {
  static constinit MadeOnce<const bool> set;
  return set.get([] {
    for (const char* const name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS"})
      if (const char* const value = std::getenv(name); value && *value) return true;
    return false;
  });
}

int loop_threads() {
  if (omp_in_parallel()) return 1;
  const int threads = omp_get_max_threads();  // OpenMP has read the affinity mask and OMP_NUM_THREADS
  return threads_set_by_user() ? threads : std::min(threads, paid_cores());
}

int core_threads() {
  const int threads = loop_threads();
  return threads_set_by_user() || threads_limited() ? threads : std::min(threads, affine_physical_cores());
}

int physical_cores(const std::vector<int>& processors, const std::string& folder) {
  std::set<int> cores;
  for (const int processor : processors) {
    int first = processor;
    std::ifstream(folder + "/cpu" + std::to_string(processor) + "/topology/thread_siblings_list") >> first;
    cores.insert(first);
  }
  return static_cast<int>(cores.size());
}

bool address_space_limited() {
  rlimit space{};
  return ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

std::string blas_version() {
  return openblas_get_config();
}

void require_host_memory(std::uint64_t bytes) {
  if (bytes <= std::uint64_t{1} << 26) return;
  const std::uint64_t available = host_memory_available();
  if (available > 0 && bytes > available)
    throw OutOfMemory(OutOfMemory::Where::host, "the host", bytes, available);
}

void* allocate_host(std::uint64_t bytes) {
  constexpr std::uint64_t alignment = 64;
  require_host_memory(bytes);
  void* p = std::aligned_alloc(alignment, round_up(bytes, alignment));
  if (!p) throw OutOfMemory(OutOfMemory::Where::host, "the host", bytes, host_memory_available());
  // Large pages save most page faults and most misses of the TLB. This is a request: the system may have none.
  constexpr std::uint64_t large_page = std::uint64_t{1} << 21;
  const auto address = reinterpret_cast<std::uint64_t>(p);
  const std::uint64_t skipped = round_up(address, large_page) - address;
  if (bytes >= skipped + large_page)
    ::madvise(static_cast<char*>(p) + skipped, (bytes - skipped) / large_page * large_page, MADV_HUGEPAGE);
  return p;
}

void FreeHost::operator()(void* p) const noexcept {
  std::free(p);
}

}  // namespace eigen_g
