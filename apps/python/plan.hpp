// Plan: the options of a call from Python, as the library's types.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <eigen_g/generalised.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g::python {

// Solves of smaller orders cannot be interrupted.
inline constexpr std::int64_t min_order_to_interrupt = 2000;

struct CallOptions {
  std::string dtype;
  Options options;
  Devices devices;
  int itype = 0;  // type of a generalised problem; 0: a standard problem
  CholeskyFactor factor = CholeskyFactor::compute;

  GeneralisedProblem problem() const { return {.itype = itype, .factor = factor}; }
};

// index_range: first and last pair, from 1. values: above, upto. multiprocessors, memory_limit: as in Devices. Throws InvalidArgument.
CallOptions make_plan(const std::string& dtype, bool lower, bool vectors,
                      std::optional<std::pair<std::int64_t, std::int64_t>> index_range,
                      std::optional<std::pair<double, double>> values, const std::string& path,
                      const std::string& engine, const std::string& device, int gpus, int threads,
                      const std::optional<std::string>& ratio, const std::string& precision,
                      int multiprocessors, std::int64_t memory_limit, int itype, const std::string& factor);

// Options for a solve of order n that obeys Ctrl-C and reports its progress to `callback` (None: to no callback). A progress callback
// makes the host wait for the end of each stage. So without `callback` small orders are not interruptible.
Options with_progress(const Options& options, std::int64_t n, nanobind::object callback);

}  // namespace eigen_g::python
