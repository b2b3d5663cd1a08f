// The steps of a solve, told to the caller and timed, whoever takes them.
#pragma once

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
  virtual void begin() = 0;                        // of a solve: no moment is marked yet
  virtual void mark() = 0;                         // a moment behind all work so far
  virtual void wait() = 0;                         // until that work is done
  virtual double lap(std::size_t i) const = 0;     // seconds from moment i to the next, after wait()
  virtual EngineFlops take_flops() { return {}; }  // of the products since the last call
};

// Only who is told of a step's end waits for it: otherwise the steps follow each other in the device's own queue.
class Steps {
 public:
  Steps(Clock& clock, const Progress& progress, std::vector<StageWork>& stages)
      : clock_(clock), progress_(progress), stages_(stages) {
    clock_.begin();
    clock_.mark();
  }

  // work(), or work(progress) for a step that tells how far it is; returns what it returns.
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

  // Waits for all of them; their seconds go to the list.
  void finish() {
    clock_.wait();
    for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].seconds = clock_.lap(i);
  }

 private:
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
};

}  // namespace eigen_g
