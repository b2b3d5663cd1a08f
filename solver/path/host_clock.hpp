// HostClock: the Clock of a solve on the CPU.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "solver/path/stage_runner.hpp"

namespace eigen_g {

class HostClock final : public Clock {
 public:
  void begin() override { moments_.clear(); }
  void mark() override { moments_.push_back(Now::now()); }
  void wait() override {}
  double lap(std::size_t i) const override {
    return std::chrono::duration<double>(moments_[i + 1] - moments_[i]).count();
  }

 private:
  using Now = std::chrono::steady_clock;
  std::vector<Now::time_point> moments_;
};

}  // namespace eigen_g
