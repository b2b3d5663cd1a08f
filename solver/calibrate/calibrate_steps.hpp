// The parts of a calibration that the CPU (calibrate.cpp) and the GPUs (calibrate_gpu.cpp) share: product shapes and progress.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "solver/calibrate/calibrate.hpp"

namespace eigen_g::calibration {

struct Shape {
  std::int64_t m, n, k;
  double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

// The non-square products of a solve with s rows: rank-k updates and Z - V (T V^T Z) with k inner columns; and V^T Z.
inline std::vector<Shape> solver_shapes(Effort effort, std::int64_t s) {
  if (effort == Effort::quick) return {{s, s, std::min<std::int64_t>(s, 256)}};
  return {{s, s, 64}, {s, s, 128}, {s, s, 256}, {256, s, s}};
}

// Limits of the square products that are measured. Their order doubles from `from` to at most `to`, as long as one takes < `seconds`.
struct Growth {
  std::int64_t from, to;
  double seconds;
};

// Measures square products of growing order, then solver_shapes() at the largest order. time(shape) returns the seconds of a product.
// step() is called after each product.
template <class Time, class Step>
void measure_products(DeviceRates& rates, const char* engine, const Growth& growth, Effort effort,
                      Time&& time, Step&& step) {
  const auto measure = [&](const Shape& shape) {
    const double seconds = time(shape);
    rates.products.push_back({engine, shape.m, shape.n, shape.k, shape.flops() / seconds});
    step();
    return seconds;
  };
  std::int64_t s = growth.from;
  for (double seconds = measure({s, s, s}); seconds < growth.seconds && 2 * s <= growth.to;) {
    s *= 2;
    seconds = measure({s, s, s});
  }
  for (const Shape& shape : solver_shapes(effort, s)) measure(shape);
}

// Reports the progress of one device, which has about `steps` steps.
class Steps {
 public:
  Steps(const CalibrationProgress& progress, std::string device, int steps)
      : progress_(progress), device_(std::move(device)), steps_(steps) {
    tell();
  }
  void operator()() {
    ++done_;
    tell();
  }

 private:
  void tell() const {
    if (progress_) progress_(device_, std::min(1.0, static_cast<double>(done_) / steps_));
  }
  const CalibrationProgress& progress_;
  std::string device_;
  int steps_;
  int done_ = 0;
};

// CUDA builds only (calibrate_gpu.cpp). Measures the GPUs among the devices.
void measure_gpus(Calibration& calibration, Effort effort, const CalibrationProgress& progress);
// Estimated flop/s of native products on this number of multiprocessors of the current GPU, from its properties.
double estimated_product_rate(int multiprocessors);

}  // namespace eigen_g::calibration
