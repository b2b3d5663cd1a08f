// A queue of work on one GPU: a CUDA stream and the cuBLAS handle that uses it. Move-only. CUDA builds only.
//
// Making and destroying them takes longer than a small solve, so they come from Resources and go back there.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <utility>

#include "hybrid/memory/resources.hpp"

namespace eigen_g {

class Partition;

class Queue {
 public:
  // On the current GPU; the resources are the calling thread's own where none are named.
  Queue() : Queue(Resources::of_this_thread()) {}  // a stream of its own
  explicit Queue(const Partition& partition)  // and on this part of the GPU, which must outlive the queue
      : Queue(Resources::of_this_thread(), partition) {}
  explicit Queue(cudaStream_t stream)  // somebody else's stream
      : Queue(Resources::of_this_thread(), stream) {}
  explicit Queue(Resources& resources);
  Queue(Resources& resources, const Partition& partition);
  Queue(Resources& resources, cudaStream_t stream);
  ~Queue();  // does not wait for what is queued
  Queue(Queue&& other) noexcept { swap(other); }
  Queue& operator=(Queue&& other) noexcept {
    swap(other);
    return *this;
  }

  // From now on this stream, which is somebody else's, of the same GPU; of a queue that was made with one.
  void use(cudaStream_t stream);

  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_.handle; }
  Resources& resources() const { return *resources_; }
  int multiprocessors() const { return multiprocessors_; }  // that its work runs on
  void wait() const;  // blocks until the queue is empty; throws DeviceError for what failed in it

 private:
  void swap(Queue& other) noexcept {
    std::swap(resources_, other.resources_);
    std::swap(stream_, other.stream_);
    std::swap(blas_, other.blas_);
    std::swap(owned_, other.owned_);
    std::swap(multiprocessors_, other.multiprocessors_);
    std::swap(device_, other.device_);
  }
  void open();
  void bind();
  Resources* resources_ = nullptr;
  cudaStream_t stream_ = nullptr;
  BlasHandle blas_;
  enum class Owned { no, kept, destroyed } owned_ = Owned::no;  // the stream: what becomes of it
  int multiprocessors_ = 0;
  int device_ = 0;
};

// Makes a GPU the current one of this thread for its lifetime. Queues, events and device memory belong to the GPU that is
// current when they are made.
class CurrentGpu {
 public:
  explicit CurrentGpu(int index);
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = 0;
};

// Moments on queues of one GPU, for times between them. Move-only. From the resources, as queues are.
class Event {
 public:
  Event() : Event(Resources::of_this_thread()) {}
  explicit Event(Resources& resources);
  ~Event();
  Event(Event&& other) noexcept { swap(other); }
  Event& operator=(Event&& other) noexcept {
    swap(other);
    return *this;
  }
  void record(const Queue& queue);
  void hold(const Queue& queue) const;             // what `queue` gets from now on begins after the moment
  void wait() const;                               // blocks until the recorded moment has passed
  bool passed() const;                             // whether it has, or none was recorded
  double seconds_since(const Event& start) const;  // both recorded and passed

 private:
  void swap(Event& other) noexcept {
    std::swap(resources_, other.resources_);
    std::swap(event_, other.event_);
    std::swap(device_, other.device_);
  }
  Resources* resources_ = nullptr;
  cudaEvent_t event_ = nullptr;
  int device_ = 0;
};

}  // namespace eigen_g
