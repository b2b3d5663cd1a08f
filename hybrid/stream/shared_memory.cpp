#include "hybrid/stream/shared_memory.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g {

void allow_shared_memory(const void* kernel, std::size_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, std::size_t> allowed;  // limit by GPU and kernel
  const int gpu = current_gpu();
  const std::lock_guard lock(mutex);
  std::size_t& most = allowed[{gpu, kernel}];
  if (bytes <= most) return;
  EIGEN_G_CUDA(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  most = bytes;
}

}  // namespace eigen_g
