// enqueue_chunk() and place_chunk_work() for the types that a .cu file names.
#pragma once

#include <bit>
#include <cstdint>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/batched/run_chunk.cuh"

namespace eigen_g::batched {

template <class T>
void enqueue_chunk(CUstream_st* stream, Method method, const Chunk<T>& chunk, const Work<T>& work,
                   bool vectors, int multiprocessors) {
  const auto launch = [&](auto kernel, auto blocks, int threads, int shared, const auto&... arguments) {
    if (shared > 48 << 10) allow_shared_memory(kernel, static_cast<std::size_t>(shared));
    cudaLaunchConfig_t how{};
    how.blockDim = static_cast<unsigned>(threads);
    how.dynamicSmemBytes = static_cast<std::size_t>(shared);
    how.stream = stream;
    cudaLaunchAttribute attribute{};
    how.attrs = &attribute;
    if constexpr (std::is_same_v<decltype(blocks), InClusters>) {
      how.gridDim = static_cast<unsigned>(blocks.blocks);
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {static_cast<unsigned>(blocks.cluster), 1, 1};
      how.numAttrs = 1;
    } else {
      how.gridDim = static_cast<unsigned>(blocks);
      attribute.id = cudaLaunchAttributePriority;
      EIGEN_G_CUDA(cudaDeviceGetStreamPriorityRange(nullptr, &attribute.val.priority));
      how.numAttrs = before_others<decltype(kernel)> ? 1 : 0;
    }
    EIGEN_G_CUDA(cudaLaunchKernelEx(&how, kernel, arguments...));
  };
  using D = device_t<T>;
  run_chunk<D>(launch, method, std::bit_cast<Chunk<D>>(chunk), std::bit_cast<Work<D>>(work), vectors,
               multiprocessors);
}

template <class T>
Work<T> place_chunk_work(Arena& arena, Method method, int n, bool vectors, std::int64_t count) {
  return std::bit_cast<Work<T>>(place_work<device_t<T>>(arena, method, n, vectors, count));
}

// run_chunk() with a launcher that only looks at the sizes.
template <class T>
std::int64_t shared_bytes(int n, Method method, bool vectors) {
  using D = device_t<T>;
  std::int64_t most = 0;
  Arena counting;
  Chunk<D> chunk;
  chunk.count = 1;
  chunk.n = n;
  const Work<D> work = place_work<D>(counting, method, n, vectors, 1);
  run_chunk<D>(
      [&](auto, std::int64_t, int, int shared, const auto&...) { most = shared > most ? shared : most; },
      method, chunk, work, vectors, 1);
  return most;
}

}  // namespace eigen_g::batched
