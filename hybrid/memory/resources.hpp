// Resources: the cache of a thread between its calls. It holds streams, cuBLAS handles, events, device memory, pinned memory
// and copying threads, because creating any of these takes longer than a small solve. CUDA builds only.
//
// One thread at a time uses a Resources object, together with the threads that work for it. Any of them may create and destroy
// queues, events and buffers. All queues, events and buffers must be destroyed before their Resources.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "hybrid/memory/allocator.hpp"

namespace eigen_g {

struct Staging;  // defined in transfer.cpp
struct EndStaging {
  void operator()(Staging* staging) const;
};

// A cuBLAS handle. With an allocator it also has the memory that cuBLAS works in; otherwise cuBLAS allocates its own.
struct BlasHandle {
  cublasHandle_t handle = nullptr;
  void* workspace = nullptr;
  std::uint64_t workspace_bytes = 0;
  cudaStream_t allocated_on = nullptr;
};

class Resources {
 public:
  explicit Resources(const Allocator& allocator = {});
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // The calling thread's resources, for calls without a Context. They live until the thread ends.
  static Resources& of_this_thread();

  // For the current GPU. An object that give() returned earlier is used again; else a new one is made.
  cudaStream_t take_stream();
  BlasHandle take_blas(cudaStream_t stream);
  cudaEvent_t take_event();
  void give(int gpu, cudaStream_t stream);
  void give(int gpu, const BlasHandle& blas);
  void give(int gpu, cudaEvent_t event);

  // Device memory of the current GPU, from the allocator or from cudaMalloc. Throws OutOfMemory with the needed and the free
  // bytes.
  void* allocate(std::uint64_t bytes, cudaStream_t stream);
  void free(void* memory, std::uint64_t bytes, cudaStream_t stream) noexcept;
  bool has_allocator() const;

  // Pinned host memory for small results on their way to the host. Valid until the next call of pinned() or release().
  double* pinned(std::int64_t doubles);

  Staging& staging();  // defined in transfer.cpp

  // Frees everything that is cached and not in use.
  void release();

  // Number of streams, handles, events and blocks of device or pinned memory that this process has created so far. Tests use
  // it.
  static std::uint64_t made();

 private:
  friend class WorkMemory;
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<Staging, EndStaging> staging_;
};

}  // namespace eigen_g
