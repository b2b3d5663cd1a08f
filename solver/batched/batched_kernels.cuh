// enqueue_chunk() and place_chunk_work() for the types that a .cu file names.
#pragma once

#include <bit>
#include <cstdint>

#include "hybrid/instantiate.hpp"
#include "solver/batched/launch_kernel.cuh"
#include "solver/batched/run_chunk.cuh"

namespace eigen_g::batched {

template <class T>
void enqueue_chunk(CUstream_st* stream, Method method, const Chunk<T>& chunk, const Work<T>& work,
                   bool vectors, int multiprocessors) {
  using D = device_t<T>;
  run_chunk<D>(LaunchKernel{stream}, method, std::bit_cast<Chunk<D>>(chunk), std::bit_cast<Work<D>>(work),
               vectors, multiprocessors);
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
