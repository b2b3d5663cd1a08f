// Which path a solve takes.
#pragma once

#include <cstdint>

#include "solver/api/types.hpp"

namespace eigen_g {

// On the current GPU, for a matrix of order n: the one that is asked for; automatic: two stages from the orders in
// TwoStageTuning on, where the GPU is strong in double. On a CPU it is one stage, always.
Path path_on_gpu(const Options& options, std::int64_t n);

}  // namespace eigen_g
