// Which path a solve takes.
#pragma once

#include <cstdint>

#include "solver/api/types.hpp"
#include "solver/back/chase_back.hpp"

namespace eigen_g {

// On the current GPU, for a matrix of T of order n: the one that is asked for; automatic: two stages from the orders in
// TwoStageTuning on, where the GPU is strong in double (other GPUs were not measured in float either). On a CPU it is one stage.
template <class T>
Path path_on_gpu(const Options& options, std::int64_t n);

// Of a band of order n that two stages chase as it is, on the current GPU: bandwidth at most. With vectors it is less than without,
// as only bands up to 64 go back by the tensor core; between the two the values of a solve with vectors and of one without differ in
// rounding. Where n is so small that a full matrix would count as a band, it is the lesser of the two.
std::int64_t widest_given_band(std::int64_t n, bool vectors);

// On the current GPU: by the tensor core where the products are native and it is strong in double, else by the engine.
ChaseBack chase_back_on_gpu(Engine engine);

}  // namespace eigen_g
