#include "hybrid/memory/memory.hpp"

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstdlib>
#include <map>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"

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

// The driver's own pinned memory (cudaMallocHost) comes in small pages and takes twice as long to get.
void* allocate_pinned(std::uint64_t bytes) {
  constexpr std::uint64_t small_page = 4096, large_page = std::uint64_t{2} << 20;
  const std::uint64_t page = bytes < large_page ? small_page : large_page;
  const std::uint64_t whole = (bytes + page - 1) / page * page;  // pages that nobody else pins or frees
  const auto refuse = [&] {
    throw OutOfMemory(OutOfMemory::Where::host, "the host (pinned)", bytes, host_memory_available());
  };
  require_host_memory(whole);
  void* const p = std::aligned_alloc(page, whole);
  if (!p) refuse();
  if (page == large_page) madvise(p, whole, MADV_HUGEPAGE);  // where the system has them
  // Pages come in by all threads, a large one each; cudaHostRegister would bring them in alone.
  const auto pages = static_cast<std::int64_t>(whole / small_page);
#pragma omp parallel for schedule(static, large_page / small_page) if (page == large_page)
  for (std::int64_t k = 0; k < pages; ++k) static_cast<volatile char*>(p)[k * std::int64_t{small_page}] = 0;
  const cudaError_t status = cudaHostRegister(p, whole, cudaHostRegisterPortable);
  if (status != cudaSuccess) std::free(p);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    refuse();
  }
  EIGEN_G_CUDA(status);
  return p;
}

void free_pinned(void* p) noexcept {
  cudaHostUnregister(p);
  std::free(p);
}

}  // namespace detail

namespace {
thread_local std::map<int, DeviceBuffer<double>> kept;  // by GPU
thread_local PinnedBuffer<double> pinned;
}  // namespace

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

double* kept_pinned(std::int64_t doubles) {
  if (pinned.size() < doubles) {
    pinned = PinnedBuffer<double>();
    pinned = PinnedBuffer<double>(doubles);
  }
  return pinned.data();
}

void release_kept_memory() {
  pinned = PinnedBuffer<double>();
  kept.clear();
}

}  // namespace eigen_g
