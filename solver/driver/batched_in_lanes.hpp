// Problems of a batch that the kernels of solver/batched do not solve. SolveFrame, the solver of eigen_g.hpp, solves each of them. Several of
// them are solved at the same time, each in a lane. A lane is a stream with a host thread (hybrid/team/gpu_lanes.hpp). CUDA builds only.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "solver/driver/batched.hpp"
#include "solver/driver/plan.hpp"

namespace eigen_g {

// The largest leading dimension, in bytes, that CUDA's functions for copies of matrices accept.
inline constexpr std::int64_t largest_pitch = std::numeric_limits<std::int32_t>::max();

// Returns a solver of strided batches of up to `most` problems on device pointers.
//   plan   the plan of a solve of one problem
template <class T>
std::unique_ptr<BatchOnGpu<T>> batch_in_lanes(const Plan& plan, std::int64_t most, Resources& resources);

// Solves some problems of a batch. A batch on device pointers must be ragged. A batch on host pointers may be strided or ragged. Returns the memory of
// the solves.
//   problems   the indices k of the problems to solve
//   status     host memory, out: status[k] for each of these k
template <class T>
WorkspaceBytes solve_in_lanes(const Batch<T>& batch, std::vector<std::int64_t> problems,
                              std::int32_t* status);

// Returns a bound of the memory of solve_in_lanes() for `count` problems of order n on host pointers.
template <class T>
WorkspaceBytes host_bytes_in_lanes(std::int64_t n, std::int64_t count, const Options& options,
                                   bool generalised);

}  // namespace eigen_g
