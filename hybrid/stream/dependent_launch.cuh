// Programmatic dependent launch: the blocks of a kernel come in while those of the kernel before it in the stream still
// work, and wait there, which takes less time than a start after its end.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

// The next kernel of the stream may be brought in now; and: wait for the end of the kernels before this one. No effect in a
// launch without the attribute.
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

// Whether what this build has for a GPU of this compute capability (9.0: 900), or for the current one, waits as it is told
// to above: code for an older one does not.
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

// Queues kernel<<<blocks, threads>>>(arguments...). The kernel calls both of the above before it reads or writes what others
// do.
template <class... Parameters, class... Arguments>
void launch_dependent(const Queue& queue, void (*kernel)(Parameters...), dim3 blocks, int threads,
                      Arguments&&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = queue.stream();
  config.attrs = &attribute;
  config.numAttrs = dependent_launches() ? 1 : 0;
  EIGEN_G_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}

}  // namespace eigen_g
