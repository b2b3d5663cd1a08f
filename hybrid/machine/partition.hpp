// Partition: a part of a GPU's multiprocessors (a CUDA green context). It shows on a large GPU how fast a small one would be;
// memory, caches and copies still belong to the whole GPU. Needs CUDA 12.5 and a driver of at least that version. CUDA
// builds only.
//
//   const Partition small(8);
//   Queue queue(small);        // its work runs on 8 multiprocessors; queue.multiprocessors() is 8
#pragma once

#include <cuda_runtime.h>

#include <utility>

struct CUgreenCtx_st;

namespace eigen_g {

class Partition {
 public:
  // A part of the current GPU. The GPU can be divided in steps only (8 multiprocessors on compute capability 9), so the number
  // is rounded up.
  // Throws InvalidArgument (multiprocessors) if it is less than 1 or more than the GPU has, and DeviceError if toolkit or
  // driver are too old.
  explicit Partition(int multiprocessors);
  // Part number `part` of `parts` parts of equal size, which have no multiprocessor in common. Each has size_of(parts) multiprocessors. Throws
  // InvalidArgument (multiprocessors) if size_of(parts) is 0, and DeviceError.
  Partition(int part, int parts);
  // Number of multiprocessors of each of `parts` equal parts of the current GPU; 0 if the driver does not make such parts of this GPU, or if toolkit
  // or driver are too old. The driver is asked once for each GPU and number of parts.
  static int size_of(int parts);
  ~Partition();
  Partition(Partition&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)), multiprocessors_(other.multiprocessors_) {}
  Partition& operator=(Partition&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(multiprocessors_, other.multiprocessors_);
    return *this;
  }

  int multiprocessors() const { return multiprocessors_; }
  // A new stream whose work runs on these multiprocessors only. The caller destroys it (cudaStreamDestroy) before the
  // partition.
  cudaStream_t create_stream() const;

 private:
  CUgreenCtx_st* context_ = nullptr;
  int multiprocessors_ = 0;
};

// Number of multiprocessors that run the work of this stream of the current GPU: the partition's, or all.
int multiprocessors_of(cudaStream_t stream);

}  // namespace eigen_g
