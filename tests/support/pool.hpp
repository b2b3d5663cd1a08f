// Pool: an allocator of device memory that counts, with a limit. CUDA builds only.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>

#include "hybrid/memory/allocator.hpp"

namespace support {

// A pool of the caller that counts its allocations.
struct Pool {
  std::map<void*, std::size_t> held;
  std::size_t bytes = 0, peak = 0, calls = 0, limit = ~std::size_t{0};

  static void* allocate(std::size_t size, CUstream_st*, void* context) {
    Pool& pool = *static_cast<Pool*>(context);
    ++pool.calls;
    void* memory = nullptr;
    if (pool.bytes + size > pool.limit || cudaMalloc(&memory, size) != cudaSuccess) return nullptr;
    pool.held[memory] = size;
    pool.bytes += size;
    pool.peak = std::max(pool.peak, pool.bytes);
    return memory;
  }
  static void free(void* memory, std::size_t size, CUstream_st*, void* context) {
    Pool& pool = *static_cast<Pool*>(context);
    const auto entry = pool.held.find(memory);
    if (entry == pool.held.end() || entry->second != size) std::abort();  // not the given memory
    pool.bytes -= size;
    pool.held.erase(entry);
    cudaDeviceSynchronize();
    cudaFree(memory);
  }
  eigen_g::Allocator allocator() { return {allocate, free, this}; }
};

}  // namespace support
