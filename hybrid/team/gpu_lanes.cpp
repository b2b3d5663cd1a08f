#include "hybrid/team/gpu_lanes.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/stream/queue.hpp"  // CurrentGpu

namespace eigen_g {

namespace {

// The lanes that a thread keeps. A child of fork() does not destroy the lanes of its parent, because their host threads do not exist in the child.
class KeptLanes {
 public:
  ~KeptLanes() {
    if (in_child()) static_cast<void>(new std::vector(std::move(list)));
  }
  bool in_child() const { return forks() != made_after_; }
  std::vector<std::shared_ptr<GpuLanes>> list;

 private:
  const int made_after_ = forks();
};

KeptLanes& kept_lanes() {
  static thread_local KeptLanes own;
  return own;
}

}  // namespace

GpuLanes::Lane::Lane(std::optional<Partition> on)
    : part(std::move(on)), stream(part ? part->create_stream() : resources.take_stream()) {}
GpuLanes::Lane::~Lane() {
  cudaStreamDestroy(stream);
}

GpuLanes::GpuLanes(int lanes, Division division) : gpu_(current_gpu()), division_(division) {
  for (int lane = 0; lane < lanes; ++lane)
    lanes_.push_back(std::make_unique<Lane>(
        division == Division::parts ? std::optional<Partition>(std::in_place, lane, lanes) : std::nullopt));
}

std::shared_ptr<GpuLanes> GpuLanes::of_this_thread(int lanes, Division division) {
  std::vector<std::shared_ptr<GpuLanes>>& list = kept_lanes().list;
  const int gpu = current_gpu();
  std::shared_ptr<GpuLanes> free;
  std::erase_if(
      list, [&](const std::shared_ptr<GpuLanes>& one) {  // keeps one set of a kind that is not in use
        if (one.use_count() > 1 || one->gpu_ != gpu || one->division_ != division || one->size() != lanes)
          return false;
        if (free) return true;
        free = one;
        return false;
      });
  return free ? free : list.emplace_back(std::make_shared<GpuLanes>(lanes, division));
}

void GpuLanes::release() {
  if (kept_lanes().in_child()) return;
  std::erase_if(kept_lanes().list, [](const std::shared_ptr<GpuLanes>& one) { return one.use_count() == 1; });
}

void GpuLanes::run(int lanes, std::int64_t count, cudaStream_t after,
                   const std::function<void(int, std::int64_t)>& work) {
  const cudaEvent_t before = resources(0).take_event();
  if (const cudaError_t recorded = cudaEventRecord(before, after); recorded != cudaSuccess) {
    resources(0).give(gpu_, before);
    EIGEN_G_CUDA(recorded);
  }
  std::atomic<std::int64_t> next{lanes};
  std::mutex mutex;  // guards first
  std::exception_ptr first;
  const auto work_of = [&](int lane) {
    try {
      const CurrentGpu on(gpu_);
      EIGEN_G_CUDA(cudaStreamWaitEvent(stream(lane), before, 0));
      for (std::int64_t k = lane; k < count; k = next++) work(lane, k);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  for (int lane = 1; lane < lanes; ++lane)
    lanes_[static_cast<std::size_t>(lane)]->worker.start([&work_of, lane] { work_of(lane); });
  work_of(0);
  for (int lane = 1; lane < lanes; ++lane) lanes_[static_cast<std::size_t>(lane)]->worker.wait();
  resources(0).give(gpu_, before);
  if (first) std::rethrow_exception(first);
}

}  // namespace eigen_g
