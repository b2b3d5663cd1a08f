// The GPUs' part of a calibration.
#include <chrono>

#include "blas2/symv.hpp"
#include "blas2/symv_truth.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/column_team.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory.hpp"
#include "hybrid/queue.hpp"
#include "solver/calibrate_steps.hpp"

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

// Between the first GPU and this one.
void measure_peer(DeviceRates& rates, int first, Effort effort, Steps& step) {
  const CurrentGpu current(first);
  const Queue queue;
  const int gpu = rates.device.index;
  const ColumnTeam way(queue, {{gpu}, false, 0});  // opens the direct way where there is one
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
  step();
}

}  // namespace

void measure_gpus(Calibration& calibration, Effort effort, const CalibrationProgress& progress) {
  int first = -1;
  for (DeviceRates& rates : calibration.devices) {
    if (rates.device.kind != DeviceKind::gpu) continue;
    const int gpu = rates.device.index;
    Steps step(progress, "GPU " + std::to_string(gpu), effort == Effort::full ? 12 : 8);
    {
      const CurrentGpu current(gpu);
      measure_alone(rates, effort, step);
      measure_link(rates, effort, step);
    }
    if (first < 0)
      first = gpu;
    else
      measure_peer(rates, first, effort, step);
  }
}

}  // namespace eigen_g::calibration
