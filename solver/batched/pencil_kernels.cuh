// enqueue_pencil_chunk() for the types that a .cu file names.
#pragma once

#include <bit>

#include "hybrid/instantiate.hpp"
#include "solver/batched/launch_kernel.cuh"
#include "solver/batched/run_pencil_chunk.cuh"

namespace eigen_g::batched {

template <class T>
void enqueue_pencil_chunk(CUstream_st* stream, Method method, const Chunk<T>& chunk, const Work<T>& work,
                          const PencilWork<T>& pencil, int multiprocessors) {
  using D = device_t<T>;
  const auto solve_standard = [&](const Chunk<D>& standard) {
    enqueue_chunk<T>(stream, method, std::bit_cast<Chunk<T>>(standard), work, pencil.factor != nullptr,
                     multiprocessors);
  };
  run_pencil_chunk<D>(LaunchKernel{stream}, solve_standard, std::bit_cast<Chunk<D>>(chunk),
                      std::bit_cast<PencilWork<D>>(pencil));
}

template <class T>
int pencil_shared_bytes(int n) {
  return n <= 4 ? 0 : TeamMemory<device_t<T>, 32>::bytes(n);
}

}  // namespace eigen_g::batched
