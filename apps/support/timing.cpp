#include "apps/support/timing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hybrid/error.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <memory>
#include <type_traits>

#include "apps/support/stopwatch.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g::apps {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw InvalidArgument("values", "is empty");
  if (!(q >= 0 && q <= 1)) throw InvalidArgument("q", "is " + std::to_string(q) + ", must be from 0 to 1");
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, values.size() - 1);
  const double share = place - std::floor(place);
  return (1 - share) * values[below] + share * values[above];
}
double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

#ifdef EIGEN_G_HAVE_CUDA

namespace {

using Graph = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;

// A graph of `count` calls. Null if the call cannot be captured, because it allocates memory or waits.
Graph captured(const Queue& queue, const Call& call, std::int64_t count) {
  EIGEN_G_CUDA(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeThreadLocal));
  bool queued = true;
  try {
    for (std::int64_t k = 0; k < count; ++k) call.enqueue(k);
  } catch (const Error&) {
    queued = false;
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  const bool ended = cudaStreamEndCapture(queue.stream(), &graph) == cudaSuccess;
  const bool made = queued && ended && cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess;
  if (graph) cudaGraphDestroy(graph);
  if (!made) {
    cudaGetLastError();  // clears the error of the refused capture, which is expected
    return nullptr;
  }
  const Graph owned(exec, [](cudaGraphExec_t e) { cudaGraphExecDestroy(e); });
  EIGEN_G_CUDA(cudaGraphUpload(exec, queue.stream()));
  return owned;
}

// Prepares a call and measures its rounds.
class Runner {
 public:
  Runner(const Queue& queue, const Call& call, const TimingRule& rule) : call_(&call) {
    try {
      if (call.prepare) {
        if (rule.warm_up) seconds_of(queue);
        return;
      }
      call.enqueue(0);  // loads the code and grows workspaces
      queue.wait();
      const std::int64_t rotation = std::max<std::int64_t>(1, call.rotation);
      calls_ = rotation;
      const double a_turn = std::max(1e-7, seconds_of(queue));
      calls_ = rotation * std::max<std::int64_t>(1, std::llround(std::ceil(rule.round_seconds / a_turn)));
      if (call.capture) replay_ = captured(queue, call, calls_);
      seconds_of(queue);  // warm-up
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
    t.median = median(seconds_);
    t.low = quantile(seconds_, 0.25);
    t.high = quantile(seconds_, 0.75);
    t.least = quantile(seconds_, 0);
    t.rounds = static_cast<int>(seconds_.size());
    t.calls = calls_;
    t.graph = replay_ != nullptr;
    return t;
  }

 private:
  double seconds_of(const Queue& queue) {
    if (call_->prepare) {
      call_->prepare();
      queue.wait();
    }
    start_.record(queue);
    if (replay_) {
      EIGEN_G_CUDA(cudaGraphLaunch(replay_.get(), queue.stream()));
    } else {
      for (std::int64_t k = 0; k < calls_; ++k) call_->enqueue(k);
    }
    stop_.record(queue);
    stop_.wait();
    return stop_.seconds_since(start_);
  }

  const Call* call_;
  std::int64_t calls_ = 1;
  Graph replay_;
  Event start_, stop_;
  std::vector<double> seconds_;
  std::string failure_;
};

}  // namespace

std::vector<Timing> time_in_turns(const Queue& queue, const std::vector<Call>& calls,
                                  const TimingRule& rule) {
  const Stopwatch watch;
  std::vector<Runner> runners;
  runners.reserve(calls.size());
  for (const Call& call : calls) runners.emplace_back(queue, call, rule);
  for (int round = 0; round < rule.rounds; ++round) {
    if (round >= rule.least_rounds && watch.seconds() > rule.seconds) break;
    const bool back =  // the warm-up calls ran in order
        rule.back_and_forth &&
        round % 2 == 0;  // reverses the even rounds; round 0 then runs against the order of the warm-up calls
    for (std::size_t i = 0; i < runners.size(); ++i)
      if (Runner& r = runners[back ? runners.size() - 1 - i : i]; r.runs()) r.round(queue);
  }
  std::vector<Timing> timings;
  for (const Runner& r : runners) timings.push_back(r.timing());
  return timings;
}

#endif

}  // namespace eigen_g::apps
