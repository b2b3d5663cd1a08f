// Queue: a CUDA stream of one GPU and the cuBLAS handle that uses it. Move-only. CUDA builds only.
//
// Creating and destroying them takes longer than a small solve, so they come from Resources and go back there.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <utility>

#include "hybrid/memory/resources.hpp"

namespace eigen_g {

class Partition;

class Queue {
 public:
  // All constructors are for the current GPU. Without `resources` they use the calling thread's.
  Queue() : Queue(Resources::of_this_thread()) {}  // creates its own stream
  // Creates its own stream on this part of the GPU, which must outlive the queue.
  explicit Queue(const Partition& partition) : Queue(Resources::of_this_thread(), partition) {}
  // Uses the caller's stream.
  explicit Queue(cudaStream_t stream) : Queue(Resources::of_this_thread(), stream) {}
  explicit Queue(Resources& resources);
  Queue(Resources& resources, const Partition& partition);
  Queue(Resources& resources, cudaStream_t stream);
  // Creates its own stream, for copies alone: it has no cuBLAS handle.
  struct CopiesOnly {};
  Queue(Resources& resources, CopiesOnly);
  ~Queue();  // does not wait for queued work
  Queue(Queue&& other) noexcept { swap(other); }
  Queue& operator=(Queue&& other) noexcept {
    swap(other);
    return *this;
  }

  // Changes to another stream of the caller, of the same GPU. Only for a queue that was made with the caller's stream.
  void use(cudaStream_t stream);

  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_.handle; }
  Resources& resources() const { return *resources_; }
  int multiprocessors() const { return multiprocessors_; }  // multiprocessors that run its work
  void wait() const;  // blocks until the queue is empty; throws DeviceError if work in it failed

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
  enum class Owned { no, kept, destroyed } owned_ = Owned::no;  // fate of the stream in the destructor
  int multiprocessors_ = 0;
  int device_ = 0;
};

// Makes a GPU the current one of this thread for the object's lifetime. Queues, events and device memory belong to the GPU that
// is current when they are created.
class CurrentGpu {
 public:
  explicit CurrentGpu(int index);
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = 0;
};

// A moment in the work of a queue, for order between queues of one GPU and for times. Move-only. Comes from Resources, as a
// queue does.
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
  void hold(const Queue& queue) const;             // later work of `queue` starts after the moment
  void wait() const;                               // blocks until the recorded moment has passed
  bool passed() const;                             // true if it has passed or none was recorded
  double seconds_since(const Event& start) const;  // both moments must have passed

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
