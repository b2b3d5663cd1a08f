#include "hybrid/queue.hpp"

#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device.hpp"

namespace eigen_g {

namespace {

// Streams and handles without a queue, of one thread.
class Kept {
 public:
  ~Kept() { clear(); }
  // Null where none is kept for the GPU.
  cudaStream_t take_stream(int device) { return take(streams_, device); }
  cublasHandle_t take_blas(int device) { return take(handles_, device); }
  void keep(int device, cudaStream_t stream) { streams_.emplace_back(device, stream); }
  void keep(int device, cublasHandle_t blas) { handles_.emplace_back(device, blas); }
  void clear() noexcept {
    for (const auto& kept : handles_) cublasDestroy(kept.second);
    for (const auto& kept : streams_) cudaStreamDestroy(kept.second);
    handles_.clear();
    streams_.clear();
  }

 private:
  template <class T>
  static T take(std::vector<std::pair<int, T>>& from, int device) {
    for (auto& entry : from)
      if (entry.first == device) {
        const T found = entry.second;
        entry = from.back();
        from.pop_back();
        return found;
      }
    return nullptr;
  }
  std::vector<std::pair<int, cudaStream_t>> streams_;
  std::vector<std::pair<int, cublasHandle_t>> handles_;
};

thread_local Kept kept;

}  // namespace

void release_kept_queues() {
  kept.clear();
}

void Queue::open() {
  multiprocessors_ = gpu_facts(device_).cores;
  blas_ = kept.take_blas(device_);
  if (!blas_) EIGEN_G_CUBLAS(cublasCreate(&blas_));
  EIGEN_G_CUBLAS(cublasSetStream(blas_, stream_));
}

Queue::Queue() : Queue(OnGpu{current_gpu()}) {
  stream_ = kept.take_stream(device_);
  if (!stream_) EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  owns_stream_ = true;
  open();
}

Queue::Queue(cudaStream_t stream) : Queue(OnGpu{current_gpu()}) {
  stream_ = stream;
  open();
}

Queue::~Queue() {
  if (blas_) {
    cublasSetStream(blas_, nullptr);  // somebody else's stream may not live as long
    kept.keep(device_, blas_);
  }
  if (owns_stream_) kept.keep(device_, stream_);
}

void Queue::wait() const {
  EIGEN_G_CUDA(cudaStreamSynchronize(stream_));
}

Event::Event() {
  EIGEN_G_CUDA(cudaEventCreate(&event_));
}
Event::~Event() {
  if (event_) cudaEventDestroy(event_);
}
void Event::record(const Queue& queue) {
  EIGEN_G_CUDA(cudaEventRecord(event_, queue.stream()));
}
void Event::wait() const {
  EIGEN_G_CUDA(cudaEventSynchronize(event_));
}
double Event::seconds_since(const Event& start) const {
  float milliseconds = 0;
  EIGEN_G_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace eigen_g
