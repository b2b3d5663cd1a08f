// LaunchKernel: the launcher of run_chunk() on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/shared_memory.hpp"

namespace eigen_g::batched {

struct LaunchKernel {
  CUstream_st* stream;

  template <class Kernel, class... Arguments>
  void operator()(Kernel kernel, std::int64_t blocks, int threads, int shared,
                  const Arguments&... arguments) const {
    if (shared > 48 << 10) allow_shared_memory(kernel, static_cast<std::size_t>(shared));
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), static_cast<std::size_t>(shared),
             stream>>>(arguments...);
    EIGEN_G_LAUNCHED();
  }
};

}  // namespace eigen_g::batched
