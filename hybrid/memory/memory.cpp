#include "hybrid/memory/memory.hpp"

#include "hybrid/memory/pinned_address.hpp"

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/memory/resources_impl.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

namespace {

// The large blocks that the process keeps, one for each GPU.
class KeptBlocks {
 public:
  // Never destroyed, because CUDA may be gone when the process ends.
  static KeptBlocks& of_process() {
    static KeptBlocks& all = *new KeptBlocks;
    return all;
  }
  DeviceBuffer<std::byte> take(int gpu) {
    const std::lock_guard lock(mutex_);
    return std::exchange(blocks_[gpu], DeviceBuffer<std::byte>());
  }
  // Keeps the larger one of `block` and the kept block, and leaves the other one in `block`.
  void give(int gpu, DeviceBuffer<std::byte>& block) {
    const std::lock_guard lock(mutex_);
    if (blocks_[gpu].size() < block.size()) std::swap(blocks_[gpu], block);
  }
  std::uint64_t bytes(int gpu) {
    const std::lock_guard lock(mutex_);
    return blocks_[gpu].bytes();
  }
  void release() {
    const std::lock_guard lock(mutex_);
    blocks_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<int, DeviceBuffer<std::byte>> blocks_;  // key: the GPU
};

}  // namespace

void* allocate_device(std::uint64_t bytes) {
  void* p = nullptr;
  cudaError_t status = cudaMalloc(&p, bytes);
  if (status == cudaErrorMemoryAllocation && KeptBlocks::of_process().take(current_gpu()).data()) {
    cudaGetLastError();
    status = cudaMalloc(&p, bytes);
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    const Device gpu = gpu_device(current_gpu());
    throw OutOfMemory(OutOfMemory::Where::device, gpu.name, bytes, gpu.memory_free);
  }
  EIGEN_G_CUDA(status);
  ++things_made;
  return p;
}

void free_device(void* p) noexcept {
  cudaFree(p);
}

// Not cudaMallocHost: its memory has small pages and takes twice as long to allocate.
void* allocate_pinned(std::uint64_t bytes) {
  constexpr std::uint64_t small_page = 4096, large_page = std::uint64_t{2} << 20;
  const std::uint64_t page = bytes < large_page ? small_page : large_page;
  // No page is shared with memory that something else pins or frees.
  const std::uint64_t whole = round_up(bytes, page);
  const auto refuse = [&] {
    throw OutOfMemory(OutOfMemory::Where::host, "the host (pinned)", bytes, host_memory_available());
  };
  require_host_memory(whole);
  void* const p = std::aligned_alloc(page, whole);
  if (!p) refuse();
  if (page == large_page) madvise(p, whole, MADV_HUGEPAGE);  // a request; the system may have no large pages
  // All threads touch the pages, one large page at a time. Otherwise cudaHostRegister would fault them in with one thread.
  for_each(static_cast<std::int64_t>(whole / page), threads_if(page == large_page), [&](std::int64_t k) {
    for (std::uint64_t at = 0; at < page; at += small_page)
      static_cast<volatile char*>(p)[static_cast<std::uint64_t>(k) * page + at] = 0;
  });
  const cudaError_t status = cudaHostRegister(p, whole, cudaHostRegisterPortable | cudaHostRegisterMapped);
  if (status != cudaSuccess) std::free(p);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    refuse();
  }
  EIGEN_G_CUDA(status);
  ++things_made;
  return p;
}

void* address_in_kernels(void* pinned) {
  void* address = nullptr;
  EIGEN_G_CUDA(cudaHostGetDevicePointer(&address, pinned, 0));
  return address;
}

void free_pinned(void* p) noexcept {
  cudaHostUnregister(p);
  std::free(p);
}

DeviceMemory::DeviceMemory(std::uint64_t bytes)
    : data_(bytes > 0 ? allocate_device(bytes) : nullptr), bytes_(bytes) {}

DeviceMemory::DeviceMemory(const Queue& queue, std::uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  from_ = &queue.resources();
  stream_ = queue.stream();
  gpu_ = current_gpu();  // may throw, so it is called before the allocation
  data_ = from_->allocate(bytes, stream_);
}

DeviceMemory::~DeviceMemory() {
  if (!data_) return;
  if (!from_ || !from_->has_allocator()) {
    free_device(data_);
    return;
  }
  int before = 0;  // CurrentGpu could throw here
  cudaGetDevice(&before);
  cudaSetDevice(gpu_);
  from_->free(data_, bytes_, stream_);
  cudaSetDevice(before);
}

WorkMemory::WorkMemory(const Queue& queue, std::uint64_t bytes)
    : from_(&queue.resources()), gpu_(current_gpu()) {
  if (from_->has_allocator()) {
    buffer_ = DeviceBuffer<std::byte>(queue, static_cast<std::int64_t>(bytes));
    return;
  }
  if (bytes > max_kept_bytes) {
    most_kept_ = gpu_facts(gpu_).memory_total / kept_part;
    buffer_ = KeptBlocks::of_process().take(gpu_);
  } else {
    const std::lock_guard lock(from_->impl_->mutex);
    buffer_ = std::exchange(from_->impl_->of_gpu[gpu_].work, DeviceBuffer<std::byte>());
  }
  if (buffer_.bytes() >= bytes) return;
  buffer_ = DeviceBuffer<std::byte>();
  buffer_ = DeviceBuffer<std::byte>(static_cast<std::int64_t>(bytes));
}

WorkMemory::~WorkMemory() {
  if (!buffer_.data() || from_->has_allocator()) return;
  if (buffer_.bytes() > max_kept_bytes) {
    if (buffer_.bytes() <= most_kept_) KeptBlocks::of_process().give(gpu_, buffer_);
    return;
  }
  const std::lock_guard lock(from_->impl_->mutex);
  DeviceBuffer<std::byte>& kept = from_->impl_->of_gpu[gpu_].work;
  if (kept.size() < buffer_.size()) std::swap(kept, buffer_);
}

std::uint64_t device_memory_available() {
  const int gpu = current_gpu();
  return gpu_memory_free(gpu) + KeptBlocks::of_process().bytes(gpu);
}
void release_kept_memory() noexcept {
  KeptBlocks::of_process().release();
}

}  // namespace eigen_g
