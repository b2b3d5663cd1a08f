// The GPUs' part of a calibration, and the rates of all devices in a team.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/gemm.hpp"
#include "gemm_df/team_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/column_team.hpp"
#include "solver/back/reflector_blocks.hpp"
#include "solver/back/team_reflectors.hpp"
#include "solver/back/triangular_factor.hpp"
#include "solver/calibrate/calibrate_steps.hpp"
#include "solver/devices/shares.hpp"
#include "solver/tridiagonal/dc_products.hpp"

namespace eigen_g::calibration {

namespace {

// Seconds of one call: the shortest of several rounds. A round has enough calls to take about a millisecond, so that the work is timed and
// not its launch.
template <class Work>
double shortest_on_gpu(const Queue& queue, int rounds, Work&& work) {
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

// Measures one GPU alone, with data in its own memory.
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
    measure_products(
        rates, name(Engine::native), growth, effort,
        [&](const Shape& shape) {
          return shortest_on_gpu(queue, full ? 5 : 3, [&] {
            gemm<double>(queue, Op::none, Op::none, 1, {a.data(), shape.m, shape.k, shape.m},
                         {b.data(), shape.k, shape.n, shape.k}, 0, {c.data(), shape.m, shape.n, shape.m});
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
    const double seconds = shortest_on_gpu(queue, full ? 10 : 3, [&] {
      blas2::symv<double>(queue.stream(), Uplo::lower, n, 1, a.data(), n, x.data(), 1, 0, y.data(), 1,
                          workspace);
    });
    rates.symv_bytes_per_second =
        static_cast<double>(n) * static_cast<double>(n + 1) / 2 * sizeof(double) / seconds;
    step();
  }
}

// Measures copies from and to pinned host memory.
void measure_link(DeviceRates& rates, Effort effort, Steps& step) {
  const std::int64_t count = std::int64_t{effort == Effort::full ? 64 : 8} << 17;  // MiB of doubles
  const Queue queue;
  const DeviceBuffer<double> device(count);
  const PinnedBuffer<double> host(count);
  const auto bandwidth = [&](void* to, const void* from, cudaMemcpyKind kind) {
    const double seconds = shortest_on_gpu(
        queue, 3, [&] { EIGEN_G_CUDA(cudaMemcpyAsync(to, from, device.bytes(), kind, queue.stream())); });
    return static_cast<double>(device.bytes()) / seconds;
  };
  rates.to_device = bandwidth(device.data(), host.data(), cudaMemcpyHostToDevice);
  rates.from_device = bandwidth(host.data(), device.data(), cudaMemcpyDeviceToHost);
  step();

  constexpr int copies = 50;  // each copy waits for the one before
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < copies; ++i) {
    EIGEN_G_CUDA(
        cudaMemcpyAsync(host.data(), device.data(), sizeof(double), cudaMemcpyDeviceToHost, queue.stream()));
    queue.wait();
  }
  rates.latency = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / copies;
  step();
}

// A piece of a team's work: a product, or a whole back-transformation, on `columns` columns of one device.
struct TeamShape {
  TeamWork work;
  std::int64_t rows, columns, inner;

  ReflectorBlocks blocks() const { return {rows, inner}; }
  double flops() const {
    const ColumnProducts products = work == TeamWork::product ? merge_products(rows, inner, 0, 0, columns)
                                                              : back_transform_products(rows, inner, columns);
    return products.column_flops * static_cast<double>(columns);
  }
};

// The matrices of this work with `all` columns: A, B and C of a product; V, Z and T of a back-transformation.
struct TeamMatrices {
  std::int64_t a, b, c;
  TeamMatrices(const TeamShape& s, std::int64_t all)
      : a(s.rows * (s.work == TeamWork::product ? s.inner : s.rows)),
        b((s.work == TeamWork::product ? s.inner : s.rows) * all),
        c(s.work == TeamWork::product ? s.rows * all : s.inner * s.inner) {}
  double bytes() const { return static_cast<double>(a + b + c) * sizeof(double); }
};

using TeamShapes = std::vector<TeamShape>;
constexpr TeamWork product = TeamWork::product, reflectors = TeamWork::reflectors;

TeamShapes shapes_of_cpu(Effort effort) {
  if (effort == Effort::quick) return {{product, 2048, 512, 2048}, {reflectors, 4096, 256, 384}};
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

// The duration of a shape's measurement: at least `least` rounds, and at least `seconds` seconds.
struct TeamRounds {
  int least;
  double seconds;
};

// Measures the rate of one of a team's devices, by the device's own clock. For a GPU it takes the shortest time. For the CPU it takes the
// upper quartile of the times over a while, next to a GPU with seven times the number of columns. Reason: the CPU's rate varies, and all
// devices wait for one from which too much was expected. Shapes that do not fit into memory are left out.
void measure_team(DeviceRates& rates, ColumnTeam<double>& team, std::size_t device, const Queue& queue,
                  const TeamShapes& shapes, const TeamRounds& rounds, Steps& step) {
  const bool cpu = rates.device.kind == DeviceKind::cpu;
  std::vector<double> shares(team.size());
  shares.front() = 7;
  shares[device] = 1;
  for (const TeamShape& s : shapes) {
    const std::int64_t columns = cpu ? 8 * s.columns : s.columns;
    const TeamMatrices sizes(s, columns);
    if (sizes.bytes() > static_cast<double>(gpu_memory_free(current_gpu())) / 2) continue;
    const DeviceBuffer<double> a(sizes.a), b(sizes.b), c(sizes.c);
    blas2::fill_random(queue, a.data(), a.size(), 5);
    std::vector<ReflectorBlock<double>> blocks;
    for (std::int64_t i = s.work == reflectors ? s.blocks().count() - 1 : -1; i >= 0; --i) {
      const std::int64_t first = s.blocks().first(i), k = s.blocks().columns(i);
      blocks.push_back({first,
                        {a.data() + first * (s.rows + 1), s.blocks().rows(i), k, s.rows},
                        {c.data(), k, k, s.inner}});
    }
    std::vector<double> seconds;
    const auto start = std::chrono::steady_clock::now();
    const auto long_enough = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >=
             rounds.seconds;
    };
    for (int round = 0; round <= rounds.least || !long_enough(); ++round) {
      blas2::fill_random(queue, b.data(), b.size(), 6);
      blas2::fill_random(queue, c.data(), c.size(), 7);
      queue.wait();  // otherwise the CPU's clock would include this wait
      if (s.work == product)
        team_gemm(team, shares, Op::none, Op::none, 1, {a.data(), s.rows, s.inner, s.rows},
                  {b.data(), s.inner, columns, s.inner}, 0, {c.data(), s.rows, columns, s.rows});
      else
        apply_reflectors(team, shares, blocks, {b.data(), s.rows, columns, s.rows});
      const double took = team.take_seconds()[device];
      if (round > 0) seconds.push_back(took);  // the first round allocates memory and loads kernels
    }
    std::sort(seconds.begin(), seconds.end());
    const double typical = seconds[cpu ? 3 * seconds.size() / 4 : 0];
    rates.team.push_back(
        {s.work, cpu ? 0 : queue.multiprocessors(), s.rows, s.columns, s.inner, s.flops() / typical});
    step();
  }
}

// A small partition of the current GPU. Nothing if the GPU is not much larger, or if the toolkit or driver cannot partition it.
std::optional<Partition> small_part() {
  constexpr int part = 8;
  if (gpu_facts(current_gpu()).multiprocessors < 2 * part) return std::nullopt;
  try {
    return std::optional<Partition>(std::in_place, part);
  } catch (const DeviceError&) {
    return std::nullopt;
  }
}

// Measures on all of the current GPU, and on a small partition of it. There a multiprocessor has more of the GPU's power, because the
// others are idle.
void measure_gpu_in_team(DeviceRates& rates, Effort effort, Steps& step) {
  const TeamRounds rounds{effort == Effort::full ? 5 : 2, 0};
  {
    const Queue queue;
    ColumnTeam<double> team(queue, {});
    measure_team(rates, team, 0, queue, shapes_of_gpu(effort), rounds, step);
  }
  const std::optional<Partition> small = small_part();
  if (!small) return;  // no solve will ask for these rates
  const Queue queue(*small);
  ColumnTeam<double> team(queue, {});
  measure_team(rates, team, 0, queue, shapes_of_part(effort), rounds, step);
}

// The time that a second device adds to a piece of work so small that nothing else counts.
double team_overhead_seconds(ColumnTeam<double>& team, const Queue& queue) {
  constexpr std::int64_t n = 64;
  constexpr int rounds = 20;
  const DeviceBuffer<double> memory(3 * n * n);
  blas2::fill_random(queue, memory.data(), memory.size(), 8);
  const auto matrix = [&](int i) { return MatrixView<double>{memory.data() + i * n * n, n, n, n}; };
  const auto seconds = [&](const std::vector<double>& shares) {
    std::vector<double> all;
    for (int round = 0; round < rounds; ++round) {
      queue.wait();
      const auto start = std::chrono::steady_clock::now();
      team_gemm(team, shares, Op::none, Op::none, 1, matrix(0), matrix(1), 0, matrix(2));
      queue.wait();
      all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    team.take_seconds();
    std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
    return all[rounds / 2];
  };
  return std::max(0.0, seconds({1, 1}) - seconds({1, 0}));
}

// Measures copies between the first GPU and this one.
void measure_peer(DeviceRates& rates, int first, Effort effort, Steps& step) {
  const CurrentGpu current(first);
  const Queue queue;
  const int gpu = rates.device.index;
  ColumnTeam<double> team(queue, {{gpu}, false, 0});  // opens direct access if there is any
  const std::int64_t count = std::int64_t{effort == Effort::full ? 64 : 8} << 17;
  const DeviceBuffer<double> here(count);
  DeviceBuffer<double> there;
  {
    const CurrentGpu other(gpu);
    there = DeviceBuffer<double>(count);
  }
  const auto bandwidth = [&](void* to, int to_gpu, const void* from, int from_gpu) {
    const double seconds = shortest_on_gpu(queue, 3, [&] {
      EIGEN_G_CUDA(cudaMemcpyPeerAsync(to, to_gpu, from, from_gpu, here.bytes(), queue.stream()));
    });
    return static_cast<double>(here.bytes()) / seconds;
  };
  rates.from_first = bandwidth(there.data(), gpu, here.data(), first);
  rates.to_first = bandwidth(here.data(), first, there.data(), gpu);
  rates.team_overhead_seconds = team_overhead_seconds(team, queue);
  step();
}

// Each of two GPUs sends `bytes` bytes to the other and waits for the other's bytes, again and again. Returns the seconds of one exchange.
double exchange_seconds(int first, int second, std::int64_t bytes) {
  constexpr int exchanges = 100, rounds = 3;
  const int gpus[2] = {first, second};
  std::unique_ptr<Queue> queue[2];
  std::unique_ptr<Event> sent[2];
  DeviceBuffer<char> from[2], to[2];
  for (int g = 0; g < 2; ++g) {
    const CurrentGpu current(gpus[g]);
    queue[g] = std::make_unique<Queue>();
    sent[g] = std::make_unique<Event>();
    from[g] = DeviceBuffer<char>(bytes);
    to[g] = DeviceBuffer<char>(bytes);
  }
  std::vector<double> all;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int e = 0; e < exchanges; ++e) {
      for (int g = 0; g < 2; ++g) {
        const CurrentGpu current(gpus[g]);
        EIGEN_G_CUDA(cudaMemcpyPeerAsync(to[1 - g].data(), gpus[1 - g], from[g].data(), gpus[g],
                                         static_cast<std::size_t>(bytes), queue[g]->stream()));
        sent[g]->record(*queue[g]);
      }
      for (int g = 0; g < 2; ++g) {
        const CurrentGpu current(gpus[g]);
        sent[1 - g]->hold(*queue[g]);
      }
    }
    for (int g = 0; g < 2; ++g) {
      const CurrentGpu current(gpus[g]);
      queue[g]->wait();
    }
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                  exchanges);
  }
  std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
  return all[rounds / 2];
}

// Measures the exchange between the first GPU and this one, directly if the machine allows it.
void measure_halo(DeviceRates& rates, int first, Steps& step) {
  constexpr std::int64_t small = 256, large = std::int64_t{64} << 20;
  rates.halo_latency = exchange_seconds(first, rates.device.index, small);
  rates.halo_bytes_per_second =
      static_cast<double>(large) / exchange_seconds(first, rates.device.index, large);
  step();
}

// Measures the CPU next to a small partition of the current GPU, because a CPU helps only a weak GPU.
void measure_cpu_in_team(DeviceRates& cpu, Effort effort, Steps& step) {
  const std::optional<Partition> small = small_part();
  const Queue queue = small ? Queue(*small) : Queue();
  ColumnTeam<double> team(queue, {{}, true, 0});
  const TeamRounds rounds = effort == Effort::full ? TeamRounds{7, 1.5} : TeamRounds{2, 0};
  measure_team(cpu, team, 1, queue, shapes_of_cpu(effort), rounds, step);
  cpu.team_overhead_seconds = team_overhead_seconds(team, queue);
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
    if (first < 0) {
      first = gpu;
    } else {
      measure_peer(rates, first, effort, step);
      measure_halo(rates, first, step);
    }
  }
}

double estimated_product_rate(int multiprocessors) {
  static std::mutex mutex;
  static std::map<int, double> of_one;  // by GPU; kept because the driver returns these properties slowly
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = of_one.try_emplace(current_gpu(), 0);
  if (is_new) {
    const Queue queue;
    at->second = estimated_engine_rates(queue)[Engine::native].flops_per_second / queue.multiprocessors();
  }
  return at->second * multiprocessors;
}

}  // namespace eigen_g::calibration
