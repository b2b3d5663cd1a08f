#include "apps/bench/hybrid_measure.hpp"

#include "hybrid/error.hpp"

#ifdef EIGEN_G_HAVE_CUDA

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "blas2/symv_truth.hpp"
#include "gemm_df/team_gemm.hpp"
#include "hybrid/column_team.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory.hpp"
#include "hybrid/partition.hpp"
#include "hybrid/queue.hpp"
#include "solver/team_reflectors.hpp"

namespace eigen_g::apps::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Parts = std::vector<double>;

constexpr std::int64_t block_reflectors = 256;

// Work on columns and what planning it takes.
struct Stage {
  const char* name;
  double flops, common_bytes, column_bytes;
  std::int64_t inner;  // of its products
  MatrixView<double> result;
  std::function<void()> reset;
  std::function<void(ColumnTeam& team, const Parts& parts)> run;
};

DeviceBuffer<double> random_matrix(const Queue& queue, std::int64_t count, std::uint64_t seed) {
  DeviceBuffer<double> memory(count);
  blas2::fill_random(queue, memory.data(), count, seed);
  return memory;
}

// Blocks of reflectors, random and so scaled that Z stays of its size; the last block first, as a back-transformation goes.
class Reflectors {
 public:
  Reflectors(const Queue& queue, std::int64_t n)
      : v_(random_matrix(queue, n * n, 1)), t_(block_reflectors * block_reflectors) {
    // Entries of V T V^T Z are of the size of sqrt(n) 256 times those of T and Z.
    const std::vector<double> t(static_cast<std::size_t>(t_.size()),
                                1 / (256 * std::sqrt(static_cast<double>(n))));
    EIGEN_G_CUDA(cudaMemcpy(t_.data(), t.data(), t_.bytes(), cudaMemcpyHostToDevice));
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
    for (std::int64_t first = (n - 1) / block_reflectors * block_reflectors; first >= 0;
         first -= block_reflectors) {
      const std::int64_t rows = n - first, width = std::min(block_reflectors, rows);
      blocks_.push_back({first,
                         {v_.data() + first + first * n, rows, width, n},
                         {t_.data(), width, width, block_reflectors}});
      entries_ += static_cast<double>(rows * width);
    }
  }
  const std::vector<ReflectorBlock>& blocks() const { return blocks_; }
  double flops(double columns) const { return 4 * entries_ * columns; }
  double bytes() const { return entries_ * sizeof(double); }

 private:
  DeviceBuffer<double> v_, t_;
  std::vector<ReflectorBlock> blocks_;
  double entries_ = 0;
};

HybridCut measure_cut(ColumnTeam& team, const Queue& queue, const Stage& stage, const Parts& parts,
                      int rounds) {
  HybridCut cut{parts, std::numeric_limits<double>::infinity(), Parts(team.size())};
  for (int round = 0; round <= rounds; ++round) {  // the first one takes memory and loads kernels
    stage.reset();
    queue.wait();
    const auto start = Clock::now();
    stage.run(team, parts);
    queue.wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const Parts own = team.take_seconds();
    if (round == 0) continue;
    cut.seconds = std::min(cut.seconds, seconds);
    for (std::size_t i = 0; i < own.size(); ++i) cut.device_seconds[i] += own[i] / rounds;
  }
  return cut;
}

std::vector<double> result_of(const Stage& stage) {
  std::vector<double> host(static_cast<std::size_t>(stage.result.rows * stage.result.cols));
  EIGEN_G_CUDA(
      cudaMemcpy(host.data(), stage.result.data, host.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return host;
}

// The team's devices by their calibrated rates; the first GPU's products in proportion to the multiprocessors in use.
class Machine {
 public:
  Machine(const HybridPlan& plan, const Calibration& calibration, int first_gpu, int multiprocessors) {
    for (const DeviceRates& rates : calibration.devices)
      if (rates.device.kind == DeviceKind::cpu)
        cpu_ = &rates;
      else if (rates.device.index == first_gpu)
        gpus_.insert(gpus_.begin(), &rates);
      else if (std::count(plan.gpus.begin(), plan.gpus.end(), rates.device.index) > 0)
        gpus_.push_back(&rates);
    if (!cpu_ || gpus_.size() != plan.gpus.size() + 1)
      throw InvalidArgument("calibration", "lacks a device of the team");
    part_ = static_cast<double>(multiprocessors) / gpus_.front()->device.cores;
  }

  SharePlan plan(const Stage& stage) const {
    const auto columns = static_cast<double>(stage.result.cols);
    const double column_flops = stage.flops / columns;
    const auto flops = [&](const DeviceRates& rates) {
      return product_rate(rates, "native", columns, columns, static_cast<double>(stage.inner));
    };
    std::vector<DeviceCost> costs{cost_of(column_flops, part_ * flops(*gpus_.front()), 0, 0, 0)};
    for (std::size_t i = 1; i < gpus_.size(); ++i)
      costs.push_back(cost_of(column_flops, flops(*gpus_[i]), stage.common_bytes, stage.column_bytes,
                              std::min(gpus_[i]->from_first, gpus_[i]->to_first)));
    costs.push_back(cost_of(column_flops, flops(*cpu_), stage.common_bytes, stage.column_bytes,
                            std::min(gpus_.front()->to_device, gpus_.front()->from_device)));
    return finish_together(stage.result.cols, costs);
  }

  // The CPU with a given share, the GPUs among themselves in proportion to their multiprocessors.
  Parts parts(std::int64_t columns, double cpu_percent) const {
    Parts list;
    double sum = 0;
    for (const DeviceRates* gpu : gpus_) {
      list.push_back(gpu->device.cores * (list.empty() ? part_ : 1));
      sum += list.back();
    }
    for (double& part : list) part *= static_cast<double>(columns) * (1 - cpu_percent / 100) / sum;
    list.push_back(static_cast<double>(columns) * cpu_percent / 100);
    return list;
  }

 private:
  std::vector<const DeviceRates*> gpus_;  // the first one in front
  const DeviceRates* cpu_ = nullptr;
  double part_ = 1;
};

}  // namespace

std::vector<HybridStage> measure_hybrid(const HybridPlan& plan, const Calibration& calibration) {
  if (gpu_count() == 0) throw DeviceError("bench hybrid needs a GPU, and there is none");
  std::optional<Partition> partition;
  if (plan.multiprocessors > 0) partition.emplace(plan.multiprocessors);
  const Queue queue = partition ? Queue(*partition) : Queue();
  ColumnTeam team(queue, {plan.gpus, true, plan.threads});
  const Machine machine(plan, calibration, current_gpu(), queue.multiprocessors());

  const std::int64_t n = plan.n, half = n / 2;
  const auto order = static_cast<double>(n);
  const DeviceBuffer<double> a = random_matrix(queue, half * half, 3), b = random_matrix(queue, half * n, 4),
                             c(half * n), z(n * n);
  const Reflectors reflectors(queue, n);
  const MatrixView<double> product{c.data(), half, n, half}, vectors{z.data(), n, n, n};
  const Stage stages[] = {
      {"merge", 2 * static_cast<double>(half * half) * order, order * order / 4 * sizeof(double),
       order / 2 * sizeof(double), half, product, [] {},
       [&](ColumnTeam& t, const Parts& parts) {
         gemm(t, parts, Op::none, Op::none, 1, {a.data(), half, half, half}, {b.data(), half, n, half}, 0,
              product);
       }},
      {"back-transform", reflectors.flops(order), reflectors.bytes(), order * sizeof(double),
       block_reflectors, vectors, [&] { blas2::fill_random(queue, z.data(), z.size(), 5); },
       [&](ColumnTeam& t, const Parts& parts) { apply_reflectors(t, parts, reflectors.blocks(), vectors); }}};

  std::vector<HybridStage> results;
  const double cuts = 2.0 * static_cast<double>(plan.cpu_percents.size() + 2);
  double done = 0;
  for (const Stage& stage : stages) {
    HybridStage result;
    result.name = stage.name;
    result.flops = stage.flops;
    const auto measure = [&](const Parts& parts) {
      HybridCut cut = measure_cut(team, queue, stage, parts, plan.rounds);
      if (plan.progress) plan.progress(++done / cuts);
      return cut;
    };

    const SharePlan planned = machine.plan(stage);
    result.planned_seconds = planned.total;
    Parts alone(team.size());
    alone.front() = order;
    result.first_alone = measure(alone);
    for (const double percent : plan.cpu_percents) result.sweep.push_back(measure(machine.parts(n, percent)));
    result.automatic = measure(planned.parts);
    const std::vector<double> once = result_of(stage);
    stage.reset();
    stage.run(team, planned.parts);
    queue.wait();
    const std::vector<double> again = result_of(stage);
    result.repeats = std::memcmp(once.data(), again.data(), once.size() * sizeof(double)) == 0;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace eigen_g::apps::bench

#else

namespace eigen_g::apps::bench {

std::vector<HybridStage> measure_hybrid(const HybridPlan&, const Calibration&) {
  throw DeviceError("bench hybrid needs a GPU, and this is a build without CUDA");
}

}  // namespace eigen_g::apps::bench

#endif
