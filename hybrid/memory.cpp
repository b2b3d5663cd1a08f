#include "hybrid/memory.hpp"

#include <cuda_runtime.h>

#include <map>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device.hpp"

namespace eigen_g {

namespace detail {

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

}  // namespace detail

namespace {
thread_local std::map<int, DeviceBuffer<double>> kept;  // by GPU
}

WorkMemory::WorkMemory(std::int64_t doubles) : device_(current_gpu()) {
  DeviceBuffer<double>& at_hand = kept[device_];
  if (at_hand.size() < doubles) {
    at_hand = DeviceBuffer<double>();
    at_hand = DeviceBuffer<double>(doubles);
  }
  buffer_ = std::exchange(at_hand, DeviceBuffer<double>());
}

WorkMemory::~WorkMemory() {
  if (!buffer_.data() || buffer_.bytes() > most_kept_bytes) return;
  DeviceBuffer<double>& at_hand = kept[device_];
  if (at_hand.size() < buffer_.size()) std::swap(at_hand, buffer_);
}

void release_kept_memory() {
  kept.clear();
}

}  // namespace eigen_g
