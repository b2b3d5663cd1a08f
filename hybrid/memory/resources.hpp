// What a thread's calls keep between them, in one place: streams, cuBLAS handles, events, device and pinned memory, and the
// threads that copy. Making any of them takes longer than a small solve. CUDA builds only.
//
// Used by one thread at a time, and by threads that work for it meanwhile: queues, events and buffers may be made and ended
// in any of these. All of them end before their Resources.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "hybrid/memory/allocator.hpp"

namespace eigen_g {

struct Staging;  // transfer.cpp's
struct EndStaging {
  void operator()(Staging* staging) const;
};

// A cuBLAS handle, and where an allocator is given the memory that it works in.
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

  // Of calls that are given none: the calling thread's own, until its end.
  static Resources& of_this_thread();

  // Of the current GPU, kept ones first; what is taken comes back with give().
  cudaStream_t take_stream();
  BlasHandle take_blas(cudaStream_t stream);
  cudaEvent_t take_event();
  void give(int gpu, cudaStream_t stream);
  void give(int gpu, const BlasHandle& blas);
  void give(int gpu, cudaEvent_t event);

  // Device memory of the current GPU, by the allocator or cudaMalloc. Throws OutOfMemory with the bytes needed and free.
  void* allocate(std::uint64_t bytes, cudaStream_t stream);
  void free(void* memory, std::uint64_t bytes, cudaStream_t stream) noexcept;
  bool has_allocator() const;
  std::uint64_t memory_free()
      const;  // bytes of the current GPU; with an allocator not known: the largest number

  // Pinned host memory for values on their way, valid until the next call of this or of release().
  double* pinned(std::int64_t doubles);

  Staging& staging();  // transfer.cpp's

  // Frees what is kept and not in use.
  void release();

  // How many streams, handles, events and pieces of device and of pinned memory this process has made so far.
  static std::uint64_t made();

 private:
  friend class WorkMemory;
  struct State;
  std::unique_ptr<State> state_;
  std::unique_ptr<Staging, EndStaging> staging_;
};

}  // namespace eigen_g
