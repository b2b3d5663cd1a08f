// The measurements of `eigen_g bench symv`.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/bench/symv_report.hpp"
#include "blas2/symv/symv.hpp"

namespace eigen_g::apps::bench {

struct SymvBenchPlan {
  std::vector<blas2::SymvType> types;
  std::vector<Uplo> triangles;
  std::vector<std::int64_t> sizes;
  int rounds = 21;
  int repeats = 20;        // runs on one input that must agree bit for bit
  blas2::SymvTable table;  // eigen_g's configurations; where it has none, the default
  std::function<void(const SymvCase& about_to_begin, double fraction)> progress;
};

// All cases on the current GPU, one after the other; a case's contenders take turns. A size whose matrices do
// not fit the GPU's memory is a skipped case. Throws DeviceError where there is no GPU or a
// call fails outside a contender.
std::vector<SymvCase> measure_symv(const SymvBenchPlan& plan);

}  // namespace eigen_g::apps::bench
