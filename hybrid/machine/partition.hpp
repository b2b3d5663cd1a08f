// A GPU cut down to some of its multiprocessors (a CUDA green context), to see on a large GPU how a small one would fare:
// memory, caches and copies stay the whole GPU's. Needs CUDA 12.5 and a driver of that age. CUDA builds only.
//
//   const Partition small(8);
//   Queue queue(small);        // what is queued here runs on 8 multiprocessors; queue.multiprocessors() is 8
#pragma once

#include <cuda_runtime.h>

#include <utility>

struct CUgreenCtx_st;

namespace eigen_g {

class Partition {
 public:
  // Of the current GPU, which can be cut in steps only (compute capability 9: 8): what is asked for is rounded up.
  // Throws InvalidArgument(Argument::multiprocessors) for fewer than 1 or more than there are, DeviceError where toolkit or
  // driver are too old.
  explicit Partition(int multiprocessors);
  ~Partition();
  Partition(Partition&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)), multiprocessors_(other.multiprocessors_) {}
  Partition& operator=(Partition&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(multiprocessors_, other.multiprocessors_);
    return *this;
  }

  int multiprocessors() const { return multiprocessors_; }
  // A stream on these multiprocessors alone; the caller destroys it (cudaStreamDestroy), before the partition.
  cudaStream_t create_stream() const;

 private:
  CUgreenCtx_st* context_ = nullptr;
  int multiprocessors_ = 0;
};

// Multiprocessors on which the work of this stream of the current GPU runs: those of its partition, else all.
int multiprocessors_of(cudaStream_t stream);

}  // namespace eigen_g
