// Launches of kernels that run under emulation. A block's static shared memory is a static variable, because the blocks run one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "hybrid/stream/queue.hpp"
#include "tests/support/emulation.hpp"

#undef __shared__
#define __shared__ static

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}  // NOLINT: as in CUDA
};

namespace eigen_g {

inline void allow_next_kernel() {}
inline void wait_for_previous_kernels() {}

inline bool dependent_launches() {
  return true;
}
template <class... Parameters, class... Arguments>
void launch_dependent_cluster(const Queue&, void (*kernel)(Parameters...), dim3 blocks, int cluster,
                              int threads, std::size_t shared_bytes, Arguments&&... arguments) {
  const std::tuple<Parameters...> all(arguments...);
  gridDim = {blocks.x, blocks.y, blocks.z};
  blockDim = {static_cast<unsigned>(threads), 1, 1};
  for (blockIdx.z = 0; blockIdx.z < blocks.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y)
      emulation::launch([&] { std::apply(kernel, all); }, emulation::InClusters{blocks.x, cluster}, threads,
                        static_cast<int>(shared_bytes));
}
template <class... Parameters, class... Arguments>
void launch_dependent(const Queue& queue, void (*kernel)(Parameters...), dim3 blocks, int threads,
                      Arguments&&... arguments) {
  launch_dependent_cluster(queue, kernel, blocks, 1, threads, 0, std::forward<Arguments>(arguments)...);
}

}  // namespace eigen_g
