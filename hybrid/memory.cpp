#include "hybrid/memory.hpp"

#include <cuda_runtime.h>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device.hpp"

namespace eigen_g::detail {

void* allocate_device(std::uint64_t bytes) {
  void* p = nullptr;
  const cudaError_t status = cudaMalloc(&p, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    const Device gpu = gpu_device(current_gpu());
    throw OutOfMemory(OutOfMemory::Where::device, gpu.name, bytes, gpu.memory_free);
  }
  EIGEN_G_CUDA(status);
  return p;
}

void free_device(void* p) noexcept {
  cudaFree(p);
}

void* allocate_pinned(std::uint64_t bytes) {
  void* p = nullptr;
  const cudaError_t status = cudaMallocHost(&p, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory(OutOfMemory::Where::host, "the host (pinned)", bytes, host_memory_available());
  }
  EIGEN_G_CUDA(status);
  return p;
}

void free_pinned(void* p) noexcept {
  cudaFreeHost(p);
}

}  // namespace eigen_g::detail
