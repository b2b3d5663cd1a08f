// StageRunner: runs the steps of a solve on any machine, reports their progress to the caller, and times them.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "hybrid/nvtx.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

using StageProgress = std::function<void(double fraction)>;  // may be empty

// Moments among the work of a device, and an account of its products.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual void begin() = 0;                        // starts a solve, without a marked moment
  virtual void mark() = 0;                         // a moment behind all work so far
  virtual void wait() = 0;                         // until that work is done
  virtual double lap(std::size_t i) const = 0;     // seconds from moment i to the next, after wait()
  virtual EngineFlops take_flops() { return {}; }  // the products' since the last call
};

// The steps follow each other in the device's own queue. If the caller wants progress, each one is waited for.
class StageRunner {
 public:
  StageRunner(Clock& clock, const Progress& progress, std::vector<StageWork>& stages)
      : clock_(clock), progress_(progress), stages_(stages) {
    start();
  }

  // work(), or work(progress) for a step that reports its progress; returns what it returns.
  template <class Work>
  decltype(auto) operator()(Stage stage, Work&& work) {
    const ProfilerRange range(name(stage));
    tell(stage, 0);
    const auto call = [&]() -> decltype(auto) {
      if constexpr (std::is_invocable_v<Work, const StageProgress&>) {
        const StageProgress within =
            progress_ ? StageProgress([&](double fraction) { tell(stage, fraction); }) : StageProgress();
        return work(within);
      } else {
        return work();
      }
    };
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      end(stage);
    } else {
      auto value = call();
      end(stage);
      return value;
    }
  }

  // solve(), a whole solve between two steps of this one. Its stages go into the list after those of the steps so far.
  template <class Solve>
  auto within(Solve&& solve) {
    finish();
    auto report = solve();
    stages_.insert(stages_.end(), report.stages.begin(), report.stages.end());
    start();
    return report;
  }

  // Waits for all steps; their seconds go into the list. Returns those of the last step.
  double finish() {
    clock_.wait();
    for (std::size_t i = first_; i < stages_.size(); ++i) stages_[i].seconds = clock_.lap(i - first_);
    return stages_.empty() ? 0 : stages_.back().seconds;
  }

 private:
  void start() {
    first_ = stages_.size();
    clock_.begin();
    clock_.mark();
  }
  void tell(Stage stage, double fraction) const {
    if (progress_) progress_(stage, fraction);
  }
  void end(Stage stage) {
    clock_.mark();
    stages_.push_back({stage, 0, clock_.take_flops()});
    if (progress_) clock_.wait();
    tell(stage, 1);
  }
  Clock& clock_;
  const Progress& progress_;
  std::vector<StageWork>& stages_;
  std::size_t first_ = 0;  // the first stage since the last start()
};

}  // namespace eigen_g
