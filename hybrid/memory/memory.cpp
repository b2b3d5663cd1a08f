#include "hybrid/memory/memory.hpp"

#include "hybrid/memory/pinned_address.hpp"

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/memory/resources_impl.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

namespace {

// The large blocks that the process keeps, one for each GPU. In a child of fork() the functions do nothing, because the blocks are
// the parent's.
class KeptBlocks {
 public:
  static KeptBlocks& of_process() {
    static constinit MadeOnce<KeptBlocks> all;
    return all.get([] { return KeptBlocks(); });
  }
  // Returns the kept block if it has at least `bytes` and at most `most` bytes, and else no memory.
  DeviceBuffer<std::byte> take(int gpu, std::uint64_t bytes, std::uint64_t most) {
    const Held held(*this);
    if (!held.has(gpu) || blocks_[gpu].bytes() < bytes || blocks_[gpu].bytes() > most) return {};
    return std::exchange(blocks_[gpu], DeviceBuffer<std::byte>());
  }
  // Keeps the larger one of `block` and the kept block, and leaves the other one in `block`.
  void give(int gpu, DeviceBuffer<std::byte>& block) noexcept {
    const Held held(*this);
    if (held.has(gpu) && blocks_[gpu].size() < block.size()) std::swap(blocks_[gpu], block);
  }
  std::uint64_t bytes(int gpu) {
    const Held held(*this);
    return held.has(gpu) ? blocks_[gpu].bytes() : 0;
  }
  // Frees the blocks and returns true if there was one. A thread that waits for the lock finds the memory free.
  bool release() noexcept {
    const Held held(*this);
    bool any = false;
    for (int gpu = 0; held.has(gpu); ++gpu)
      if (blocks_[gpu].data()) {
        blocks_[gpu] = DeviceBuffer<std::byte>();
        any = true;
      }
    releases_ += any;
    return any;
  }
  // The number of calls of release() that have freed memory.
  std::uint64_t releases() const { return releases_; }

 private:
  // Holds the lock. A child of fork() does not take the lock, because a thread of the parent may have held it.
  class Held {
   public:
    explicit Held(KeptBlocks& all) : lock_(all.mutex_, std::defer_lock), usable_(forks() == all.made_after_) {
      if (usable_) lock_.lock();
    }
    bool has(int gpu) const { return usable_ && gpu < most_gpus; }

   private:
    std::unique_lock<std::mutex> lock_;
    bool usable_;
  };
  static constexpr int most_gpus = 64;  // no block is kept on a GPU with a higher number
  const int made_after_ = forks();
  std::mutex mutex_;
  std::array<DeviceBuffer<std::byte>, most_gpus> blocks_;
  std::atomic<std::uint64_t> releases_{0};
};

// Waits for all work on the GPU, as cudaFree does. Returns false if CUDA reports a failure.
bool wait_for_gpu(int gpu) noexcept {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(gpu) != cudaSuccess) return false;
  const bool done = cudaDeviceSynchronize() == cudaSuccess;
  if (!done) cudaGetLastError();
  cudaSetDevice(before);
  return done;
}

}  // namespace

void* allocate_device(std::uint64_t bytes) {
  void* p = nullptr;
  KeptBlocks& kept = KeptBlocks::of_process();
  const std::uint64_t releases = kept.releases();
  cudaError_t status = cudaMalloc(&p, bytes);
  if (status == cudaErrorMemoryAllocation) {
    kept.release();
    if (kept.releases() != releases) {  // by this thread or by another one
      cudaGetLastError();
      status = cudaMalloc(&p, bytes);
    }
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

WorkMemory::WorkMemory(const Queue& queue, std::uint64_t bytes, std::uint64_t most)
    : from_(&queue.resources()), gpu_(current_gpu()) {
  if (from_->has_allocator()) {
    buffer_ = DeviceBuffer<std::byte>(queue, static_cast<std::int64_t>(bytes));
    return;
  }
  if (bytes > max_kept_bytes) {
    most_kept_ = gpu_facts(gpu_).memory_total / kept_part;
    if (bytes <= most_kept_) buffer_ = KeptBlocks::of_process().take(gpu_, bytes, std::min(most, 2 * bytes));
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
    // Work that an exception has left in a queue must not write into the next owner's memory.
    if (buffer_.bytes() <= most_kept_ && wait_for_gpu(gpu_)) KeptBlocks::of_process().give(gpu_, buffer_);
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
bool release_kept_memory() noexcept {
  return KeptBlocks::of_process().release();
}

}  // namespace eigen_g
