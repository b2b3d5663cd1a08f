// Owners of device memory and of pinned host memory: DeviceBuffer, PinnedBuffer, WorkMemory. All are move-only. A buffer of 0
// elements has no memory. If an allocation fails, OutOfMemory has the needed and the free bytes. A build without CUDA has
// only device_memory_available().
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

struct CUstream_st;

namespace eigen_g {

class Queue;
class Resources;

void* allocate_device(std::uint64_t bytes);  // by cudaMalloc
void free_device(void* memory) noexcept;
void* allocate_pinned(std::uint64_t bytes);
void free_pinned(void* memory) noexcept;

// Memory of the current GPU. Without a queue it comes from cudaMalloc. With a queue it comes from the queue's Resources and is
// used in the order of its stream.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::uint64_t bytes);
  DeviceMemory(const Queue& queue, std::uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  void* data() const { return data_; }

 private:
  void swap(DeviceMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(from_, other.from_);
    std::swap(stream_, other.stream_);
    std::swap(gpu_, other.gpu_);
  }
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  Resources* from_ = nullptr;
  CUstream_st* stream_ = nullptr;
  int gpu_ = 0;
};

class PinnedMemory {
 public:
  PinnedMemory() = default;
  explicit PinnedMemory(std::uint64_t bytes) : data_(bytes > 0 ? allocate_pinned(bytes) : nullptr) {}
  ~PinnedMemory() {
    if (data_) free_pinned(data_);
  }
  PinnedMemory(PinnedMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

template <class T, class Memory>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) : memory_(bytes_of(count)), count_(count > 0 ? count : 0) {}
  Buffer(const Queue& queue,
         std::int64_t count) requires std::is_constructible_v<Memory, const Queue&, std::uint64_t>
      : memory_(queue, bytes_of(count)), count_(count > 0 ? count : 0) {}
  Buffer(Buffer&& other) noexcept
      : memory_(std::move(other.memory_)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    std::swap(count_, other.count_);
    return *this;
  }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::int64_t size() const { return count_; }
  std::uint64_t bytes() const { return bytes_of(count_); }

 private:
  static std::uint64_t bytes_of(std::int64_t count) {
    return count > 0 ? static_cast<std::uint64_t>(count) * sizeof(T) : 0;
  }
  Memory memory_;
  std::int64_t count_ = 0;
};

template <class T>
using DeviceBuffer = Buffer<T, DeviceMemory>;
// Large pages, if the system has them: products that read the memory then have fewer TLB misses.
template <class T>
using PinnedBuffer = Buffer<T, PinnedMemory>;

// One block of device memory for one call, from the queue's Resources. Without an allocator, the block is kept for the next call
// on the same GPU, because cudaMalloc and cudaFree take longer than parts of a solve. A block of up to max_kept_bytes goes back
// to the Resources. The process keeps one larger block for each GPU, of at most 1 / kept_part of the GPU's memory. Any thread may
// take this block if it is at most twice as large as needed. An allocation by DeviceMemory that fails frees it and is tried again.
// The owner must wait for all work that uses the memory before the destructor runs. The destructor of a larger block waits for all
// work on the GPU, as cudaFree does. Move-only.
class WorkMemory {
 public:
  static constexpr std::uint64_t max_kept_bytes = std::uint64_t{64} << 20, kept_part = 64;

  WorkMemory() = default;
  // Takes `bytes` uninitialised bytes, and a kept block of at most `most` bytes. Throws OutOfMemory, DeviceError.
  WorkMemory(const Queue& queue, std::uint64_t bytes,
             std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  ~WorkMemory();
  WorkMemory(WorkMemory&& other) noexcept { swap(other); }
  WorkMemory& operator=(WorkMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  void* data() const { return buffer_.data(); }

 private:
  void swap(WorkMemory& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(gpu_, other.gpu_);
    std::swap(most_kept_, other.most_kept_);
    std::swap(buffer_, other.buffer_);
  }
  Resources* from_ = nullptr;
  int gpu_ = 0;
  std::uint64_t most_kept_ = 0;  // bytes of the largest block that the process keeps
  DeviceBuffer<std::byte> buffer_;
};

// Bytes that an allocation on the current GPU can have: the free ones and the block that the process keeps there. Throws
// DeviceError, also in a build without CUDA.
std::uint64_t device_memory_available();
// Frees the blocks that the process keeps on all GPUs. Returns true if there was one.
bool release_kept_memory() noexcept;

}  // namespace eigen_g
