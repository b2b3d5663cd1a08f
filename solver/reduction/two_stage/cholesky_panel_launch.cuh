// The launcher of cholesky_panel()'s kernels on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/reduction/two_stage/cholesky_panel_kernels.cuh"

namespace eigen_g::panel_by_cholesky {

struct LaunchKernel {
  CUstream_st* stream;

  template <class Kernel, class... Arguments>
  void operator()(Kernel kernel, bool early, std::int64_t blocks, int of_cluster, int shared,
                  const Arguments&... arguments) const {
    if (shared > 48 << 10) allow_shared_memory(kernel, static_cast<std::size_t>(shared));
    cudaLaunchAttribute attributes[2]{};
    cudaLaunchConfig_t how{};
    how.gridDim = static_cast<unsigned>(blocks);
    how.blockDim = static_cast<unsigned>(threads);
    how.dynamicSmemBytes = static_cast<std::size_t>(shared);
    how.stream = stream;
    how.attrs = attributes;
    if (early) {
      attributes[how.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[how.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (of_cluster > 1) {
      attributes[how.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[how.numAttrs++].val.clusterDim = {static_cast<unsigned>(of_cluster), 1, 1};
    }
    EIGEN_G_CUDA(cudaLaunchKernelEx(&how, kernel, arguments...));
  }
};

}  // namespace eigen_g::panel_by_cholesky
