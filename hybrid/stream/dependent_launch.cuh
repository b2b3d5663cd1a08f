// Programmatic dependent launch: the thread blocks of a kernel start while the previous kernel of the stream still runs. They
// wait on the multiprocessors for its end. This takes less time than a start after that end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

// allow_next_kernel() lets the next kernel of the stream start. wait_for_previous_kernels() waits for the end of all kernels
// before this one. Both have no effect in a launch without the attribute.
__device__ inline void allow_next_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_for_previous_kernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// True if the code of this build for a GPU of this compute capability (9.0: 900), or for the current GPU, contains the two
// instructions above. Code for capabilities below 9.0 does not, so it must not be launched with the attribute.
inline bool dependent_launches_for(int capability) {
#ifdef __CUDA_ARCH_LIST__
  constexpr int built_for[] = {__CUDA_ARCH_LIST__};
  return std::any_of(std::begin(built_for), std::end(built_for),
                     [&](int built) { return built >= 900 && built <= capability; });
#else
  return false;
#endif
}
inline bool dependent_launches() {
  const Device& gpu = gpu_facts(current_gpu());
  return dependent_launches_for(100 * gpu.compute_major + 10 * gpu.compute_minor);
}

// Queues kernel<<<blocks, threads, shared_bytes>>>(arguments...). Each `cluster` neighbouring blocks are a cluster; 1: there are no clusters. The
// kernel must call both functions above before it reads or writes memory that another kernel uses.
//   cluster   more than 1 only if dependent_launches()
template <class... Parameters, class... Arguments>
void launch_dependent_cluster(const Queue& queue, void (*kernel)(Parameters...), dim3 blocks, int cluster,
                              int threads, std::size_t shared_bytes, Arguments&&... arguments) {
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = queue.stream();
  config.attrs = attributes;
  config.numAttrs = !dependent_launches() ? 0 : cluster == 1 ? 1 : 2;
  EIGEN_G_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}
// The same without clusters and dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch_dependent(const Queue& queue, void (*kernel)(Parameters...), dim3 blocks, int threads,
                      Arguments&&... arguments) {
  launch_dependent_cluster(queue, kernel, blocks, 1, threads, 0, std::forward<Arguments>(arguments)...);
}

}  // namespace eigen_g
