#include "hybrid/machine/cpu.hpp"

#include <cblas.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdlib>
#include <thread>

#include "hybrid/machine/device.hpp"
#include "hybrid/round_up.hpp"

namespace eigen_g {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
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
  return p;
}

void FreeHost::operator()(void* p) const noexcept {
  std::free(p);
}

}  // namespace eigen_g
