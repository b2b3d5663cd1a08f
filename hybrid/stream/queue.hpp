// A queue of work on one GPU: a CUDA stream and the cuBLAS handle that uses it. Move-only. CUDA builds only.
//
// Making and destroying a handle takes longer than a small solve. So the stream and the handle of a queue that ends are
// kept by its thread for the next queue on that GPU, until release_kept_queues() or the thread's end.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <utility>

namespace eigen_g {

class Partition;

class Queue {
 public:
  Queue();                                     // a stream of its own on the current GPU
  explicit Queue(const Partition& partition);  // and on this part of it, which must outlive the queue
  explicit Queue(cudaStream_t stream);         // somebody else's stream; only the handle is owned
  ~Queue();                                    // does not wait for what is queued
  Queue(Queue&& other) noexcept { swap(other); }
  Queue& operator=(Queue&& other) noexcept {
    swap(other);
    return *this;
  }

  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_; }
  int multiprocessors() const { return multiprocessors_; }  // that its work runs on
  void wait() const;  // blocks until the queue is empty; throws DeviceError for what failed in it

 private:
  void swap(Queue& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(blas_, other.blas_);
    std::swap(owned_, other.owned_);
    std::swap(multiprocessors_, other.multiprocessors_);
    std::swap(device_, other.device_);
  }
  struct OnGpu {
    int device;
  };
  explicit Queue(OnGpu gpu) : device_(gpu.device) {}
  void open();
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  enum class Owned { no, kept, destroyed } owned_ = Owned::no;  // the stream: what becomes of it
  int multiprocessors_ = 0;
  int device_ = 0;
};

// Destroys the streams and handles that the calling thread keeps, on every GPU.
void release_kept_queues();

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

// Moments on a queue, for times between them. Move-only.
class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  void record(const Queue& queue);
  void hold(const Queue& queue) const;             // what `queue` gets from now on begins after the moment
  void wait() const;                               // blocks until the recorded moment has passed
  bool passed() const;                             // whether it has, or none was recorded
  double seconds_since(const Event& start) const;  // both recorded and passed

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace eigen_g
