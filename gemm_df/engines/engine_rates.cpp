#include "gemm_df/engines/engine_rates.hpp"

#include <algorithm>
#include <vector>

#include "gemm_df/engines/double_float/double_float.hpp"
#include "gemm_df/engines/engine_table.hpp"
#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/error.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t order = 2048, few_terms = 128, many_terms = 1024;
static_assert(few_terms >= df::anchored_terms, "the double-float rate is that of the anchored sum");
constexpr int repeats = 3;

// Values of both signs and full precision, because the speed of the emulation may depend on them.
DeviceBuffer<double> operand(const Queue& queue) {
  std::vector<double> values(static_cast<std::size_t>(order * many_terms));
  std::uint64_t state = 1;
  for (double& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
  }
  DeviceBuffer<double> device(order * many_terms);
  EIGEN_G_CUDA(
      cudaMemcpyAsync(device.data(), values.data(), device.bytes(), cudaMemcpyHostToDevice, queue.stream()));
  queue.wait();
  return device;
}

// `known`: what the products do not show.
EngineRate rate_of(const Products<double>& products, const EngineRate& known, const double* operand_dev,
                   double* result_dev) {
  const auto seconds = [&](std::int64_t terms) {
    const MatrixView<const double> a{operand_dev, order, terms, order}, b{operand_dev, terms, order, terms};
    const auto multiply = [&] {
      products.gemm(Op::none, Op::none, 1, a, b, 0, {result_dev, order, order, order});
    };
    multiply();  // loads the kernels and allocates the scratch memory
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      Event start, stop;
      start.record(products.queue());
      multiply();
      stop.record(products.queue());
      stop.wait();
      times.push_back(stop.seconds_since(start));
    }
    std::sort(times.begin(), times.end());
    const double converting = 2 * static_cast<double>(order * terms) * known.seconds_per_operand_entry;
    return std::max(times[repeats / 2] - converting, 0.1 * times[repeats / 2]);
  };
  const double many = seconds(many_terms), few = seconds(few_terms);
  constexpr double entries = static_cast<double>(order * order);
  constexpr double more_flops = 2 * entries * (many_terms - few_terms);
  EngineRate rate = known;
  rate.flops_per_second = more_flops / std::max(many - few, 0.1 * many);
  rate.seconds_per_entry = std::max(0.0, few - 2 * entries * few_terms / rate.flops_per_second) / entries;
  return rate;
}

}  // namespace

double float_rate(const Queue& queue) {
  int device = 0, kilohertz = 0;
  EIGEN_G_CUDA(cudaGetDevice(&device));
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device));
  constexpr double float_lanes = 128;  // per multiprocessor
  return float_lanes * queue.multiprocessors() * kilohertz * 1e3;
}

ProductRates estimated_engine_rates(const Queue& queue) {
  ProductRates rates;
  for (const Engine engine : engines())
    if (engine_built(engine)) rates[engine] = row_of(engine).gpu.estimated_rate(queue);
  return rates;
}

ProductRates rates_to_choose_by(const Queue& queue, Engine wanted, const ProductRates& known) {
  const bool estimate = wanted == Engine::automatic && !(known[Engine::native].flops_per_second > 0);
  return estimate ? estimated_engine_rates(queue) : known;
}

ProductRates measure_engine_rates(const Queue& queue) {
  const DeviceBuffer<double> values = operand(queue), result(order * order);
  ProductRates rates;
  for (const Engine engine : engines()) {
    if (!engine_built(engine)) continue;
    try {
      rates[engine] = rate_of(Products<double>(queue, engine), row_of(engine).gpu.estimated_rate(queue),
                              values.data(), result.data());
    } catch (const DeviceError&) {  // this GPU does not have the engine
      if (engine == Engine::native) throw;
    }
  }
  return rates;
}

}  // namespace eigen_g
