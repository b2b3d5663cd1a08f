// The members of Resources. Only resources.cpp and memory.cpp include this header.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"

namespace eigen_g {

extern std::atomic<std::uint64_t> things_made;  // the count that Resources::made() returns

struct Resources::Impl {
  struct OfGpu {
    std::vector<cudaStream_t> streams;
    std::vector<BlasHandle> handles;
    std::vector<cudaEvent_t> events;
    DeviceBuffer<std::byte> work;
  };
  Allocator allocator;
  std::mutex allocating;  // serialises the calls of the allocator
  std::mutex mutex;       // guards the members below
  std::map<int, OfGpu> of_gpu;
  PinnedBuffer<double> pinned;
};

}  // namespace eigen_g
