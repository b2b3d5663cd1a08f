// DeviceClock: the Clock of a solve on a GPU. A marked moment is an event on the queue. The events are used again by the next solve. CUDA builds only.
#pragma once

#include <cstddef>
#include <vector>

#include "gemm_df/engines/products.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/path/stage_runner.hpp"

namespace eigen_g {

template <class T>
class DeviceClock final : public Clock {
 public:
  DeviceClock(const Queue& queue, const Products<T>& products) : queue_(queue), products_(products) {}
  void begin() override { marked_ = 0; }
  void mark() override {
    if (marked_ == moments_.size()) moments_.emplace_back(queue_.resources());
    moments_[marked_++].record(queue_);
  }
  void wait() override { queue_.wait(); }
  double lap(std::size_t i) const override { return moments_[i + 1].seconds_since(moments_[i]); }
  EngineFlops take_flops() override { return products_.take_flops(); }

 private:
  const Queue& queue_;
  const Products<T>& products_;
  std::vector<Event> moments_;
  std::size_t marked_ = 0;
};

}  // namespace eigen_g
