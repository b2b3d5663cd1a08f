// What Resources holds; for resources.cpp and memory.cpp alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"

namespace eigen_g {

extern std::atomic<std::uint64_t> things_made;  // Resources::made()

struct Resources::State {
  struct OfGpu {
    std::vector<cudaStream_t> streams;
    std::vector<BlasHandle> handles;
    std::vector<cudaEvent_t> events;
    DeviceBuffer<std::byte> work;
  };
  Allocator allocator;
  std::mutex allocating;  // one call of the allocator at a time
  std::mutex mutex;       // guards what follows
  std::map<int, OfGpu> of_gpu;
  PinnedBuffer<double> pinned;
};

}  // namespace eigen_g
