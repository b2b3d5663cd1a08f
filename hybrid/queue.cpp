#include "hybrid/queue.hpp"

#include "hybrid/cuda_check.hpp"

namespace eigen_g {

void Queue::open() {
  int device = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  EIGEN_G_CUBLAS(cublasCreate(&blas_));
  EIGEN_G_CUBLAS(cublasSetStream(blas_, stream_));
}

Queue::Queue() {
  EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  owns_stream_ = true;
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
