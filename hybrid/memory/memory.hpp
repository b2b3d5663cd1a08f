// Device memory and pinned host memory with owners. Move-only; a buffer of 0 elements holds nothing. An
// allocation that does not fit is an OutOfMemory with the bytes needed and free. CUDA builds only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace eigen_g {

namespace detail {
void* allocate_device(std::uint64_t bytes);
void free_device(void* p) noexcept;
void* allocate_pinned(std::uint64_t bytes);
void free_pinned(void* p) noexcept;
}  // namespace detail

template <class T, void* (*allocate)(std::uint64_t), void (*release)(void*) noexcept>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count)
      : data_(count > 0 ? static_cast<T*>(allocate(static_cast<std::uint64_t>(count) * sizeof(T))) : nullptr),
        count_(count > 0 ? count : 0) {}
  ~Buffer() {
    if (data_) release(data_);
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  T* data() const { return data_; }
  std::int64_t size() const { return count_; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count_) * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

template <class T>
using DeviceBuffer = Buffer<T, detail::allocate_device, detail::free_device>;
// In large pages where the system gives them, so that products on it miss fewer translations.
template <class T>
using PinnedBuffer = Buffer<T, detail::allocate_pinned, detail::free_pinned>;

// Device memory of one call in one piece. A small piece is kept by its thread for the next call on that GPU, until
// release_kept_memory() or the thread's end: cudaMalloc and cudaFree take longer than parts of a small solve. Whoever
// borrows it waits for the work that uses it before the end of its life. Move-only.
class WorkMemory {
 public:
  static constexpr std::uint64_t most_kept_bytes = std::uint64_t{64} << 20;

  WorkMemory() = default;
  explicit WorkMemory(std::int64_t doubles);  // uninitialised; throws OutOfMemory, DeviceError
  ~WorkMemory();
  WorkMemory(WorkMemory&& other) noexcept : device_(other.device_), buffer_(std::move(other.buffer_)) {}
  WorkMemory& operator=(WorkMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  double* data() const { return buffer_.data(); }

 private:
  int device_ = 0;
  DeviceBuffer<double> buffer_;
};

// Pinned host memory for values on their way, kept by its thread: valid until its next call of this, or of
// release_kept_memory(). Throws OutOfMemory, DeviceError.
double* kept_pinned(std::int64_t doubles);

// Frees what the calling thread keeps, on every GPU.
void release_kept_memory();

}  // namespace eigen_g
