#include "hybrid/queue.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/partition.hpp"

namespace eigen_g {

void Queue::open() {
  multiprocessors_ = multiprocessors_of(stream_);
  EIGEN_G_CUBLAS(cublasCreate(&blas_));
  EIGEN_G_CUBLAS(cublasSetStream(blas_, stream_));
  if (multiprocessors_ < multiprocessors_of(nullptr))  // a partition's: cuBLAS sees the whole GPU
    EIGEN_G_CUBLAS(cublasSetSmCountTarget(blas_, multiprocessors_));
}

Queue::Queue() {
  EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  owns_stream_ = true;
  open();
}

Queue::Queue(const Partition& partition) : stream_(partition.create_stream()), owns_stream_(true) {
  open();
}

Queue::Queue(cudaStream_t stream) : stream_(stream) {
  open();
}

Queue::~Queue() {
  if (blas_) cublasDestroy(blas_);
  if (owns_stream_) cudaStreamDestroy(stream_);
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
double Event::seconds_since(const Event& start) const {
  float milliseconds = 0;
  EIGEN_G_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace eigen_g
