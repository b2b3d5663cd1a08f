#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/grid_barrier.cuh"
#include "hybrid/stream/grid_barrier_seconds.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

__global__ void barriers_kernel(int barriers, unsigned* arrivals) {
  GridBarrier barrier(arrivals);
  for (int i = 0; i < barriers; ++i) {
    if (threadIdx.x == 0) barrier.arrive();
    barrier.wait();
  }
}

}  // namespace

double grid_barrier_seconds(const Queue& queue, int blocks, int threads) {
  constexpr int few = 100, many = 2100;  // the difference of the two times excludes the launch
  const DeviceBuffer<unsigned> arrivals(grid_barrier_words);
  const auto seconds = [&](int barriers) {
    Event start, stop;
    unsigned* words = arrivals.data();
    void* arguments[] = {&barriers, &words};
    EIGEN_G_CUDA(cudaMemsetAsync(words, 0, arrivals.bytes(), queue.stream()));
    start.record(queue);
    EIGEN_G_CUDA(cudaLaunchCooperativeKernel(
        reinterpret_cast<const void*>(barriers_kernel), dim3(static_cast<unsigned>(blocks)),
        dim3(static_cast<unsigned>(threads)), arguments, 0, queue.stream()));
    stop.record(queue);
    stop.wait();
    return stop.seconds_since(start);
  };
  seconds(few);  // loads the kernel
  const double short_run = seconds(few);
  return (seconds(many) - short_run) / (many - few);
}

}  // namespace eigen_g
