#include "hybrid/stream/queue.hpp"

#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"

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
  multiprocessors_ = multiprocessors_of(stream_);
  blas_ = kept.take_blas(device_);
  if (!blas_) EIGEN_G_CUBLAS(cublasCreate(&blas_));
  EIGEN_G_CUBLAS(cublasSetStream(blas_, stream_));
  const bool on_partition = multiprocessors_ < gpu_facts(device_).cores;  // cuBLAS sees the whole GPU
  EIGEN_G_CUBLAS(cublasSetSmCountTarget(blas_, on_partition ? multiprocessors_ : 0));
}

Queue::Queue() : Queue(OnGpu{current_gpu()}) {
  stream_ = kept.take_stream(device_);
  if (!stream_) EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  owned_ = Owned::kept;
  open();
}

Queue::Queue(const Partition& partition) : Queue(OnGpu{current_gpu()}) {
  stream_ = partition.create_stream();
  owned_ = Owned::destroyed;
  open();
}

Queue::Queue(cudaStream_t stream) : Queue(OnGpu{current_gpu()}) {
  stream_ = stream;
  open();
}

Queue::~Queue() {
  if (blas_) {
    cublasSetStream(blas_, nullptr);                          // somebody else's stream may not live as long
    cublasSetAtomicsMode(blas_, CUBLAS_ATOMICS_NOT_ALLOWED);  // as it was made, whatever its user set
    kept.keep(device_, blas_);
  }
  if (owned_ == Owned::kept) kept.keep(device_, stream_);
  if (owned_ == Owned::destroyed) cudaStreamDestroy(stream_);
}

void Queue::wait() const {
  EIGEN_G_CUDA(cudaStreamSynchronize(stream_));
}

CurrentGpu::CurrentGpu(int index) {
  EIGEN_G_CUDA(cudaGetDevice(&before_));
  EIGEN_G_CUDA(cudaSetDevice(index));
}
CurrentGpu::~CurrentGpu() {
  cudaSetDevice(before_);
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
void Event::hold(const Queue& queue) const {
  EIGEN_G_CUDA(cudaStreamWaitEvent(queue.stream(), event_, 0));
}
void Event::wait() const {
  EIGEN_G_CUDA(cudaEventSynchronize(event_));
}
bool Event::passed() const {
  const cudaError_t status = cudaEventQuery(event_);
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // an answer, not a fault
    return false;
  }
  EIGEN_G_CUDA(status);
  return true;
}
double Event::seconds_since(const Event& start) const {
  float milliseconds = 0;
  EIGEN_G_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace eigen_g
