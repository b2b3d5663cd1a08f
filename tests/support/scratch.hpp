// Workspace that is filled with NaN, and
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hybrid/memory/arena.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#endif

namespace support {

class HostScratch {
 public:
  explicit HostScratch(std::uint64_t bytes) : memory_(bytes, std::byte{0xff}) {}
  operator eigen_g::Arena() {
    return {memory_.data(), memory_.size()};
  }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<std::byte> memory_;
};

#ifdef EIGEN_G_HAVE_CUDA
// `margin` guard bytes after it.
class DeviceScratch {
 public:
  explicit DeviceScratch(std::uint64_t bytes, std::uint64_t margin = 0)
      : bytes_(bytes), memory_(static_cast<std::int64_t>(bytes + margin)) {
    if (memory_.bytes() > 0) EIGEN_G_CUDA(cudaMemset(memory_.data(), 0xff, memory_.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue's stream does not wait for the default one
  }
  operator eigen_g::Arena() const { return {memory_.data(), bytes_}; }  // NOLINT(google-explicit-constructor)
  // Number of guard bytes that have changed.
  std::int64_t touched() const {
    std::vector<std::byte> behind(memory_.bytes() - bytes_);
    EIGEN_G_CUDA(cudaMemcpy(behind.data(), memory_.data() + bytes_, behind.size(), cudaMemcpyDeviceToHost));
    std::int64_t count = 0;
    for (const std::byte x : behind) count += x != std::byte{0xff};
    return count;
  }

 private:
  std::uint64_t bytes_;
  eigen_g::DeviceBuffer<std::byte> memory_;
};
#endif

}  // namespace support
