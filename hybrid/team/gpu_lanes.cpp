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
    if (forks() != made_after_) static_cast<void>(new std::vector(std::move(list)));
  }
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
  const auto free = std::find_if(list.begin(), list.end(), [&](const std::shared_ptr<GpuLanes>& one) {
    return one.use_count() == 1 && one->gpu_ == gpu && one->division_ == division && one->size() == lanes;
  });
  if (free != list.end()) return *free;
  return list.emplace_back(std::make_shared<GpuLanes>(lanes, division));
}

void GpuLanes::release() {
  std::erase_if(kept_lanes().list, [](const std::shared_ptr<GpuLanes>& one) { return one.use_count() == 1; });
}

void GpuLanes::run(int lanes, std::int64_t count, cudaStream_t after,
                   const std::function<void(int, std::int64_t)>& work) {
  const cudaEvent_t before = resources(0).take_event();
  EIGEN_G_CUDA(cudaEventRecord(before, after));
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;  // guards first
  std::exception_ptr first;
  const auto work_of = [&](int lane) {
    try {
      const CurrentGpu on(gpu_);
      EIGEN_G_CUDA(cudaStreamWaitEvent(stream(lane), before, 0));
      for (std::int64_t k = next++; k < count; k = next++) work(lane, k);
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
