// LaunchKernel: the launcher of run_chunk() on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/batched/launching.cuh"

namespace eigen_g::batched {

struct LaunchKernel {
  CUstream_st* stream;

  template <class Kernel, class Blocks, class... Arguments>
  void operator()(Kernel kernel, Blocks blocks, int threads, int shared,
                  const Arguments&... arguments) const {
    if (shared > 48 << 10) allow_shared_memory(kernel, static_cast<std::size_t>(shared));
    cudaLaunchAttribute attribute{};
    cudaLaunchConfig_t how{};
    how.gridDim = static_cast<unsigned>(static_cast<std::int64_t>(blocks));
    how.blockDim = static_cast<unsigned>(threads);
    how.dynamicSmemBytes = static_cast<std::size_t>(shared);
    how.stream = stream;
    how.attrs = &attribute;
    if constexpr (std::is_same_v<Blocks, InClusters>) {
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {static_cast<unsigned>(blocks.cluster), 1, 1};
      how.numAttrs = 1;
    } else if constexpr (std::is_same_v<Blocks, BeforeOthers>) {
      attribute.id = cudaLaunchAttributePriority;
      EIGEN_G_CUDA(cudaDeviceGetStreamPriorityRange(nullptr, &attribute.val.priority));
      how.numAttrs = 1;
    }
    EIGEN_G_CUDA(cudaLaunchKernelEx(&how, kernel, arguments...));
  }
};

}  // namespace eigen_g::batched
