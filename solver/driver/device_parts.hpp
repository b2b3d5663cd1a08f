// What the stages as calls share on a GPU: their copies, and the memory that a call takes. CUDA builds only.
#pragma once

#include <cstdint>
#include <optional>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/solver.hpp"

namespace eigen_g {

inline std::uint64_t bytes_of(std::int64_t doubles) {
  return static_cast<std::uint64_t>(doubles) * sizeof(double);
}

inline void copy_values(const Queue& queue, double* to, const double* from, std::int64_t count) {
  if (count > 0) EIGEN_G_CUDA(cudaMemcpyAsync(to, from, bytes_of(count), cudaMemcpyDefault, queue.stream()));
}

inline void copy_matrix(const Queue& queue, MatrixView<double> to, MatrixView<const double> from) {
  if (from.rows > 0 && from.cols > 0)
    EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, bytes_of(to.lda), from.data, bytes_of(from.lda),
                                   bytes_of(from.rows), static_cast<std::size_t>(from.cols),
                                   cudaMemcpyDefault, queue.stream()));
}

inline Queue queue_for(Pointers pointers, CUstream_st* stream) {
  return pointers == Pointers::host ? Queue() : Queue(stream);
}

// The parts in memory of their own, after a look at what is free.
template <class Parts>
struct Placed {
  WorkMemory memory;
  std::optional<Parts> parts;

  template <class... Arguments>
  Placed(const Queue& queue, const Arguments&... arguments) {
    const std::uint64_t bytes = bytes_taken([&](Arena& arena) { Parts(arena, arguments...); });
    const Device gpu = gpu_device(current_gpu());
    if (bytes > WorkMemory::max_kept_bytes && bytes > gpu.memory_free)
      throw OutOfMemory(OutOfMemory::Where::device, gpu.name, bytes, gpu.memory_free);
    memory = WorkMemory(queue, bytes);
    Arena arena(memory.data(), bytes);
    parts.emplace(arena, arguments...);
  }
  const Parts* operator->() const { return &*parts; }
};

}  // namespace eigen_g
