// The list of the benchmarks of `eigen_g bench`.
#pragma once

#include "apps/bench/bench.hpp"

namespace eigen_g::apps {

// All benchmarks, in the order of `eigen_g bench --list`.
bench::Benchmarks benchmarks();

}  // namespace eigen_g::apps
