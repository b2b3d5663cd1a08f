#include "hybrid/machine/cpu.hpp"

#include <cblas.h>
#include <omp.h>

#include <cstdlib>

#include "hybrid/machine/device.hpp"

namespace eigen_g {

int blas_threads() {
  return openblas_get_num_threads();
}
std::string blas_version() {
  return openblas_get_config();
}

ThreadLimit::ThreadLimit(int threads) {
  if (threads <= 0) return;
  blas_before_ = openblas_get_num_threads();
  omp_before_ = omp_get_max_threads();
  openblas_set_num_threads(threads);
  omp_set_num_threads(threads);
}

ThreadLimit::~ThreadLimit() {
  if (blas_before_ == 0) return;
  openblas_set_num_threads(blas_before_);
  omp_set_num_threads(omp_before_);
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
  void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw OutOfMemory(OutOfMemory::Where::host, "the host", bytes, host_memory_available());
  return p;
}

void FreeHost::operator()(void* p) const noexcept {
  std::free(p);
}

}  // namespace eigen_g
