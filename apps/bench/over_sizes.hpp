// A benchmark against cuSOLVER over its sizes. CUDA builds only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "apps/bench/cusolver_peers.hpp"
#include "apps/bench/sizes_plan.hpp"
#include "apps/bench/timed_call.hpp"
#include "apps/bench/timing.hpp"
#include "apps/cli/text.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::apps::bench {

// For the calls of size n.
inline TimingRule rule_of(const SizesPlan& plan, std::int64_t n) {
  TimingRule rule;
  rule.rounds = plan.rounds;
  rule.least_rounds = std::min(rule.least_rounds, plan.rounds);
  rule.seconds = plan.seconds;
  rule.warm_up = !plan.brief || n == plan.sizes.front();
  return rule;
}

// Work number i is what calls[i] stands for.
inline void time_calls(const Queue& queue, const std::vector<Work>& work, const TimingRule& rule,
                       std::vector<TimedCall>& calls) {
  const std::vector<Timing> timings = time_in_turns(queue, work, rule);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    calls[i].seconds = timings[i].median;
    calls[i].low = timings[i].low;
    calls[i].high = timings[i].high;
    calls[i].rounds = timings[i].rounds;
    calls[i].failure = timings[i].failure;
  }
}

// Size(queue, cusolver, n).measure(plan, bench.cases[i]) for every size of the plan whose Size::bytes(queue, n) leave some
// of the GPU's memory to its peers' workspaces; the others are skipped cases. The progress counts n^3 of work a size.
// Throws DeviceError where there is no GPU.
template <class Size, class Bench, class Plan>
Bench measure_over_sizes(const Plan& plan) {
  constexpr std::uint64_t usable_percent = 95;
  if (gpu_count() == 0) throw DeviceError("this benchmark needs a GPU, and there is none");
  Queue queue;
  const auto cusolver = Cusolver::open(queue);
  Bench bench;
  bench.cusolver = Cusolver::version();
  double work_done = 0, work_total = 0;
  const auto work_of = [](std::int64_t n) { return std::pow(static_cast<double>(n), 3); };
  for (const std::int64_t n : plan.sizes) work_total += work_of(n);
  for (const std::int64_t n : plan.sizes) {
    if (plan.progress) plan.progress(n, work_done / work_total);
    auto& c = bench.cases.emplace_back();
    c.n = n;
    const std::uint64_t needed = Size::bytes(queue, n), free = gpu_memory_free(current_gpu());
    if (needed < free / 100 * usable_percent)
      Size(queue, cusolver.get(), n).measure(plan, c);
    else
      c.skipped = bytes_text(needed) + " of GPU memory needed, " + bytes_text(free) + " free";
    work_done += work_of(n);
  }
  return bench;
}

}  // namespace eigen_g::apps::bench
