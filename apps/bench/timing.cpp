#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/timing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/bench/statistics.hpp"
#include "apps/cli/stopwatch.hpp"
#include "hybrid/cuda_check.hpp"

namespace eigen_g::apps::bench {

namespace {

// `calls` calls as one graph.
class Replay {
 public:
  // Nothing where the work does not allow itself to be captured (it allocates or waits).
  static std::optional<Replay> captured(const Queue& queue, const Work& work, std::int64_t calls) {
    EIGEN_G_CUDA(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeThreadLocal));
    bool queued = true;
    try {
      for (std::int64_t call = 0; call < calls; ++call) work.enqueue(call);
    } catch (const Error&) {
      queued = false;
    }
    cudaGraph_t graph = nullptr;
    const bool ended = cudaStreamEndCapture(queue.stream(), &graph) == cudaSuccess;
    Replay replay;
    const bool made = queued && ended && cudaGraphInstantiate(&replay.exec_, graph, 0) == cudaSuccess;
    if (graph) cudaGraphDestroy(graph);
    if (!made) {
      cudaGetLastError();  // a refused capture is an answer, not a fault
      return std::nullopt;
    }
    EIGEN_G_CUDA(cudaGraphUpload(replay.exec_, queue.stream()));
    return replay;
  }
  Replay(Replay&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
  Replay& operator=(Replay&& other) noexcept {
    std::swap(exec_, other.exec_);
    return *this;
  }
  ~Replay() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }
  void run(const Queue& queue) const { EIGEN_G_CUDA(cudaGraphLaunch(exec_, queue.stream())); }

 private:
  Replay() = default;
  cudaGraphExec_t exec_ = nullptr;
};

// A piece of work ready for its rounds.
class Runner {
 public:
  Runner(const Queue& queue, const Work& work, const TimingRule& rule) : work_(&work) {
    try {
      if (work.prepare) {
        if (rule.warm_up) seconds_of(queue);
        return;
      }
      work.enqueue(0);  // loads the code and grows workspaces
      queue.wait();
      const std::int64_t rotation = std::max<std::int64_t>(1, work.rotation);
      calls_ = rotation;
      const double a_turn = std::max(1e-7, seconds_of(queue));
      calls_ = rotation * std::max<std::int64_t>(1, std::llround(std::ceil(rule.round_seconds / a_turn)));
      if (work.capture) replay_ = Replay::captured(queue, work, calls_);
      seconds_of(queue);  // warm
    } catch (const Error& e) {
      failure_ = e.what();
    }
  }

  bool runs() const { return failure_.empty(); }
  void round(const Queue& queue) {
    try {
      seconds_.push_back(seconds_of(queue) / static_cast<double>(calls_));
    } catch (const Error& e) {
      failure_ = e.what();
    }
  }

  Timing timing() const {
    Timing t;
    t.failure = failure_;
    if (!runs() || seconds_.empty()) return t;
    t.median = quantile(seconds_, 0.5);
    t.low = quantile(seconds_, 0.25);
    t.high = quantile(seconds_, 0.75);
    t.rounds = static_cast<int>(seconds_.size());
    t.calls = calls_;
    t.graph = replay_.has_value();
    return t;
  }

 private:
  double seconds_of(const Queue& queue) {
    if (work_->prepare) {
      work_->prepare();
      queue.wait();
    }
    start_.record(queue);
    if (replay_) {
      replay_->run(queue);
    } else {
      for (std::int64_t call = 0; call < calls_; ++call) work_->enqueue(call);
    }
    stop_.record(queue);
    stop_.wait();
    return stop_.seconds_since(start_);
  }

  const Work* work_;
  std::int64_t calls_ = 1;
  std::optional<Replay> replay_;
  Event start_, stop_;
  std::vector<double> seconds_;
  std::string failure_;
};

}  // namespace

std::vector<Timing> time_in_turns(const Queue& queue, const std::vector<Work>& work, const TimingRule& rule) {
  const Stopwatch watch;
  std::vector<Runner> runners;
  runners.reserve(work.size());
  for (const Work& w : work) runners.emplace_back(queue, w, rule);
  for (int round = 0; round < rule.rounds; ++round) {
    if (round >= rule.least_rounds && watch.seconds() > rule.seconds) break;
    for (Runner& r : runners)
      if (r.runs()) r.round(queue);
  }
  std::vector<Timing> timings;
  for (const Runner& r : runners) timings.push_back(r.timing());
  return timings;
}

}  // namespace eigen_g::apps::bench

#endif
