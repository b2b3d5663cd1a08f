// StageRunner: runs the stages of a solve on CPU or GPU, reports their progress to the caller, and times them.
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

// Interface of a clock: marks moments between pieces of the work of a device, and counts the flops of its products.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual void begin() = 0;                        // starts a solve: removes all marked moments
  virtual void mark() = 0;                         // marks the moment at which all work so far is done
  virtual void wait() = 0;                         // waits until all work so far is done
  virtual double lap(std::size_t i) const = 0;     // seconds from moment i to the next; valid after wait()
  virtual EngineFlops take_flops() { return {}; }  // flops of the products since the last call
};

// The stages follow each other in the device's queue, and the host queues a stage without a wait for the stage before. With a progress callback it
// waits for the end of each stage.
class StageRunner {
 public:
  StageRunner(Clock& clock, const Progress& progress, std::vector<StageWork>& stages)
      : clock_(clock), progress_(progress), stages_(stages) {
    start();
  }

  // Runs one stage: work(), or work(progress) if the stage reports its progress. Returns the result of work.
  template <class Work>
  decltype(auto) operator()(Stage stage, Work&& work) {
    const ProfilerRange range(name(stage));
    report_progress(stage, 0);
    const auto call = [&]() -> decltype(auto) {
      if constexpr (std::is_invocable_v<Work, const StageProgress&>) {
        const StageProgress within =
            progress_ ? StageProgress([&](double fraction) { report_progress(stage, fraction); })
                      : StageProgress();
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

  // Runs solve(), which is a whole solve with stages of its own, and appends these stages to the list. Waits first for all stages so far.
  template <class Solve>
  auto within(Solve&& solve) {
    finish();
    auto report = solve();
    stages_.insert(stages_.end(), report.stages.begin(), report.stages.end());
    start();
    return report;
  }

  // Waits for all stages and writes their seconds into the list. Returns the seconds of the last stage.
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
  void report_progress(Stage stage, double fraction) const {
    if (progress_) progress_(stage, fraction);
  }
  void end(Stage stage) {
    clock_.mark();
    stages_.push_back({stage, 0, clock_.take_flops()});
    if (progress_) clock_.wait();
    report_progress(stage, 1);
  }
  Clock& clock_;
  const Progress& progress_;
  std::vector<StageWork>& stages_;
  std::size_t first_ = 0;  // the first stage since the last start()
};

}  // namespace eigen_g
