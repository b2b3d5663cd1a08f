// OneThread: the crew of the divide and conquer on the host. A crew is a set of threads that carry out one phase together. Each phase
// is written once, as a template over the crew:
//
//   rank(), size()                   this thread's number from 0, and the number of threads
//   sync()                           makes all writes before it, by any thread of the crew, visible to all of them after it
//   sum(x), product(x), largest(x)   the sum, product or maximum of x over the crew, with the same bits in every thread
//   scan(x, total)                   returns the sum of x over the threads of lower rank; total: the sum over all threads
//
// On a GPU a crew is a part of a warp, a warp or a block (dc_crew.cuh).
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g::dc {

struct OneThread {
  EIGEN_G_HOST_DEVICE static constexpr std::int32_t rank() { return 0; }
  EIGEN_G_HOST_DEVICE static constexpr std::int32_t size() { return 1; }
  EIGEN_G_HOST_DEVICE static void sync() {}
  template <class R>
  EIGEN_G_HOST_DEVICE static R sum(R x) {
    return x;
  }
  template <class R>
  EIGEN_G_HOST_DEVICE static R product(R x) {
    return x;
  }
  template <class R>
  EIGEN_G_HOST_DEVICE static R largest(R x) {
    return x;
  }
  EIGEN_G_HOST_DEVICE static std::int64_t scan(std::int64_t x, std::int64_t& total) {
    total = x;
    return 0;
  }
};

}  // namespace eigen_g::dc
