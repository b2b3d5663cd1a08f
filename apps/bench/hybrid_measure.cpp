#include "apps/bench/hybrid_measure.hpp"

#include <algorithm>

#include "hybrid/error.hpp"

namespace eigen_g::apps::bench {

double ratio(const HybridCut& a, const HybridCut& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.rounds.size(), b.rounds.size()); ++i)
    ratios.push_back(a.rounds[i] / b.rounds[i]);
  if (ratios.empty()) return 0;
  std::sort(ratios.begin(), ratios.end());
  return (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]) / 2;
}

const HybridCut& HybridStage::best() const {
  const HybridCut* best = &first_alone;
  for (const HybridCut& cut : sweep)
    if (cut.seconds < best->seconds) best = &cut;
  return *best;
}

}  // namespace eigen_g::apps::bench

#ifdef EIGEN_G_HAVE_CUDA

#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <numeric>
#include <optional>
#include <random>

#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/products.hpp"
#include "gemm_df/team_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/back/team_reflectors.hpp"
#include "solver/devices/solve_team.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

namespace eigen_g::apps::bench {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr std::int64_t block_reflectors = 256;
constexpr double many_seconds =
    2;  // after so long a round a cut has one more; a sweep leaves out longer ones

DeviceBuffer<double> random_matrix(const Queue& queue, std::int64_t count, std::uint64_t seed) {
  DeviceBuffer<double> memory(count);
  blas2::fill_random(queue, memory.data(), count, seed);
  return memory;
}

DeviceBuffer<double> on_gpu(const std::vector<double>& host) {
  DeviceBuffer<double> memory(static_cast<std::int64_t>(host.size()));
  EIGEN_G_CUDA(cudaMemcpy(memory.data(), host.data(), memory.bytes(), cudaMemcpyHostToDevice));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  return memory;
}

// Work that a team can do, on operands of its own. run() queues it all and marks the end of each lap.
class Work {
 public:
  virtual ~Work() = default;
  virtual std::string name() const = 0;
  virtual double flops() const = 0;
  virtual std::optional<ColumnProducts> products() const = 0;  // where it is planned in one piece
  virtual MatrixView<double> result() const = 0;
  virtual void reset() {}  // before each run
  virtual void run(SolveTeam& team, const std::function<void()>& mark) = 0;
};

// The shares for some products; all to the first GPU where they are not cut.
std::vector<double> whole_shares(SolveTeam& team, const ColumnProducts& products) {
  std::vector<double> shares = team.take_shares(products);
  if (shares.empty()) {
    shares.resize(team.devices().size());
    shares.front() = 1;
  }
  return shares;
}

class MergeWork final : public Work {
 public:
  MergeWork(const Queue& queue, std::int64_t n)
      : n_(n),
        half_(n / 2),
        a_(random_matrix(queue, half_ * half_, 3)),
        b_(random_matrix(queue, half_ * n, 4)),
        c_(half_ * n) {}
  std::string name() const override { return "merge"; }
  double flops() const override { return products()->column_flops * static_cast<double>(n_); }
  std::optional<ColumnProducts> products() const override { return merge_products(half_, half_, 0, 0, n_); }
  MatrixView<double> result() const override { return {c_.data(), half_, n_, half_}; }
  void run(SolveTeam& team, const std::function<void()>&) override {
    const auto shares = whole_shares(team, *products());
    gemm(team.devices(), shares, Op::none, Op::none, 1, {a_.data(), half_, half_, half_},
         {b_.data(), half_, n_, half_}, 0, result());
  }

 private:
  std::int64_t n_, half_;
  DeviceBuffer<double> a_, b_, c_;
};

// Random blocks, so scaled that Z stays of its size; the last block first, as a back-transformation goes.
class ReflectorWork final : public Work {
 public:
  ReflectorWork(const Queue& queue, std::int64_t n)
      : queue_(queue), n_(n), v_(random_matrix(queue, n * n, 1)), z_(n * n) {
    // Entries of V T V^T Z are of the size of sqrt(n) 256 times those of T and Z.
    t_ = on_gpu(std::vector<double>(block_reflectors * block_reflectors,
                                    1 / (256 * std::sqrt(static_cast<double>(n)))));
    for (std::int64_t first = (n - 1) / block_reflectors * block_reflectors; first >= 0;
         first -= block_reflectors) {
      const std::int64_t rows = n - first, width = std::min(block_reflectors, rows);
      blocks_.push_back({first,
                         {v_.data() + first + first * n, rows, width, n},
                         {t_.data(), width, width, block_reflectors}});
    }
  }
  std::string name() const override { return "reflectors"; }
  double flops() const override { return products()->column_flops * static_cast<double>(n_); }
  std::optional<ColumnProducts> products() const override {
    return back_transform_products(n_, block_reflectors, n_);
  }
  MatrixView<double> result() const override { return {z_.data(), n_, n_, n_}; }
  void reset() override { blas2::fill_random(queue_, z_.data(), z_.size(), 5); }
  void run(SolveTeam& team, const std::function<void()>&) override {
    const auto shares = whole_shares(team, *products());
    apply_reflectors(team.devices(), shares, blocks_, result());
  }

 private:
  const Queue& queue_;
  std::int64_t n_;
  DeviceBuffer<double> v_, t_, z_;
  std::vector<ReflectorBlock> blocks_;
};

// The diagonals of T = Q^T A Q for a symmetric A of normally distributed entries: normal, and chi with n - 1, n - 2, ...
// degrees of freedom. Source: Dumitriu and Edelman 2002.
struct RandomTridiagonal {
  std::vector<double> d, e;
  explicit RandomTridiagonal(std::int64_t n) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0, std::sqrt(2.0));
    for (std::int64_t i = 0; i < n; ++i) d.push_back(normal(random));
    for (std::int64_t i = 1; i < n; ++i)
      e.push_back(std::sqrt(std::chi_squared_distribution<double>(static_cast<double>(n - i))(random)));
  }
};

// One after the other, as device_pipeline.cpp has them.
class StagesWork final : public Work {
 public:
  StagesWork(const Queue& queue, std::int64_t n)
      : n_(n),
        products_(queue, Engine::native, {}),
        tridiagonal_(n),
        d_from_(on_gpu(tridiagonal_.d)),
        e_from_(on_gpu(tridiagonal_.e)),
        d_(n),
        e_(n - 1),
        // I - tau v v^T with tau |v|^2 at most 1/3: Z shrinks by less than half.
        tau_(on_gpu(std::vector<double>(static_cast<std::size_t>(n), 1 / static_cast<double>(n)))),
        ldv_((n + tridiagonalize_row_multiple - 1) / tridiagonalize_row_multiple *
             tridiagonalize_row_multiple),
        v_(random_matrix(queue, ldv_ * n, 1)),
        z_(n * n),
        workspace_(std::max(divide_and_conquer_workspace(n, true), back_transform_workspace(n, n))) {}
  std::string name() const override { return "stages"; }
  double flops() const override { return (4.0 / 3 + 2) * std::pow(static_cast<double>(n_), 3); }
  std::optional<ColumnProducts> products() const override { return std::nullopt; }
  MatrixView<double> result() const override { return {z_.data(), n_, n_, n_}; }
  void reset() override {
    const auto copy = [&](const DeviceBuffer<double>& to, const DeviceBuffer<double>& from) {
      EIGEN_G_CUDA(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice,
                                   products_.queue().stream()));
    };
    copy(d_, d_from_);
    copy(e_, e_from_);
  }
  void run(SolveTeam& team, const std::function<void()>& mark) override {
    divide_and_conquer(products_, n_, d_.data(), e_.data(), result(), workspace_.data(), {}, {}, &team);
    mark();
    back_transform(products_, {v_.data(), n_, n_, ldv_}, tau_.data(), result(), workspace_.data(), &team);
    mark();
  }

 private:
  std::int64_t n_;
  Products<double> products_;
  RandomTridiagonal tridiagonal_;
  DeviceBuffer<double> d_from_, e_from_, d_, e_, tau_;
  std::int64_t ldv_;  // as the reduction leaves the reflectors
  DeviceBuffer<double> v_, z_, workspace_;
};

// One work with a team of its own, round after round.
class Trial {
 public:
  Trial(const Queue& queue, const HybridPlan& plan, Shares shares)
      : queue_(queue), team_(queue, std::move(shares), {plan.gpus, true, plan.threads}) {}

  void measure(Work& work) {
    work.reset();
    queue_.wait();
    std::vector<Event> moments(1);
    moments.front().record(queue_);
    const auto start = Clock::now();
    work.run(team_, [&] {
      moments.emplace_back();
      moments.back().record(queue_);
    });
    queue_.wait();
    Round round{seconds_since(start), {}, team_.take_seconds()};
    for (std::size_t i = 1; i < moments.size(); ++i)
      round.laps.push_back(moments[i].seconds_since(moments[i - 1]));
    rounds_.push_back(std::move(round));
  }

  // Whether a round of this takes too long for several.
  bool is_long() const { return !rounds_.empty() && rounds_.back().seconds >= many_seconds; }

  // Of all rounds but the first, which took memory and loaded kernels.
  HybridCut cut() const {
    HybridCut cut;
    cut.parts = team_.parts();
    std::vector<Round> timed(rounds_.begin() + 1, rounds_.end());
    for (const Round& round : timed) cut.rounds.push_back(round.seconds);
    std::sort(timed.begin(), timed.end(),
              [](const Round& a, const Round& b) { return a.seconds < b.seconds; });
    const Round& median = timed[(timed.size() - 1) / 2];
    cut.seconds = median.seconds;
    cut.laps = median.laps;
    cut.device_seconds = median.device_seconds;
    return cut;
  }

 private:
  struct Round {
    double seconds;
    std::vector<double> laps, device_seconds;
  };
  const Queue& queue_;
  SolveTeam team_;
  std::vector<Round> rounds_;
};

HostArray<double> result_of(const Queue& queue, const Work& work) {
  const MatrixView<double> result = work.result();
  auto host = host_array<double>(result.rows * result.cols);
  download(queue, result, {host.get(), result.rows, result.cols, result.rows});
  return host;
}

class Bench {
 public:
  Bench(const HybridPlan& plan, const Calibration& calibration, const Queue& queue)
      : plan_(plan),
        queue_(queue),
        rates_(team_rates(calibration, current_gpu(), plan.gpus, queue.multiprocessors())) {}

  std::vector<HybridStage> measure(std::int64_t n, const std::function<void(double)>& progress) const {
    const std::vector<double> percents = percents_for(n);
    std::vector<HybridStage> stages;
    const double runs = static_cast<double>((plan_.products ? 3 : 1) * (percents.size() + 2)) *
                        static_cast<double>(plan_.rounds + 1);
    double done = 0;
    const auto tell = [&] { progress(std::min(1.0, ++done / runs)); };
    if (plan_.products) {
      stages.push_back(stage(MergeWork(queue_, n), percents, tell));
      stages.push_back(stage(ReflectorWork(queue_, n), percents, tell));
    }
    stages.push_back(stage(StagesWork(queue_, n), percents, tell));
    return stages;
  }

 private:
  template <class Tell>
  HybridStage stage(Work&& work, const std::vector<double>& percents, Tell&& tell) const {
    HybridStage stage;
    stage.name = work.name();
    stage.flops = work.flops();
    if (const auto products = work.products()) stage.planned_seconds = plan_of(rates_, *products).total;

    std::deque<Trial> trials;
    Trial& alone = trials.emplace_back(queue_, plan_, Shares());
    Trial& automatic = trials.emplace_back(queue_, plan_, Shares(rates_));
    for (const double percent : percents) trials.emplace_back(queue_, plan_, Shares(ratio_of(percent)));
    measure_in_turns(work, trials, tell);
    stage.first_alone = alone.cut();
    stage.automatic = automatic.cut();
    for (std::size_t i = 2; i < trials.size(); ++i) stage.sweep.push_back(trials[i].cut());

    automatic.measure(work);
    const HostArray<double> once = result_of(queue_, work);
    automatic.measure(work);
    const HostArray<double> again = result_of(queue_, work);
    const auto count = static_cast<std::size_t>(work.result().rows * work.result().cols);
    stage.repeats = std::memcmp(once.get(), again.get(), count * sizeof(double)) == 0;
    return stage;
  }

  // The first round is to warm up. Back and forth, so that what changes meanwhile changes for all, and none has always the same
  // one before it.
  template <class Tell>
  void measure_in_turns(Work& work, std::deque<Trial>& trials, Tell&& tell) const {
    for (int round = 0; round <= plan_.rounds; ++round)
      for (std::size_t i = 0; i < trials.size(); ++i) {
        Trial& trial = trials[round % 2 == 0 ? i : trials.size() - 1 - i];
        if (round < 2 || !trial.is_long()) trial.measure(work);
        tell();
      }
  }

  // The CPU with a given share, the GPUs among themselves in proportion to their multiprocessors.
  Ratio ratio_of(double cpu_percent) const {
    std::vector<double> parts;
    for (std::size_t i = 0; i + 1 < rates_.devices.size(); ++i)
      parts.push_back(i == 0 ? queue_.multiprocessors() : rates_.devices[i].device.cores);
    const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (double& part : parts) part *= (100 - cpu_percent) / all;
    parts.push_back(cpu_percent);
    return {parts};
  }

  // Around the share with which all would finish together, were none too small to pay; and all, where that takes no minutes.
  std::vector<double> percents_for(std::int64_t n) const {
    if (!plan_.cpu_percents.empty()) return plan_.cpu_percents;
    const ColumnProducts products = back_transform_products(n, block_reflectors, n);
    const std::vector<DeviceCost> costs = costs_of(rates_, products);
    const double fair = finish_together(n, costs, 1, 0).parts.back() / static_cast<double>(n);
    const double least = 0.005;  // of a CPU that is never worth its copies
    std::vector<double> percents;
    for (const double factor : {0.0, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.8}) {
      const double percent = 100 * factor * std::max(fair, least);
      if (percent <= 100) percents.push_back(std::round(100 * percent) / 100);
    }
    if (costs.back().seconds(static_cast<double>(n)) < many_seconds) percents.push_back(100);
    return percents;
  }

  const HybridPlan& plan_;
  const Queue& queue_;
  TeamRates rates_;
};

}  // namespace

std::vector<HybridSize> measure_hybrid(const HybridPlan& plan, const Calibration& calibration) {
  if (gpu_count() == 0) throw DeviceError("bench hybrid needs a GPU, and there is none");
  std::optional<Partition> partition;
  if (plan.multiprocessors > 0) partition.emplace(plan.multiprocessors);
  const Queue queue = partition ? Queue(*partition) : Queue();
  const Bench bench(plan, calibration, queue);

  const auto work_of = [](std::int64_t n) { return std::pow(static_cast<double>(n), 3); };
  double all = 0, done = 0;
  for (const std::int64_t n : plan.sizes) all += work_of(n);
  std::vector<HybridSize> sizes;
  for (const std::int64_t n : plan.sizes) {
    sizes.push_back({n, bench.measure(n, [&](double fraction) {
                       if (plan.progress) plan.progress((done + fraction * work_of(n)) / all);
                     })});
    done += work_of(n);
  }
  return sizes;
}

}  // namespace eigen_g::apps::bench

#else

namespace eigen_g::apps::bench {

std::vector<HybridSize> measure_hybrid(const HybridPlan&, const Calibration&) {
  throw DeviceError("bench hybrid needs a GPU, and this is a build without CUDA");
}

}  // namespace eigen_g::apps::bench

#endif
