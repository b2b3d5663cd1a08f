// The GPUs' part of a calibration, and what every device does in a team.
#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include "blas2/symv.hpp"
#include "blas2/symv_truth.hpp"
#include "gemm_df/engine_rates.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/team_gemm.hpp"
#include "hybrid/column_team.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory.hpp"
#include "hybrid/partition.hpp"
#include "hybrid/queue.hpp"
#include "solver/calibrate_steps.hpp"
#include "solver/team_reflectors.hpp"

namespace eigen_g::calibration {

namespace {

// Seconds of one call: the shortest of several rounds, each of as many calls as take about a millisecond, so that what is
// timed is the work and not its launch.
template <class Work>
double shortest(const Queue& queue, int rounds, Work&& work) {
  constexpr double round_seconds = 1e-3;
  Event begin, end;
  const auto timed = [&](int calls) {
    begin.record(queue);
    for (int call = 0; call < calls; ++call) work();
    end.record(queue);
    end.wait();
    return end.seconds_since(begin) / calls;
  };
  timed(1);  // loads the kernel
  double best = timed(1);
  const int calls = static_cast<int>(std::clamp(round_seconds / std::max(best, 1e-6), 1.0, 100.0));
  for (int round = 1; round < rounds; ++round) best = std::min(best, timed(calls));
  return best;
}

struct Engine {
  const char* name;
  void (*multiply)(const Queue& queue, MatrixView<const double> a, MatrixView<const double> b,
                   MatrixView<double> c);
};
constexpr Engine engines[] = {
    {"native", [](const Queue& queue, MatrixView<const double> a, MatrixView<const double> b,
                  MatrixView<double> c) { gemm(queue, Op::none, Op::none, 1, a, b, 0, c); }}};

// One GPU by itself, on memory that it has.
void measure_alone(DeviceRates& rates, Effort effort, Steps& step) {
  const bool full = effort == Effort::full;
  Growth growth = full ? Growth{1024, 8192, 0.1} : Growth{512, 4096, 0.005};
  std::int64_t symv_order = full ? 16384 : 8192;
  const auto half_of_memory = static_cast<double>(gpu_device(rates.device.index).memory_free) / 2;
  const auto bytes = [](double count) { return count * sizeof(double); };
  while (growth.to > growth.from && bytes(3.0 * static_cast<double>(growth.to * growth.to)) > half_of_memory)
    growth.to /= 2;
  while (symv_order > 1024 && bytes(static_cast<double>(symv_order * symv_order)) > half_of_memory)
    symv_order /= 2;

  const Queue queue;
  {
    const std::int64_t s = growth.to * growth.to;
    const DeviceBuffer<double> a(s), b(s), c(s);
    blas2::fill_random(queue, a.data(), s, 1);
    blas2::fill_random(queue, b.data(), s, 2);
    for (const Engine& engine : engines)
      measure_products(
          rates, engine.name, growth, effort,
          [&](const Shape& shape) {
            return shortest(queue, full ? 5 : 3, [&] {
              engine.multiply(queue, {a.data(), shape.m, shape.k, shape.m},
                              {b.data(), shape.k, shape.n, shape.k}, {c.data(), shape.m, shape.n, shape.m});
            });
          },
          step);
  }
  {
    const std::int64_t n = symv_order;
    const DeviceBuffer<double> a(n * n), x(n), y(n);
    blas2::fill_random(queue, a.data(), n * n, 3);
    blas2::fill_random(queue, x.data(), n, 4);
    blas2::SymvWorkspace workspace;
    workspace.reserve(blas2::SymvType::d, n);
    const double seconds = shortest(queue, full ? 10 : 3, [&] {
      blas2::symv<double>(queue.stream(), Uplo::lower, n, 1, a.data(), n, x.data(), 1, 0, y.data(), 1,
                          workspace);
    });
    rates.symv_bandwidth = static_cast<double>(n) * static_cast<double>(n + 1) / 2 * sizeof(double) / seconds;
    step();
  }
}

// From and to pinned host memory.
void measure_link(DeviceRates& rates, Effort effort, Steps& step) {
  const std::int64_t count = std::int64_t{effort == Effort::full ? 64 : 8} << 17;  // MiB of doubles
  const Queue queue;
  const DeviceBuffer<double> device(count);
  const PinnedBuffer<double> host(count);
  const auto bandwidth = [&](void* to, const void* from, cudaMemcpyKind kind) {
    const double seconds = shortest(
        queue, 3, [&] { EIGEN_G_CUDA(cudaMemcpyAsync(to, from, device.bytes(), kind, queue.stream())); });
    return static_cast<double>(device.bytes()) / seconds;
  };
  rates.to_device = bandwidth(device.data(), host.data(), cudaMemcpyHostToDevice);
  rates.from_device = bandwidth(host.data(), device.data(), cudaMemcpyDeviceToHost);
  step();

  constexpr int copies = 50;  // one waits for the other
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < copies; ++i) {
    EIGEN_G_CUDA(
        cudaMemcpyAsync(host.data(), device.data(), sizeof(double), cudaMemcpyDeviceToHost, queue.stream()));
    queue.wait();
  }
  rates.latency = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / copies;
  step();
}

// Pieces of a team's work: a product, or a few blocks of reflectors, one of which arrives while nothing is done yet.
struct TeamShape {
  static constexpr std::int64_t reflector_blocks = 4;
  TeamWork work;
  std::int64_t rows, columns, inner;

  std::int64_t common() const { return rows * inner * (work == TeamWork::product ? 1 : reflector_blocks); }
  std::int64_t own() const { return (work == TeamWork::product ? inner : rows) * columns; }
  std::int64_t small() const { return work == TeamWork::product ? rows * columns : inner * inner; }
  double bytes() const { return static_cast<double>(common() + own() + small()) * sizeof(double); }
  double flops() const {
    const auto r = static_cast<double>(rows), c = static_cast<double>(columns),
               k = static_cast<double>(inner);
    return work == TeamWork::product ? 2 * r * c * k : reflector_blocks * (4 * r * k + 2 * k * k) * c;
  }
};

using TeamShapes = std::vector<TeamShape>;
constexpr TeamWork product = TeamWork::product, reflectors = TeamWork::reflectors;

TeamShapes shapes_of_cpu(Effort effort) {
  if (effort == Effort::quick) return {{product, 2048, 512, 2048}, {reflectors, 4096, 512, 384}};
  return {{product, 1024, 256, 1024},   {product, 2048, 512, 2048},   {product, 4096, 256, 4096},
          {product, 4096, 1024, 4096},  {reflectors, 2048, 256, 256}, {reflectors, 4096, 512, 256},
          {reflectors, 4096, 256, 384}, {reflectors, 8192, 1024, 384}};
}
TeamShapes shapes_of_gpu(Effort effort) {
  if (effort == Effort::quick) return {{product, 4096, 4096, 4096}, {reflectors, 4096, 4096, 512}};
  return {{product, 2048, 2048, 2048},
          {product, 8192, 8192, 8192},
          {reflectors, 4096, 4096, 256},
          {reflectors, 8192, 8192, 512}};
}
TeamShapes shapes_of_part(Effort effort) {
  if (effort == Effort::quick) return {{product, 2048, 1024, 2048}, {reflectors, 4096, 1024, 384}};
  return {{product, 2048, 1024, 2048},
          {product, 4096, 2048, 4096},
          {reflectors, 4096, 1024, 256},
          {reflectors, 8192, 2048, 384}};
}

// All of a piece of work on one of a team's devices, as its own clock shows it: a GPU's shortest time; a CPU's upper quartile,
// for its rate varies, and all wait for one of which too much was expected. What does not fit is left out.
void measure_team(DeviceRates& rates, ColumnTeam& team, std::size_t device, const Queue& queue,
                  const TeamShapes& shapes, int rounds, Steps& step) {
  std::vector<double> parts(team.size());
  parts[device] = 1;
  for (const TeamShape& s : shapes) {
    if (s.bytes() > static_cast<double>(gpu_memory_free(current_gpu())) / 2) continue;
    const DeviceBuffer<double> common(s.common()), own(s.own()), small(s.small());
    blas2::fill_random(queue, common.data(), common.size(), 5);
    std::vector<ReflectorBlock> blocks;
    for (std::int64_t b = 0; s.work == reflectors && b < TeamShape::reflector_blocks; ++b)
      blocks.push_back({0,
                        {common.data() + b * s.rows * s.inner, s.rows, s.inner, s.rows},
                        {small.data(), s.inner, s.inner, s.inner}});
    std::vector<double> seconds;
    for (int round = 0; round <= rounds; ++round) {  // the first one takes memory and loads kernels
      blas2::fill_random(queue, own.data(), own.size(), 6);
      blas2::fill_random(queue, small.data(), small.size(), 7);
      if (s.work == product)
        gemm(team, parts, Op::none, Op::none, 1, {common.data(), s.rows, s.inner, s.rows},
             {own.data(), s.inner, s.columns, s.inner}, 0, {small.data(), s.rows, s.columns, s.rows});
      else
        apply_reflectors(team, parts, blocks, {own.data(), s.rows, s.columns, s.rows});
      const double took = team.take_seconds()[device];
      if (round > 0) seconds.push_back(took);
    }
    const bool cpu = rates.device.kind == DeviceKind::cpu;
    std::sort(seconds.begin(), seconds.end());
    const double typical = seconds[cpu ? 3 * seconds.size() / 4 : 0];
    rates.team.push_back(
        {s.work, cpu ? 0 : queue.multiprocessors(), s.rows, s.columns, s.inner, s.flops() / typical});
    step();
  }
}

// On all of the GPU that is current, and on a small part of it, where the others leave one more of its power.
void measure_gpu_in_team(DeviceRates& rates, Effort effort, Steps& step) {
  constexpr int part = 8;
  const int rounds = effort == Effort::full ? 5 : 2;
  {
    const Queue queue;
    ColumnTeam team(queue, {});
    measure_team(rates, team, 0, queue, shapes_of_gpu(effort), rounds, step);
  }
  if (rates.device.cores < 2 * part) return;
  std::optional<Partition> small;
  try {
    small.emplace(part);
  } catch (const DeviceError&) {  // toolkit or driver cannot do that: nobody will ask for the figures
    return;
  }
  const Queue queue(*small);
  ColumnTeam team(queue, {});
  measure_team(rates, team, 0, queue, shapes_of_part(effort), rounds, step);
}

// What a second device adds to the time of a piece of work so small that nothing else counts.
double joining_seconds(ColumnTeam& team, const Queue& queue) {
  constexpr std::int64_t n = 64;
  constexpr int rounds = 20;
  const DeviceBuffer<double> memory(3 * n * n);
  blas2::fill_random(queue, memory.data(), memory.size(), 8);
  const auto matrix = [&](int i) { return MatrixView<double>{memory.data() + i * n * n, n, n, n}; };
  const auto seconds = [&](const std::vector<double>& parts) {
    std::vector<double> all;
    for (int round = 0; round < rounds; ++round) {
      queue.wait();
      const auto start = std::chrono::steady_clock::now();
      gemm(team, parts, Op::none, Op::none, 1, matrix(0), matrix(1), 0, matrix(2));
      queue.wait();
      all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    team.take_seconds();
    std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
    return all[rounds / 2];
  };
  return std::max(0.0, seconds({1, 1}) - seconds({1, 0}));
}

// Between the first GPU and this one.
void measure_peer(DeviceRates& rates, int first, Effort effort, Steps& step) {
  const CurrentGpu current(first);
  const Queue queue;
  const int gpu = rates.device.index;
  ColumnTeam team(queue, {{gpu}, false, 0});  // opens the direct way where there is one
  const std::int64_t count = std::int64_t{effort == Effort::full ? 64 : 8} << 17;
  const DeviceBuffer<double> here(count);
  DeviceBuffer<double> there;
  {
    const CurrentGpu other(gpu);
    there = DeviceBuffer<double>(count);
  }
  const auto bandwidth = [&](void* to, int to_gpu, const void* from, int from_gpu) {
    const double seconds = shortest(queue, 3, [&] {
      EIGEN_G_CUDA(cudaMemcpyPeerAsync(to, to_gpu, from, from_gpu, here.bytes(), queue.stream()));
    });
    return static_cast<double>(here.bytes()) / seconds;
  };
  rates.from_first = bandwidth(there.data(), gpu, here.data(), first);
  rates.to_first = bandwidth(here.data(), first, there.data(), gpu);
  rates.joining = joining_seconds(team, queue);
  step();
}

// With the GPU that is current.
void measure_cpu_in_team(DeviceRates& cpu, Effort effort, Steps& step) {
  const Queue queue;
  ColumnTeam team(queue, {{}, true, 0});
  measure_team(cpu, team, 1, queue, shapes_of_cpu(effort), effort == Effort::full ? 7 : 2, step);
  cpu.joining = joining_seconds(team, queue);
}

}  // namespace

void measure_gpus(Calibration& calibration, Effort effort, const CalibrationProgress& progress) {
  int first = -1;
  for (DeviceRates& rates : calibration.devices) {
    if (rates.device.kind != DeviceKind::gpu) continue;
    const int gpu = rates.device.index;
    Steps step(progress, "GPU " + std::to_string(gpu), effort == Effort::full ? 28 : 14);
    {
      const CurrentGpu current(gpu);
      measure_alone(rates, effort, step);
      measure_link(rates, effort, step);
      measure_gpu_in_team(rates, effort, step);
      if (first < 0)
        for (DeviceRates& cpu : calibration.devices)
          if (cpu.device.kind == DeviceKind::cpu) measure_cpu_in_team(cpu, effort, step);
    }
    if (first < 0)
      first = gpu;
    else
      measure_peer(rates, first, effort, step);
  }
}

double estimated_product_rate(int multiprocessors) {
  static std::mutex mutex;
  static std::map<int, double> of_one;  // by GPU: its driver tells its figures slowly
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = of_one.try_emplace(current_gpu(), 0);
  if (is_new) {
    const Queue queue;
    at->second = estimated_engine_rates(queue).native.flops_per_second / queue.multiprocessors();
  }
  return at->second * multiprocessors;
}

}  // namespace eigen_g::calibration
