#include "solver/calibrate/calibrate.hpp"

#include <cblas.h>

#include <chrono>
#include <limits>
#include <map>
#include <mutex>

#include "gemm_df/cpu_gemm.hpp"
#include "gemm_df/engines/engine.hpp"
#include "hybrid/machine/blas_turn.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/split.hpp"
#include "solver/calibrate/calibrate_steps.hpp"
#include "solver/calibrate/share_rule.hpp"
#include "solver/devices/tuning.hpp"

namespace eigen_g {

namespace {

using calibration::Growth;
using calibration::Shape;

// Random values: no pattern that a processor could profit from.
HostArray<double> random_array(std::int64_t count) {
  auto array = host_array<double>(count);
  for_each(count, loop_threads(), [&](std::int64_t i) {
    auto x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;  // splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    array[static_cast<std::size_t>(i)] = static_cast<double>(x >> 11) * 0x1p-52 - 1;
  });
  return array;
}

// The shortest time of several calls. Other work on the machine can only lengthen a call.
template <class Work>
double shortest_on_cpu(int calls, Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int call = 0; call <= calls; ++call) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (call > 0) best = std::min(best, seconds);  // call 0 starts threads and touches pages
  }
  return best;
}

void measure_cpu(DeviceRates& rates, Effort effort, const CalibrationProgress& progress) {
  const bool full = effort == Effort::full;
  const Growth growth = full ? Growth{512, 4096, 0.15} : Growth{256, 1024, 0.01};
  std::int64_t symv_order = full ? 8192 : 2048;
  const std::uint64_t available = host_memory_available();
  while (symv_order > 1024 && available > 0 &&
         static_cast<std::uint64_t>(symv_order * symv_order) * sizeof(double) > available / 4)
    symv_order /= 2;
  calibration::Steps step(progress, "CPU", full ? 9 : 4);

  const std::int64_t s = growth.to;
  const auto a = random_array(s * s), b = random_array(s * s), c = random_array(s * s);
  const auto product = [&](const Shape& shape) {
    const auto [m, n, k] = shape;
    return shortest_on_cpu(3, [&, m = m, n = n, k = k] {
      gemm_on_threads<double>(Op::none, Op::none, 1, {a.get(), m, k, m}, {b.get(), k, n, k}, 0,
                              {c.get(), m, n, m});
    });
  };
  calibration::measure_products(rates, name(Engine::native), growth, effort, product, step);

  const auto matrix = random_array(symv_order * symv_order), x = random_array(symv_order),
             y = random_array(symv_order);
  const auto n = static_cast<blasint>(symv_order);
  const double seconds = shortest_on_cpu(3, [&] {
    const BlasTurn turn;
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, matrix.get(), n, x.get(), 1, 0, y.get(), 1);
  });
  rates.symv_bytes_per_second =
      static_cast<double>(symv_order) * static_cast<double>(symv_order + 1) / 2 * sizeof(double) / seconds;
  step();
}

}  // namespace

Calibration calibrate(Effort effort, int threads, const CalibrationProgress& progress) {
  const ThreadLimit limit(threads);
  Calibration machine = uncalibrated_machine();
  machine.full = effort == Effort::full;
  for (DeviceRates& rates : machine.devices)
    if (rates.device.kind == DeviceKind::cpu) measure_cpu(rates, effort, progress);
#ifdef EIGEN_G_HAVE_CUDA
  calibration::measure_gpus(machine, effort, progress);
#endif
  return machine;
}

DeviceRates calibrate_cpu(Effort effort, int threads) {
  const ThreadLimit limit(threads);
  DeviceRates rates;
  rates.device = cpu_device();
  measure_cpu(rates, effort, {});
  return rates;
}

const Calibration& calibration_of_process(int threads) {
  static std::mutex mutex;
  static std::map<int, Calibration> kept;
  const std::lock_guard lock(mutex);
  const auto at = kept.find(threads);
  return at != kept.end() ? at->second
                          : kept.emplace(threads, calibrate(Effort::quick, threads)).first->second;
}

ShareRule share_rule(const Devices& devices, std::int64_t n, bool is_double, const std::vector<int>& helpers,
                     int multiprocessors) {
  if (!devices.ratio.automatic()) return ShareRule(devices.ratio);
  if (!is_double) return ShareRule();
  const auto by = [&](const Calibration& calibration) {
    TeamRates team = team_rates(calibration, current_gpu(), helpers, multiprocessors);
    for (std::size_t i = 0; i < helpers.size(); ++i)
      team.devices[i + 1].device.memory_free = gpu_memory_free(helpers[i]);
    return ShareRule(std::move(team));
  };
  if (devices.calibration) return by(*devices.calibration);
  if (n < solver_tuning().min_order_to_calibrate_for ||
      (helpers.empty() && !helpers_may_pay(n, multiprocessors)))
    return ShareRule();
  return by(calibration_of_process(devices.threads));
}

bool helpers_may_pay([[maybe_unused]] std::int64_t n, [[maybe_unused]] int multiprocessors) {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu_count() == 0) return false;
  static const double cpu = cpu_device().cores * cpu_tuning().max_flops_of_core;
  const double gpu = calibration::estimated_product_rate(multiprocessors);
  const auto order = static_cast<double>(n);
  // Seconds of the products that can be cut, on the GPU alone.
  const double alone = 10.0 / 3 * order * order * order / gpu;
  const double gain = cpu / (cpu + gpu);
  return gain > min_gain_of_a_share && gain * alone > cpu_tuning().quick_calibration_seconds;
#else
  return false;
#endif
}

}  // namespace eigen_g
