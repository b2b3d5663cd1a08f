#include "hybrid/stream/queue.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"

namespace eigen_g {

Queue::Queue(Resources& resources)
    : resources_(&resources), stream_(resources.take_stream()), owned_(Owned::kept), device_(current_gpu()) {
  open();
}

Queue::Queue(Resources& resources, const Partition& partition)
    : resources_(&resources),
      stream_(partition.create_stream()),
      owned_(Owned::destroyed),
      device_(current_gpu()) {
  open();
}

Queue::Queue(Resources& resources, cudaStream_t stream)
    : resources_(&resources), stream_(stream), device_(current_gpu()) {
  open();
}

Queue::Queue(Resources& resources, CopiesOnly)
    : resources_(&resources), stream_(resources.take_stream()), owned_(Owned::kept), device_(current_gpu()) {}

void Queue::open() {
  cudaGetLastError();  // clears an error of earlier work
  blas_ = resources_->take_blas(stream_);
  bind();
}

void Queue::bind() {
  multiprocessors_ = multiprocessors_of(stream_);
  EIGEN_G_CUBLAS(Cublas<cublasSetStream>::call(blas_.handle, stream_));
  if (blas_.workspace)
    EIGEN_G_CUBLAS(Cublas<cublasSetWorkspace>::call(blas_.handle, blas_.workspace, blas_.workspace_bytes));
  const bool on_partition =
      multiprocessors_ < gpu_facts(device_).multiprocessors;  // cuBLAS itself sees the whole GPU
  EIGEN_G_CUBLAS(Cublas<cublasSetSmCountTarget>::call(blas_.handle, on_partition ? multiprocessors_ : 0));
}

void Queue::use(cudaStream_t stream) {
  if (stream == stream_) return;
  stream_ = stream;
  bind();
}

Queue::~Queue() {
  if (!resources_) return;
  if (blas_.handle) {
    Cublas<cublasSetStream>::call(blas_.handle, nullptr);  // a caller's stream may end before the handle
    // The mode of a new handle; a user of the queue may have changed it.
    Cublas<cublasSetAtomicsMode>::call(blas_.handle, CUBLAS_ATOMICS_NOT_ALLOWED);
    resources_->give(device_, blas_);
  }
  if (owned_ == Owned::kept) resources_->give(device_, stream_);
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

Event::Event(Resources& resources)
    : resources_(&resources), event_(resources.take_event()), device_(current_gpu()) {}
Event::~Event() {
  if (event_) resources_->give(device_, event_);
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
    cudaGetLastError();  // not an error
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
